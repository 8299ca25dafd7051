"""The completion script for bash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.cli.completion_scripts.choices import (
    FILES,
    checkers,
    command_help,
    commands_by_flags,
    fill_template,
    flag_help,
    topics,
    values,
    views,
)
from tfprof.cli.flags import FLAGS
from tfprof.cli.parser import SWITCHES, OptionLike

_TEMPLATE = """\
# bash completion for tfprof, made by: tfprof completion bash
_tfprof_files() {
  local IFS=$'\\n'
  compopt -o filenames
  COMPREPLY+=($(compgen -P "$1" -f -- "$2"))
}
_tfprof_flags() {
  case "$1" in
@FLAGS@
  esac
}
_tfprof() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  local word item before separator="" command=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      @NAMES@) command="$word"; break ;;
    esac
  done
  COMPREPLY=()
  # bash splits --name=value and type:key=value at the equals sign and the colon.
  if [[ $cur == "=" || $cur == ":" ]]; then separator="$cur" cur=""
  elif [[ $prev == "=" || $prev == ":" ]]; then
    separator="$prev" prev="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  item="${cur##*,}"
  before="${cur%"$item"}"
  if [[ $separator == ":" ]]; then
    case "$prev" in
@KEYS@
    esac
    compopt -o nospace
    return
  fi
  case "${prev##*,}" in
    outfile) [[ $separator == "=" ]] && { _tfprof_files "" "$cur"; return; } ;;
@CASES@
  esac
  case "$command" in
    completion) COMPREPLY=($(compgen -W "@SHELLS@" -- "$cur")); return ;;
    help) COMPREPLY=($(compgen -W "@TOPICS@" -- "$cur")); return ;;
  esac
  case "$cur" in
    --*) COMPREPLY=($(compgen -P -- -W "$(_tfprof_flags "$command")" -- "${cur#--}")); return ;;
    -*) COMPREPLY=($(compgen -P - -W "$(_tfprof_flags "$command")" -- "${cur#-}")); return ;;
  esac
  case "$command" in
    advise) COMPREPLY=($(compgen -W "@CHECKERS@" -- "$cur")); return ;;
    diff) COMPREPLY+=($(compgen -W "@VIEWS@" -- "$cur")) ;;
    "") COMPREPLY+=($(compgen -W "@COMMANDS@" -- "$cur")) ;;
  esac
  _tfprof_files "" "$cur"
}
complete -F _tfprof tfprof
"""


def bash_script(shells: Sequence[str]) -> str:
    """The script for bash."""
    return fill_template(
        _TEMPLATE,
        CASES="\n".join(
            _case(flag) for flag, _ in flag_help() if values(flag) or flag.kind not in SWITCHES
        ),
        FLAGS="\n".join(_flags()),
        KEYS="\n".join(_keys()),
        SHELLS=" ".join(shells),
        TOPICS=" ".join(topics()),
        NAMES="|".join(command_help()),
        COMMANDS=" ".join(command_help()),
        CHECKERS=" ".join(checkers()),
        VIEWS=" ".join(views()),
    )


def _case(flag: OptionLike) -> str:
    """What is offered as the value of an option."""
    choices = " ".join(values(flag))
    if flag.kind in SWITCHES:
        # A command may follow as well, but not after an equals sign.
        action = f'COMPREPLY=($(compgen -W "{choices}" -- "$cur"))'
        return f'    --{flag.name}|-{flag.name}) {action}; [[ $separator == "=" ]] && return ;;'
    action = ":"
    if flag.kind in FILES:
        action = '_tfprof_files "$before" "$item"'
    elif choices:
        action = f'COMPREPLY=($(compgen -P "$before" -W "{choices}" -- "$item"))'
        action += "; compopt -o nospace" if flag.kind != "order" else ""
    return f"    --{flag.name}|-{flag.name}) {action}; return ;;"


def _flags() -> Iterator[str]:
    """The flags of each command, and all of them where there is none yet."""
    for flags, names in commands_by_flags().items():
        yield f'    {"|".join(names)}) echo "{" ".join(flags)}" ;;'
    yield f'    *) echo "{" ".join(FLAGS)}" ;;'


def _keys() -> Iterator[str]:
    """The keys of each output."""
    from tfprof.outputs import OUTPUTS

    for name, output in OUTPUTS.items():
        if output.keys:
            keys = " ".join(f"{key}=" for key in output.keys)
            yield f'      {name}) COMPREPLY=($(compgen -W "{keys}" -- "$cur")) ;;'
