"""Generate the message classes in src/tfprof/protos from the .proto files beside them.

`--check` changes nothing and fails if the committed classes are not what the .proto files say.
protoc pins its output to one protobuf release; that check is taken out, since the classes run on
every release that pyproject.toml allows.
"""

from __future__ import annotations

import importlib.resources
import re
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

SOURCES = Path(__file__).resolve().parent.parent / "src"
PROTOS = SOURCES / "tfprof" / "protos"
RELEASE_PIN = re.compile(
    r"from google\.protobuf import runtime_version as _runtime_version\n"
    r"|_runtime_version\.ValidateProtobufRuntimeVersion\(.*?\n\)\n"
    r"|# Protobuf Python Version: [^\n]*\n|# NO CHECKED-IN PROTOBUF GENCODE\n",
    re.DOTALL,
)


def generate(into: Path) -> dict[str, str]:
    """The text of every generated file, by file name."""
    sources = sorted(str(path.relative_to(SOURCES)) for path in PROTOS.glob("*.proto"))
    well_known = importlib.resources.files("grpc_tools") / "_proto"
    folders = [f"-I{SOURCES}", f"-I{well_known}", f"--python_out={into}", f"--pyi_out={into}"]
    if protoc.main(["protoc", *folders, *sources]) != 0:
        sys.exit("protoc failed")
    generated = sorted((into / "tfprof" / "protos").iterdir())
    return {path.name: RELEASE_PIN.sub("", path.read_text()) for path in generated}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        texts = generate(Path(folder))
    if "--check" not in sys.argv[1:]:
        for name, text in texts.items():
            (PROTOS / name).write_text(text)
        return 0
    stale = [
        name
        for name, text in texts.items()
        if not (PROTOS / name).exists() or (PROTOS / name).read_text() != text
    ]
    if stale:
        print(f"not current, run `make protos`: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
