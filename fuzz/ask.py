"""Questions to a profile, chosen by its input's bytes: what a reader lets in must be answerable."""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
import zlib
from pathlib import Path
from typing import Any

from tfprof import advisor
from tfprof.api.profile import Profile
from tfprof.definitions.metrics import METRICS, orders
from tfprof.outputs import OUTPUTS
from tfprof.views import VIEWS

__all__ = ["ask", "dice_of"]

_DEPTHS = (0, 1, 3, 10, 100, 10_000, -1, 2**40)
_REGEXES = (".*", "a.*", ".*/.*", "", "MatMul|Conv2D", ".*gpu.*", "_trainable_variables")
_FILES = [name for name, output in OUTPUTS.items() if output.required]


def dice_of(data: bytes) -> random.Random:
    """Chance that is the same whenever the input is."""
    return random.Random(zlib.crc32(data))


def ask(profile: Profile, dice: random.Random) -> None:
    """Ask for a report in some form."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        _ask(profile, dice)


def _ask(profile: Profile, dice: random.Random) -> None:
    compat = dice.random() < 0.3
    report = profile.report(dice.choice(tuple(VIEWS)), _options(profile, dice), compat=compat)
    roll = dice.random()
    if roll < 0.55:
        report.text(legend=dice.random() < 0.2)
    elif roll < 0.7:
        report.proto()
    elif roll < 0.87:
        with tempfile.TemporaryDirectory() as folder:
            report.write(f"{dice.choice(_FILES)}:outfile={Path(folder) / 'out'}")
    elif roll < 0.97:
        profile.serialize(compat=compat)
    else:
        advisor.advise(profile, None, compat=compat).text()


def _options(profile: Profile, dice: random.Random) -> dict[str, Any]:
    return {
        "select": dice.sample(tuple(METRICS), dice.choice((1, 1, 3, len(METRICS)))),
        "order_by": dice.choice(orders()),
        "max_depth": dice.choice(_DEPTHS),
        "step": dice.choice((-1, -1, *profile.steps)),
        "account_type_regexes": [".*" if dice.random() < 0.7 else dice.choice(_REGEXES)],
        "start_name_regexes": [".*" if dice.random() < 0.8 else dice.choice(_REGEXES)],
        "trim_name_regexes": [dice.choice(_REGEXES)] if dice.random() < 0.2 else [],
        "show_name_regexes": [".*" if dice.random() < 0.8 else dice.choice(_REGEXES)],
        "account_displayed_op_only": dice.random() < 0.3,
        dice.choice(("min_micros", "min_bytes", "min_params")): dice.choice((0, 0, 1, 2**62)),
    }
