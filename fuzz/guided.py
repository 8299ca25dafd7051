"""Coverage-guided fuzzing of one target with atheris, which has to be installed beside tfprof.

`python -m fuzz.guided graph -max_total_time=60` takes libFuzzer's options; inputs are mutated by
their structure, and kept when they reach new code.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    """Fuzz the target that is named first until libFuzzer's options say enough."""
    import atheris  # type: ignore[import-not-found]

    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with atheris.instrument_imports(include=["tfprof"]):
        from fuzz.guard import failure_of
        from fuzz.targets import targets

        target = targets()[sys.argv[1]]
        for seed in target.seeds():
            # What is imported on first use is to be instrumented too.
            failure_of(target, seed)

    def test(data: bytes) -> None:
        failure = failure_of(target, data)
        if failure is not None:
            raise failure

    def mutate(data: bytes, max_size: int, seed: int) -> Any:
        return target.mutator(data, random.Random(seed))[:max_size]

    with tempfile.TemporaryDirectory() as corpus:
        for i, data in enumerate(target.seeds()):
            (Path(corpus) / str(i)).write_bytes(data)
        atheris.Setup([*sys.argv[:1], *sys.argv[2:], corpus], test, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
