"""Write the bad files and what becomes of each: `python -m fuzz.bad`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from fuzz.bad.files import files
from fuzz.bad.messages import messages
from fuzz.bad.readers import outcome_of
from fuzz.bad.texts import texts
from fuzz.bad.traces import traces

BAD = Path(__file__).parents[2] / "tests" / "data" / "bad"


def main() -> None:
    """Make all files anew; those that the fuzzer found stay as they are."""
    for target, name, data in _made():
        (BAD / target).mkdir(parents=True, exist_ok=True)
        (BAD / target / name).write_bytes(data)
    lines = []
    for path in sorted(path for path in BAD.rglob("*") if path.parent != BAD and path.is_file()):
        with tempfile.TemporaryDirectory() as folder:
            outcome, reason = outcome_of(path, Path(folder))
        lines.append(f"{path.relative_to(BAD)} {outcome}\n")
        print(f"{path.relative_to(BAD)} {outcome} {reason}")
    (BAD / "outcomes").write_text("".join(lines))


def _made() -> Iterator[tuple[str, str, bytes]]:
    yield from messages()
    yield from texts()
    yield from files()
    yield from traces()


if __name__ == "__main__":
    main()
