"""The questions that `init` asks on a terminal: what becomes of each column, with the guess as the default."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from toolbox.report.columns import listed
from toolbox.report.suggestion import Suggestion
from toolbox.suggestions.roles import Role

if TYPE_CHECKING:
    from typing import TextIO

    from rich.console import Console

_WORDS: Final[Mapping[Role, str]] = MappingProxyType(
    {"identifier": "id", "quasi-identifier": "qid", "sensitive": "sens", "as it is": "asis"}
)
_ANSWERS: Final[Mapping[str, Role]] = MappingProxyType(
    {word: role for role, word in _WORDS.items()} | {role: role for role in _WORDS} | {"drop": "identifier"}
)
_EXPLAINED: Final = """\
  id     drop it: it names or reaches a person
  qid    others may know it: generalise it, so that people hide among others
  sens   release it as it is: it is what the release is made for, and nobody else knows it
  asis   release it as it is: it says nothing of a person
  Enter takes the guess, a takes this one and all that follow, b goes back, q leaves and writes nothing.
"""


def chosen_roles(
    suggestion: Suggestion, console: Console | None = None, stream: TextIO | None = None
) -> Mapping[int, Role] | None:
    """Ask for the role of each column.

    Parameters
    ----------
    suggestion : Suggestion
        Its roles are the defaults.
    console : Console, optional
        Where the questions go; by default standard output.
    stream : text file, optional
        Where the answers come from; by default standard input.

    Returns
    -------
    mapping of position to role, optional
        The roles that were chosen; None if somebody left.
    """
    if console is None:
        from rich.console import Console

        console = Console(highlight=False)
    chosen: dict[int, Role] = {}
    console.print(f"{suggestion.plan.records:,} records. What is each column?  ? explains.\n")
    index = 0
    while index < len(suggestion.columns):
        column = suggestion.columns[index]
        console.print(f"{index + 1} of {len(suggestion.columns)}  {listed([column.name])}", style="bold", markup=False)
        console.print(f"  {column.role}, {column.sureness}: {column.why}", markup=False)
        console.print(f"  {suggestion.plan.evidence(column)}", markup=False)
        answer = _answer(console, stream, _WORDS[column.role])
        if answer is None:
            return None
        if answer == "a":
            break
        if answer == "b":
            index = max(0, index - 1)
            chosen.pop(suggestion.columns[index].profile.position, None)
            continue
        chosen[column.profile.position] = _ANSWERS[answer]
        index += 1
    return chosen


def _answer(console: Console, stream: TextIO | None, default: str) -> str | None:
    """Ask until the answer is one that is known: a role, nothing for the default, ``a`` or ``b``; None to leave."""
    while True:
        try:
            answer = console.input(f"  id, qid, sens or asis ({default}): ", markup=False, stream=stream)
        except EOFError:
            return None
        if stream is not None and not answer:
            return None  # the end of a file; an empty line still has its line end
        match answer.strip().lower():
            case "q":
                return None
            case "":
                return default
            case "a" | "b" as known:
                return known
            case known if known in _ANSWERS:
                return known
            case "?":
                pass
            case _:
                console.print("  That is not one of the answers:", markup=False)
        console.print(_EXPLAINED, markup=False)
