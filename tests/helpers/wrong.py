"""What the tables of wrong inputs share: a case, and how its folder is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from helpers.hostile import OLDER, configuration, write

USAGE, UNSATISFIABLE, INPUT, INTERRUPTED = 2, 3, 4, 130

GOOD = "a,b\n1,2\n1,3\n2,4\n2,5\n"
NUMBER = "<att name='a' type='number'/>"
MAPPED = "<map><entry cat='red' int='0'/><entry cat='blue' int='1'/></map>"


def number_with(*nodes: str, root: str = "[0:100]") -> str:
    """Write the column a with a hierarchy on line 5 of the configuration, its nodes on the lines below."""
    return f"<att name='a'><vgh value='{root}'>\n" + "\n".join(nodes) + "</vgh></att>"


@dataclass(frozen=True)
class Wrong:
    """One wrong input: what differs from a good one, and what must be said about it."""

    rule: str
    says: tuple[str, ...]
    status: int = USAGE
    data: str | bytes | None = GOOD
    config: str | bytes | None = field(default_factory=configuration)
    arguments: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    """Texts that no message may show."""
    others: tuple[tuple[str, str | bytes], ...] = ()
    """Further files of the folder, by their names."""


def prepare(case: Wrong, folder: Path) -> list[str | Path]:
    """Make the folder of a case, with an older release, and return the arguments of its run."""
    write(folder / "out.csv", OLDER)
    for name, content in case.others:
        write(folder / name, content)
    if case.data is not None:
        write(folder / "in.csv", case.data)
    if case.config is not None:
        write(folder / "c.xml", case.config)
    if case.arguments and not case.arguments[0].startswith("-"):
        return [*case.arguments]
    return ["-config", "c.xml", *case.arguments]
