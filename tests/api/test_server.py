"""`tfprof ui` answers its own page and nobody else."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from urllib.parse import quote, urlencode, urlsplit

import pytest

import tfprof
from tests.cli.conftest import SOURCE, call
from tests.robustness.test_interrupts import restore_signals
from tfprof import demo
from tfprof.api.server import serve_page
from tfprof.errors import OutputError
from tfprof.outputs.html.writer import read_template


@pytest.fixture(scope="module")
def profile():
    return tfprof.load(**demo.paths())


@pytest.fixture(scope="module")
def address(profile):
    with serve_page(profile.report("scope"), command="tfprof --demo") as page:
        yield urlsplit(page.address)


def ask(address, path, method="GET", token=True, **headers):
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    given = {"Authorization": f"Bearer {address.fragment.removeprefix('token=')}"} if token else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=given)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


def answer_of(address, path):
    answer, data = ask(address, path)
    assert answer.status == 200, data
    return json.loads(data)


@pytest.mark.parametrize("options", ["[" * 20_000, '{"a":' * 4_000, r'{"\ud800": "1"}'])
def test_options_that_are_nested_deeply_or_no_text(address, options):
    query = urlencode({"preset": "time and memory", "view": "scope", "options": options})
    answer, data = ask(address, f"/api/report?{query}")
    assert answer.status == 400
    assert data in (b"the options are not JSON", rb"unknown option '\ud800'")


def test_it_listens_on_loopback_only(address):
    assert address.hostname == "127.0.0.1"


def test_shell_has_no_data_and_may_ask_its_server(address):
    answer, data = ask(address, "/", token=False)
    assert answer.status == 200
    assert b"connect-src 'self'" in data
    assert data.decode() == read_template().replace(
        "default-src 'none';", "default-src 'none'; connect-src 'self';", 1
    )


@pytest.mark.parametrize(
    ("path", "request_", "status"),
    [
        ("/api/page", {"token": False}, 401),
        ("/api/page", {"token": False, "Authorization": "Bearer wrong"}, 401),
        ("/api/block/0", {"token": False}, 401),
        ("/api/page", {"Host": "example.com"}, 421),
        ("/", {"Host": "example.com"}, 421),
        ("/api/page", {"Origin": "http://example.com"}, 403),
        ("/api/page", {"Origin": "null"}, 403),
        ("/", {"Sec_Fetch_Site": "cross-site"}, 403),
        ("/api/page", {"Sec_Fetch_Site": "same-site"}, 403),
        ("/../../../../etc/passwd", {}, 404),
        ("/api/../../etc/passwd", {}, 404),
        ("/etc/passwd", {}, 404),
        ("/api/block/99999999", {}, 404),
        ("/api/block/-1", {}, 404),
        ("/api/block/" + "1" * 5_000, {}, 404),
        ("/api/block/" + quote("\uff11"), {}, 404),
        ("/api/nothing", {}, 404),
        ("/api/page/more", {}, 404),
        ("/?" + "x" * 65_000, {}, 414),
        ("/api/page", {"method": "POST"}, 501),
        ("/api/page", {"method": "PUT"}, 501),
        ("/api/page", {"method": "OPTIONS"}, 501),
        ("/api/page", {"method": "HEAD"}, 501),
    ],
)
def test_refusals(address, path, request_, status):
    answer, data = ask(address, path, **request_)
    assert answer.status == status
    assert b"Conv2D" not in data


def test_headers_keep_other_pages_out(address):
    answer, _ = ask(address, "/")
    headers = dict(answer.getheaders())
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers


def report_path(**query):
    return "/api/report?" + urlencode({"preset": "time and memory", "step": -1, **query})


def test_options_go_through_the_request_path(address, profile):
    options = json.dumps({"start_name_regexes": "unit_1_.*", "min_micros": "1000"})
    entry = answer_of(address, report_path(view="scope", options=options))
    report = profile.report(
        "scope", start_name_regexes=["unit_1_.*"], min_micros=1000, max_depth=10_000
    )
    assert entry["rows"] == len(report)
    assert "-start_name_regexes=unit_1_.*" in entry["arguments"]
    assert "-min_micros=1000" in entry["arguments"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"show_name_regexes": "(x"}, "invalid regex"),
        ({"min_micros": "many"}, "not a whole number"),
        ({"unknown": "1"}, "unknown option"),
        ({"account_displayed_op_only": "perhaps"}, "neither true nor false"),
        ({"output": "file:outfile=stolen.txt"}, "unknown option"),
        ([], "not a JSON object"),
    ],
    ids=str,
)
def test_wrong_options_are_one_line(address, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer, data = ask(address, report_path(view="scope", options=json.dumps(options)))
    assert not list(tmp_path.iterdir())
    assert answer.status == 400
    assert words in data.decode()
    assert "\n" not in data.decode()


@pytest.mark.parametrize(
    "path",
    [report_path(view="tree"), "/api/report", "/api/timeline?step=9", "/api/timeline?step=x"],
)
def test_wrong_requests(address, path):
    assert ask(address, path)[0].status == 400


def test_a_port_in_use_is_an_error(address, profile):
    with (
        pytest.raises(OutputError, match=f"port {address.port}"),
        serve_page(profile.report("scope"), command="", port=address.port),
    ):
        pass


def test_command_serves_until_it_is_interrupted():
    running = subprocess.Popen(
        [sys.executable, "-m", "tfprof", "--demo", "ui", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
        text=True,
        preexec_fn=restore_signals,
    )
    try:
        address = urlsplit(running.stdout.readline().strip())
        assert ask(address, "/api/page", token=False)[0].status == 401
        assert answer_of(address, "/api/timeline?step=1")["devices"]
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
    finally:
        running.kill()
        running.stdout.close()
        running.wait()


def test_wrong_port():
    done = call("--demo", "ui", "--no-browser", "--port", "http")
    assert done.status == 2
    assert call("--demo", "ui", "--no-browser", "--port", "99999").status == 1
