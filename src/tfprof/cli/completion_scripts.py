"""Completion scripts for bash, zsh and fish, made from the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tfprof.cli.commands import COMMANDS
from tfprof.cli.flags import FLAGS
from tfprof.cli.parser import SWITCHES, Flag, OptionLike
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import OPTIONS, did_you_mean
from tfprof.errors import OptionError

_FILES = ("path", "paths", "text")

_BASH = """\
# bash completion for tfprof, made by: tfprof completion bash
_tfprof() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" item before
  # bash splits --name=value at the equals sign.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi
  item="${cur##*,}"
  before="${cur%"$item"}"
  COMPREPLY=()
  case "$prev" in
@CASES@
    completion) COMPREPLY=($(compgen -W "@SHELLS@" -- "$cur")); return ;;
    help) COMPREPLY=($(compgen -W "@TOPICS@" -- "$cur")); return ;;
  esac
  case "$cur" in
    --*) COMPREPLY=($(compgen -W "@DASHED@" -- "$cur")) ;;
    -*) COMPREPLY=($(compgen -P - -W "@NAMES@" -- "${cur#-}")) ;;
    *) COMPREPLY=($(compgen -W "@COMMANDS@" -- "$cur")) ;;
  esac
}
complete -F _tfprof tfprof
"""

_ZSH = """\
#compdef tfprof
# zsh completion for tfprof, made by: tfprof completion zsh
_tfprof() {
  local -a commands
  commands=(
@COMMANDS@
  )
  _arguments \\
@FLAGS@
    '1: :{_describe command commands}' \\
    '*:topic:(@TOPICS@)'
}
if [[ $funcstack[1] == _tfprof ]]; then _tfprof "$@"; else compdef _tfprof tfprof; fi
"""


def script(choices: Sequence[str]) -> str:
    """The script of the shell that is named."""
    if len(choices) != 1 or choices[0] not in SCRIPTS:
        near = did_you_mean(choices[0], SCRIPTS) if choices else ""
        raise OptionError(f"'completion' needs a shell: {', '.join(SCRIPTS)}{near}")
    return SCRIPTS[choices[0]]()


def _commands() -> dict[str, str]:
    return {n: _plain(c.help) for n, c in COMMANDS.items() if c.where != "shell"}


def _flags() -> Iterator[tuple[OptionLike, str]]:
    for name, flag in FLAGS.items():
        about = flag.help if isinstance(flag, Flag) else OPTIONS[name].help
        yield flag, _plain(about)


def _plain(text: str) -> str:
    """Text without what the shells would take for syntax."""
    return text.translate(str.maketrans("[]:", "(),", "'\"`$\\"))


def _values(flag: OptionLike) -> tuple[str, ...]:
    """The choices that an option takes, if they are known."""
    if flag.kind == "select":
        return tuple(METRICS)
    if flag.kind == "order":
        return orders()
    if flag.kind != "output":
        return ()
    from tfprof.outputs import OUTPUTS

    return tuple(f"{name}:outfile=" if o.required else name for name, o in OUTPUTS.items())


def _fill_template(template: str, **parts: str) -> str:
    for name, text in parts.items():
        template = template.replace(f"@{name}@", text)
    return template


def _bash() -> str:
    flags = [flag for flag, _ in _flags()]
    cases = []
    for flag in flags:
        choices = " ".join(_values(flag))
        if flag.kind in _FILES:
            action = 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$item"))'
        elif choices:
            action = f'COMPREPLY=($(compgen -P "$before" -W "{choices}" -- "$item"))'
            action += "; compopt -o nospace" if flag.kind != "order" else ""
        else:
            action = ":"
        if flag.kind not in SWITCHES:
            cases.append(f"    --{flag.name}|-{flag.name}) {action}; return ;;")
    return _fill_template(
        _BASH,
        CASES="\n".join(cases),
        SHELLS=" ".join(SCRIPTS),
        TOPICS=" ".join([*COMMANDS, *(f"-{name}" for name in OPTIONS)]),
        DASHED=" ".join(f"--{flag.name}" for flag in flags),
        NAMES=" ".join(flag.name for flag in flags),
        COMMANDS=" ".join(_commands()),
    )


def _zsh() -> str:
    lines = []
    for flag, about in _flags():
        both = f"'(--{flag.name} -{flag.name})'"
        if flag.kind in SWITCHES:
            lines.append(f"    {both}{{--{flag.name},-{flag.name}}}'[{about}]' \\")
            continue
        action = "_files" if flag.kind in _FILES else ""
        if flag.kind == "select":
            action = f"_values -s , {flag.name} {' '.join(_values(flag))}"
        elif _values(flag):
            action = f"({' '.join(_values(flag))})".replace(":", "\\:")
        lines.append(
            f"    {both}{{--{flag.name}=,-{flag.name}=}}'[{about}]:{flag.name}:{action}' \\"
        )
    return _fill_template(
        _ZSH,
        COMMANDS="\n".join(f"    '{name}:{about}'" for name, about in _commands().items()),
        FLAGS="\n".join(lines),
        TOPICS=" ".join([*SCRIPTS, *COMMANDS]),
    )


def _fish() -> str:
    lines = ["# fish completion for tfprof, made by: tfprof completion fish", _fish_line("-f")]
    commands = _commands()
    first = f"-n 'not __fish_seen_subcommand_from {' '.join(commands)}'"
    lines += [_fish_line(f"{first} -a {name} -d '{about}'") for name, about in commands.items()]
    for word, topics in (("completion", SCRIPTS), ("help", COMMANDS)):
        after = f"-n '__fish_seen_subcommand_from {word}'"
        lines.append(_fish_line(f"{after} -a '{' '.join(topics)}'"))
    for flag, about in _flags():
        line = f"-l {flag.name} -o {flag.name} -d '{about}'"
        choices = " ".join(_values(flag))
        if flag.kind in _FILES:
            line += " -r -F"
        elif flag.kind == "select":
            line += f" -x -a '(__fish_append , {choices})'"
        elif flag.kind not in SWITCHES:
            line += f" -x -a '{choices}'" if choices else " -x"
        lines.append(_fish_line(line))
    return "\n".join(lines) + "\n"


def _fish_line(choices: str) -> str:
    return f"complete -c tfprof {choices}"


SCRIPTS: dict[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""A writer for each shell."""
