"""The command `completion`: a script for a shell, which asks this program what could stand where the cursor is."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolbox.cli.streams import print_out
from toolbox.errors import UsageError, did_you_mean

# The shell answers for files; the first line of an answer says so, or what the other lines are.
_BASH: Final = r"""
_toolbox() {
    local IFS=$'\n' index word joined= answer current=${COMP_WORDS[COMP_CWORD]}
    local words=()
    # bash cuts a word at = and :, which here belong to it.
    for ((index = 1; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ ${#words[@]} -gt 0 && ( $joined || $word == [=:]* ) ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        joined=
        [[ $word == *[=:] ]] && joined=yes
    done
    answer=($("${COMP_WORDS[0]}" completion answer bash "${words[@]}" 2>/dev/null)) || return
    COMPREPLY=()
    [[ ${answer[0]} == files ]] && return
    compopt +o default 2>/dev/null
    [[ ${answer[0]} == open ]] && compopt -o nospace 2>/dev/null
    COMPREPLY=("${answer[@]:1}")
}
complete -o default -F _toolbox toolbox
"""
_ZSH: Final = r"""
#compdef toolbox
_toolbox() {
    local -a answer
    answer=("${(@f)$("${words[1]}" completion answer zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    case ${answer[1]} in
        files) compset -P '*='; _files ;;
        open) compadd -S '' -- "${(@)answer[2,-1]}" ;;
        words) (( ${#answer} > 1 )) && compadd -- "${(@)answer[2,-1]}" ;;
    esac
}
compdef _toolbox toolbox
"""
_FISH: Final = r"""
function __toolbox_answer
    set -l words (commandline -opc) (commandline -ct | string unescape)
    set -l answer ($words[1] completion answer fish $words[2..-1] 2>/dev/null)
    if test "$answer[1]" = files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $answer[2..-1]
    end
end
complete -c toolbox -f -a '(__toolbox_answer)'
"""
SCRIPTS: Final[Mapping[str, str]] = MappingProxyType({"bash": _BASH, "zsh": _ZSH, "fish": _FISH})


def completion(options: argparse.Namespace) -> int:
    """Print the script of a shell and return the exit status."""
    shells = ", ".join(SCRIPTS)
    if options.shell is None:
        raise UsageError(f"completion needs the name of a shell. Write toolbox completion bash, or one of: {shells}.")
    script = SCRIPTS.get(options.shell.lower())
    if script is None:
        hint = did_you_mean(options.shell, list(SCRIPTS))
        raise UsageError(f"There is no completion for {options.shell!r}.{hint} Write one of: {shells}.")
    print_out(script.strip())
    return 0
