"""Budgets from TOML: what they limit, and one clear line for each mistake."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tfprof.errors import LoadError, OptionError
from tfprof.gates.budget import KEYS, parse_budget, read_budget
from tfprof.gates.limit import parse_limit


def test_limits_of_whole_scopes_and_layers(tmp_path: Path) -> None:
    file = tmp_path / "tfprof.toml"
    file.write_text(
        '[bind]\nB = 32\n[budget]\nparams = 100\ntime = "+5%"\n'
        '[budget.scope."a/b"]\nfloat_ops = "-10%"\n[budget.layer.dense]\nmacs = "2k"\n'
    )
    budget = read_budget(file)
    assert [entry.title for entry in budget.entries] == [
        "params",
        "time",
        "float_ops of scope a/b",
        "macs of layer dense",
    ]
    assert [entry.limit.allowed(1000) for entry in budget.entries] == [100, 1050, 900, 2000]
    assert budget.bind == {"B": 32}


@pytest.mark.parametrize(
    ("value", "unit", "allowed"),
    [
        (7, "number", 7),
        ("2.5M", "number", 2_500_000),
        ("+0%", "number", 100),
        ("+0.1%", "number", Fraction(1001, 10)),
        ("+12", "number", 112),
        ("-12", "number", 88),
        ("64MiB", "memory", 64 << 20),
        ("1.5KB", "memory", 1500),
        (4096, "memory", 4096),
        ("+1KB", "memory", 1100),
        ("20ms", "time", 20_000),
        ("1.5s", "time", 1_500_000),
    ],
)
def test_limit(value: object, unit: str, allowed: object) -> None:
    limit = parse_limit(value, unit)
    assert limit is not None
    assert limit.allowed(100) == allowed


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        *((value, "number") for value in ("5ms", "", "5 %", "++5%", 1.5, True, [], "64MB", -1)),
        *((value, "memory") for value in ("5ms", "many", "5k5", True)),
        *((value, "time") for value in ("5", 5, "5MB", "-5ms-", "fast")),
    ],
)
def test_no_limit(value: object, unit: str) -> None:
    assert parse_limit(value, unit) is None


MISTAKES = {
    "[budgets]\nparams = 1": "there is no 'budgets'; did you mean 'budget'?",
    "[budget]\nparms = 1": "[budget] there is no 'parms'; did you mean 'params'?",
    "[budget]\nparameters = 1": "[budget] there is no 'parameters'; did you mean 'params'?",
    '[budget.scope."a/b"]\nflops = 1': "[budget.scope.\"a/b\"] there is no 'flops'; did you mean",
    '[budget]\nparams = "5ms"': "[budget] params = '5ms' is no limit; write one such as 2000000",
    '[budget]\nstatic_memory = "5ms"': "static_memory = '5ms' is no limit; write one such as '64",
    "[budget]\ntime = 20": "time = 20 is no limit; write one such as '20ms'",
    '[budget]\ntime = "+1%"': "time = '+1%' cannot be judged; the least increase is '+2%'",
    "[budget]\nparams = 1.5": "params = 1.5 is no limit",
    "[budget]\nscope = 3": "'scope' is a table, not a value",
    "[budget.scope]\na = 3": "'a' is a name, and needs a table of limits",
    '[budget.layer.a]\ntime = "+5%"': "time: is known of the whole and a scope only, not of",
    "budget = 3": "'budget' is a table, not a value",
    "[bind]\nB = 'x'\n[budget]\nparams = 1": "[bind] B = 'x' is not a size such as 32",
    "": "limits nothing; add one such as params = '+0%' to [budget]",
    "[budget": "is not TOML",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text: str, tmp_path: Path) -> None:
    file = tmp_path / "tfprof.toml"
    file.write_text(text)
    with pytest.raises(OptionError) as error:
        read_budget(file)
    message = str(error.value)
    assert message.startswith(f"{file}: ")
    assert MISTAKES[text] in message
    assert "\n" not in message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no such budget.*--init"):
        read_budget(tmp_path / "none.toml")
    with pytest.raises(LoadError, match="directory"):
        read_budget(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OptionError, match="is not text"):
        read_budget(tmp_path / "binary")


def test_every_key_can_be_limited() -> None:
    examples = {"number": 1, "memory": "1MB", "time": "+5%"}
    for key in KEYS.values():
        budget = parse_budget({"budget": {key.name: examples[key.unit]}})
        assert budget.entries[0].key is key
