"""What could stand where the cursor is, and the script by which a shell asks for it."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, get_args

from toolbox.cli.options.commands import ACTIONS, COMMANDS, Command
from toolbox.cli.options.parser import find_option_key
from toolbox.cli.options.reader import parse_names
from toolbox.cli.output.streams import print_out
from toolbox.config.values import Option
from toolbox.errors import UsageError, did_you_mean
from toolbox.hierarchy.builders.builder import quote_listed

# The command `completion`: a script for a shell, which asks this program what could stand where the cursor is.

# The shell answers for files; the first line of an answer says so, or what the other lines are.
_BASH: Final = r"""
_toolbox() {
    local IFS=$'\n' index word joined=
    local words=() answer=()
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
    # Line by line: an array of $(..) would expand a column that is called * to the names of files.
    while read -r word; do
        answer+=("$word")
    done <<< "$("${COMP_WORDS[0]}" completion answer bash "${words[@]}" 2>/dev/null)"
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


# What could stand where the cursor is: commands, options, their values, and the columns of the table that is named.

_CHOICES: Final = re.compile(r"[a-z0-9-]+(?:\|[a-z0-9-]+)*")
_FILES: Final = ("FILE", "FOLDER", "DATA", "RELEASE", "ORIGINAL")
_FIRST_WORDS: Final = MappingProxyType({"SHELL": SCRIPTS, "ACTION": ACTIONS})
_SPECIAL: Final = re.compile(r"[^\w@%+=:,./-]")
_SPECIAL_IN_QUOTES: Final = re.compile(r'[\\"$`]')
_OF_FILES: Final = ("input", "original")


@dataclass(frozen=True)
class Completions:
    """What could stand there."""

    kind: Literal["files", "words", "open"]
    """Files, which the shell knows; whole words; or words that go on."""
    words: Sequence[str] = ()


def answer_for(shell: str, line: Sequence[str]) -> list[str]:
    """Return the lines of an answer, as the script of a shell reads them.

    Parameters
    ----------
    line : sequence of str
        The words behind the name of the program; the last one is not complete.
    """
    plain = [_remove_quotes(word) for word in line] if shell == "bash" else list(line)
    found = answer_to(plain)
    # A candidate that holds a line end or moves the cursor is none.
    words = [word for word in found.words if word.isprintable()]
    if shell == "bash":
        words = [_quote_for_bash(word, line[-1]) for word in words]
    return [found.kind, *words]


def answer_to(line: Sequence[str]) -> Completions:
    """Return what could stand in the place of the last word of a line.

    Examples
    --------
    >>> answer_to(["che"]).words, answer_to(["anonymize", "--order", "s"]).words
    (['check'], ['shuffled', 'sorted'])
    """
    *before, current = line
    if not before and not current.startswith("-"):
        return Completions("words", _filter_by_beginning(COMMANDS, current))
    name = "anonymize"
    if before and not before[0].startswith("-"):
        name, before = before[0].lower(), before[1:]
    if name not in COMMANDS:
        return Completions("files")
    return _complete_command(COMMANDS[name], before, current)


def _complete_command(command: Command, before: Sequence[str], current: str) -> Completions:
    known = {find_option_key(option.name): option for option in command.options}
    waiting, files = _read(before, known)
    if waiting is not None:
        return _complete_value(waiting, current, files)
    if not current.startswith("-"):
        first = _FIRST_WORDS.get(command.files[0]) if command.files else None
        is_first = all(word.startswith("-") for word in before)
        return (
            Completions("words", _filter_by_beginning(first, current)) if first and is_first else Completions("files")
        )
    written, equals, value = current.partition("=")
    if not equals:
        return Completions("words", _filter_by_beginning(_list_flags(command, current), current))
    option = known.get(find_option_key(written))
    if option is None or option.metavar is None:
        return Completions("words")
    found = _complete_value(option, value, files)
    return Completions(found.kind, [f"{written}={word}" for word in found.words])


def _list_flags(command: Command, current: str) -> list[str]:
    flags = [flag for option in command.options for flag in option.flags]
    return [flag for flag in [*flags, "--help", "--version"] if flag.startswith("--") or not current.startswith("--")]


def _read(before: Sequence[str], known: dict[str, Option]) -> tuple[Option | None, list[Path]]:
    """Return the option that waits for its value, and the tables that are named."""
    waiting: Option | None = None
    named: list[str] = []
    for word in before:
        if waiting is not None:
            named += [word] if waiting.name in _OF_FILES else []
            waiting = None
        elif word.startswith("-") and word != "-":
            written, equals, value = word.partition("=")
            option = known.get(find_option_key(written))
            if option is not None and option.metavar is not None and not equals:
                waiting = option
            elif option is not None and option.name in _OF_FILES:
                named.append(value)
        else:
            named.append(word)
    return waiting, [path for path in map(Path, named) if path.is_file()]


def _complete_value(option: Option, current: str, files: Sequence[Path]) -> Completions:
    """Return what the value of an option could be."""
    metavar = option.metavar or ""
    if (list_names := _LISTS.get(option.name)) is not None:
        return Completions("words", _filter_by_beginning(list_names(), current))
    if _CHOICES.fullmatch(metavar):
        return Completions("words", _filter_by_beginning(metavar.split("|"), current))
    if metavar in _FILES:
        return Completions("files")
    if metavar == "NAMES":
        return _complete_list(current, files)
    if metavar.startswith("NAME=") and option.name not in ("set", "engine-set"):
        return _pair(option, current, files)
    return Completions("words")


def _complete_list(current: str, files: Sequence[Path]) -> Completions:
    """Return the columns that could come next in a list."""
    cut = _find_last_comma(current) + 1
    done, last = current[:cut], current[cut:].lstrip()
    used = parse_names(done) or ()
    names = [name for name in _read_columns(files) if name not in used]
    return Completions("open", [f"{done}{name}" for name in _complete_names(names, last)])


def _pair(option: Option, current: str, files: Sequence[Path]) -> Completions:
    """Return the columns, or what could stand behind their equals sign."""
    name, equals, value = current.rpartition("=")
    if not equals:
        return Completions("open", [f"{word}=" for word in _complete_names(_read_columns(files), current)])
    if option.name == "kind":
        return Completions("words", [f"{name}={kind}" for kind in _filter_by_beginning(_list_kinds(), value)])
    if option.name == "hierarchy":
        builders = _filter_by_beginning(_list_builders(), value)
        return Completions("open", [f"{name}={builder}" for builder in builders]) if builders else Completions("files")
    return Completions("words")


def _filter_by_beginning(words: Iterable[str], current: str) -> list[str]:
    return [word for word in words if word.lower().startswith(current.lower())]


def _complete_names(names: Iterable[str], current: str) -> list[str]:
    """Return the names that begin so, in quotes where they need them, whether or not these are typed already."""
    return [quote_listed(name) for name in names if _filter_by_beginning((quote_listed(name), name), current)]


def _find_last_comma(text: str) -> int:
    """Return the place of the last comma that is not in quotes, or -1."""
    is_quoted, place = False, -1
    for index, letter in enumerate(text):
        is_quoted ^= letter == '"'
        if letter == "," and not is_quoted:
            place = index
    return place


def _list_methods() -> list[str]:
    from toolbox.report.runs.installed import build_installed_document

    return sorted(
        name for method in build_installed_document()["methods"] for name in method["aliases"] or [method["name"]]
    )


def _list_models() -> list[str]:
    from toolbox.report.runs.installed import build_installed_document

    return sorted(model["name"] for model in build_installed_document()["privacy_models"])


def _list_formats() -> Iterable[str]:
    from toolbox.config.formats import FORMATS

    return FORMATS.names


def _list_engines() -> Iterable[str]:
    from toolbox.config.urls import ENGINES

    return ENGINES.names


_LISTS: Final[Mapping[str, Callable[[], Iterable[str]]]] = {
    "method": _list_methods,
    "output-format": _list_formats,
    "model": _list_models,
    "engine": _list_engines,
}
"""What is installed, for the options that name it."""


def _list_kinds() -> Iterable[str]:
    from toolbox.config.model import Kind

    return get_args(Kind)


def _list_builders() -> Iterable[str]:
    from toolbox.hierarchy.builders.words import BUILDERS

    return BUILDERS.names


def _read_columns(files: Sequence[Path]) -> Sequence[str]:
    """Return the header of the first table that is named; nothing if it cannot be read at once."""
    # Whatever is wrong is told by the run, not in the middle of a line that is being typed.
    with suppress(Exception):
        from toolbox.flows.arguments.tables import read_header

        for path in files:
            return read_header([path])
    return ()


def _remove_quotes(word: str) -> str:
    """Return what bash makes of a word, also of one whose quotes are still open."""
    for closing in ("", '"', "'"):
        with suppress(ValueError):
            return "".join(shlex.split(word + closing, posix=True)[:1])
    return word


def _quote_for_bash(word: str, raw: str) -> str:
    """Write a candidate as bash puts it into the line: only what follows its last cut, and quoted as it is there."""
    if raw.startswith("'"):
        return word.replace("'", r"'\''")
    if raw.startswith('"'):
        return _SPECIAL_IN_QUOTES.sub(lambda letter: f"\\{letter[0]}", word)
    cut = max(raw.rfind("="), raw.rfind(":")) + 1
    done = len(_remove_quotes(raw[:cut])) if cut else 0
    return _SPECIAL.sub(lambda letter: f"\\{letter[0]}", word[done:])
