"""The completion script for zsh."""

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
from tfprof.cli.parser import SWITCHES, OptionLike

_TEMPLATE = """\
#compdef tfprof
# zsh completion for tfprof, made by: tfprof completion zsh
_tfprof_outputs() {
  if compset -P '*outfile='; then _files; return; fi
  local -a outputs
  outputs=(@OUTPUTS@)
  compadd -S '' -a outputs
}
_tfprof_words() {
  local -a choices
  case $command in
    completion) compadd @SHELLS@; return ;;
    help) compadd -- @TOPICS@; return ;;
    advise) compadd @CHECKERS@; return ;;
    diff) compadd @VIEWS@ ;;
    '')
      choices=(
@COMMANDS@
      )
      _describe command choices ;;
  esac
  _files
}
_tfprof() {
  local word command=''
  for word in ${words[2,CURRENT-1]}; do
    case $word in
      @NAMES@) command=$word; break ;;
    esac
  done
  local -A specs
  specs=(
@SPECS@
  )
  local -a names flags
  case $command in
@FLAGS@
    *) names=(${(k)specs}) ;;
  esac
  for word in $names; do
    flags+=("(--$word -$word)--$word${specs[$word]}" "(--$word -$word)-$word${specs[$word]}")
  done
  [[ $command == help ]] && flags=()
  _arguments $flags '*: :_tfprof_words'
}
if [[ $funcstack[1] == _tfprof ]]; then _tfprof "$@"; else compdef _tfprof tfprof; fi
"""


def zsh_script(shells: Sequence[str]) -> str:
    """The script for zsh."""
    return fill_template(
        _TEMPLATE,
        OUTPUTS=" ".join(_output_choices()),
        SHELLS=" ".join(shells),
        TOPICS=" ".join(topics()),
        CHECKERS=" ".join(checkers()),
        VIEWS=" ".join(views()),
        COMMANDS="\n".join(f"        '{name}:{about}'" for name, about in command_help().items()),
        NAMES="|".join(command_help()),
        SPECS="\n".join(f"    {flag.name} '{_spec(flag, about)}'" for flag, about in flag_help()),
        FLAGS="\n".join(
            f"    {'|'.join(names)}) names=({' '.join(flags)}) ;;"
            for flags, names in commands_by_flags().items()
        ),
    )


def _output_choices() -> Iterator[str]:
    for flag, _ in flag_help():
        if flag.kind == "output":
            yield from values(flag)


def _spec(flag: OptionLike, about: str) -> str:
    """What `_arguments` is told of an option, after its name."""
    if flag.kind in SWITCHES:
        choices = " ".join(values(flag))
        return f"=-[{about}]::{flag.name}:({choices})" if choices else f"[{about}]"
    action = "_files" if flag.kind in FILES else " "
    if flag.kind == "paths":
        action = "_sequence _files"
    elif flag.kind == "output":
        action = "_tfprof_outputs"
    elif flag.kind == "select":
        action = f"_values -s , {flag.name} {' '.join(values(flag))}"
    elif values(flag):
        action = f"({' '.join(values(flag))})"
    return f"=[{about}]:{flag.name}:{action}"
