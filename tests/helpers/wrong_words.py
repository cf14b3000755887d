"""Each option of each command, and each argument of each call, with words that are wrong or odd: what is said."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from helpers.running import Finished, run_in_process

from toolbox.cli.options.commands import COMMANDS
from toolbox.config.values import Option

ODD: Final[tuple[tuple[str, ...], ...]] = (
    (),
    ("--",),
    ("abc",),
    ("-1",),
    ("99999999999999999999999",),
    ("a", "b"),
    ("a, b",),
)
"""Nothing, two dashes, a word, a negative and a huge number, a list with blanks between words or within one."""
_QUOTED: Final = re.compile(r"'[^']*'|(?<![\w.])(?:abc|-1|--|a, b|9{23})(?![\w.-])")
_JUDGED: Final = ("--qi", "age,town", "--sensitive", "illness")
_BY_NAME: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "anonymize": ("people.csv", *_JUDGED, "-k", "2", "-output", "made.csv"),
        "apply": ("people.json", "people.csv", "-output", "made.csv"),
        "recoding": ("show", "people.json"),
        "check": ("release.csv", *_JUDGED),
        "measure": ("people.csv", "release.csv", *_JUDGED),
        "risk": ("release.csv", *_JUDGED, "--original", "people.csv"),
        "report": ("release.csv", *_JUDGED, "--html", "made.html"),
        "init": ("people.csv", "-o", "made.xml"),
        "detect": ("people.csv",),
        "singletons": ("people.csv", "--qi", "age,town"),
        "hierarchy": ("show", "town.csv"),
        "compare": ("people.csv", *_JUDGED, "--methods", "Mondrian", "-k", "2"),
        "experiment": ("study.toml",),
        "app": ("people.csv",),
        "completion": ("bash",),
        "key": ("new", "people.key"),
        "methods": (),
    }
)
_ONLY_FOR: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "to": ("export", "town.csv"),
        "output": ("export", "town.csv"),
        "column": ("check", "town.csv", "people.csv"),
        "decimal": ("check", "town.csv", "people.csv", "--column", "town"),
    }
)
"""What `hierarchy` is asked where an option means nothing to `show`."""
_PEOPLE: Final = "age,town,illness\n" + "".join(
    f"{age},{town},{illness}\n"
    for age, town, illness in zip(
        (21, 22, 34, 35, 48, 49), ("Graz", "Linz") * 3, ("flu", "cold", "flu", "cold", "flu", "cold"), strict=True
    )
)
_RELEASE: Final = "age,town,illness\n" + "".join(
    f"{age},*,{illness}\n"
    for age, illness in zip(("20-29", "20-29", "30-39", "30-39", "40-49", "40-49"), ("flu", "cold") * 3, strict=True)
)


def write_tables(folder: Path) -> None:
    """Write what the commands name."""
    (folder / "people.csv").write_text(_PEOPLE, encoding="utf-8")
    (folder / "release.csv").write_text(_RELEASE, encoding="utf-8")
    line = ("people.csv", *_JUDGED, "-k", "2", "-output", "made.csv", "--save-recoding", "people.json", "--quiet")
    run_in_process("anonymize", *line, cwd=folder)
    (folder / "made.csv").unlink()
    (folder / "town.csv").write_text("Graz;South;*\nLinz;North;*\n", encoding="utf-8")


def wrong_lines() -> Iterator[tuple[str, Option, tuple[str, ...]]]:
    """Yield each command with each of its options and each odd value; of a switch, with a value that it has not."""
    for command in COMMANDS:
        for option in COMMANDS[command].options:
            for words in ODD if option.metavar else (("abc",),):
                yield command, option, words


def line_of(command: str, option: Option, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is typed behind the name of the program."""
    before = _BY_NAME[command]
    if command == "hierarchy":
        before = _ONLY_FOR.get(option.name, before)
    if option.name == "config":
        before = before[:1] if command in ("check", "measure", "risk", "report", "hierarchy") else ()
    if option.metavar is None:
        return (command, *before, f"{option.flags[0]}={words[0]}")
    return (command, *before, option.flags[0], *words)


def said_of(line: tuple[str, ...], folder: Path) -> Finished:
    """Run one line in a folder, and remove what it made there."""
    before = set(folder.iterdir())
    finished = run_in_process(*line, cwd=folder)
    for made in set(folder.iterdir()) - before:
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    return finished


def is_taken(finished: Finished) -> bool:
    """Return whether a line was done, also where what it judges does not hold."""
    return finished.status == 0 or (finished.status == 3 and not finished.stderr.startswith("toolbox: This is a fault"))


def listed(said: Iterable[tuple[str, str]]) -> str:
    """Write each message once, below the first line that is told it; only values in quotes make no other message."""
    first: dict[str, str] = {}
    for line, message in said:
        first.setdefault(_QUOTED.sub("", message), f"{line}\n    {message.replace(chr(10), chr(10) + '    ')}")
    return "\n".join([*first.values(), ""])


def kinds_in(text: str) -> set[str]:
    """Return the messages of such a list without their values in quotes."""
    blocks = re.split(r"\n(?=\S)", text.rstrip("\n"))
    return {_QUOTED.sub("", block.partition("\n    ")[2].replace("\n    ", "\n")) for block in blocks}


def kind_of(message: str) -> str:
    """Return a message without its values in quotes."""
    return _QUOTED.sub("", message)
