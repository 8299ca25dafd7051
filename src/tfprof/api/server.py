"""Serve a page on this machine: the only module that opens a socket; nothing but `ui` imports it.

Requests are answered only if they come from this machine (the socket listens on loopback), name
this server as their host, come from its own page, and have the token that the page was opened
with. The token is in the fragment of the address, which browsers never send. Only GET is
answered, and no path leads to a file.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tfprof.api.page_service import PageService, RefusedError
from tfprof.errors import OutputError, TfprofError
from tfprof.outputs.html.writer import read_template
from tfprof.reports.report import Report

LOOPBACK = "127.0.0.1"
_MAX_URL = 64_000
_WAIT_SECONDS = 0.5
_FIRST_POLICY = "default-src 'none';"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tfprof", ""

    def do_GET(self) -> None:
        try:
            self._check()
            parts = urlsplit(self.path)
            if parts.path == "/":
                self._send(200, self.server.page, "text/html; charset=utf-8")
                return
            if not parts.path.startswith("/api/"):
                raise RefusedError(404, "there is no such page")
            self._check_token()
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            answer = self.server.service.answer(parts.path, query)
            self._send(200, answer, "application/octet-stream")
        except RefusedError as refusal:
            self._send_text(refusal.status, str(refusal))
        except TfprofError as error:
            self._send_text(400, str(error))
        except Exception as error:
            text = f"unexpected {type(error).__name__}: {error}; please report it"
            self._send_text(500, text)

    def _check(self) -> None:
        """Refuse what another page or another name of this machine makes a browser ask."""
        if len(self.path) > _MAX_URL:
            raise RefusedError(414, "the address is too long")
        host = self.headers.get("Host", "")
        if host not in (f"{LOOPBACK}:{self.server.port}", f"localhost:{self.server.port}"):
            raise RefusedError(421, "this server answers only for its own address")
        origin = self.headers.get("Origin")
        if origin is not None and origin != f"http://{host}":
            raise RefusedError(403, "this server answers only its own page")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise RefusedError(403, "this server answers only its own page")

    def _check_token(self) -> None:
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            raise RefusedError(401, "open the address that tfprof ui printed")

    def _send_text(self, status: int, text: str) -> None:
        # What a request quotes may have surrogates.
        self._send(status, text.encode("utf-8", "backslashreplace"), "text/plain; charset=utf-8")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        with contextlib.suppress(ConnectionError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log no requests: they are private."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, service: PageService, port: int) -> None:
        self.service, self.token = service, secrets.token_urlsafe(32)
        # A served page may connect to its own server only.
        policy = f"{_FIRST_POLICY} connect-src 'self';"
        self.page = read_template().replace(_FIRST_POLICY, policy, 1).encode()
        super().__init__((LOOPBACK, port), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of clients that disconnect."""


@dataclass(frozen=True, slots=True)
class RunningPage:
    """A page that is being served: its address, with the token, until it is closed."""

    address: str
    wait: Callable[[], None]
    """Wait until the server ends, which an interrupt does."""


@contextlib.contextmanager
def serve_page(report: Report, *, command: str, port: int = 0) -> Iterator[RunningPage]:
    """Serve the page of a report's profile on loopback; port 0 is any free one."""
    try:
        server = _Server(PageService.of_profile(report, command), port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"port {port}: cannot be used: {reason}; leave out --port") from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def wait() -> None:
        # A join without a timeout may miss an interrupt that comes with a request.
        while thread.is_alive():
            thread.join(_WAIT_SECONDS)

    try:
        yield RunningPage(f"http://{LOOPBACK}:{server.port}/#token={server.token}", wait)
    finally:
        server.shutdown()
        server.server_close()
