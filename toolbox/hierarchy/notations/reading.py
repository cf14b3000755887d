"""Hierarchy files in any notation of text: which one it is, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from toolbox.errors import ConfigurationError, Fault
from toolbox.hierarchy.notations.pairs import convert_pairs, is_child_parent
from toolbox.hierarchy.notations.rules import RuleFile, is_rules, parse_rules
from toolbox.hierarchy.rows import Row, is_header, read_text, require_table, split_rows
from toolbox.messages import choose_setting_name

Notation = Literal["arx", "utd", "rules", "child-parent"]
NOTATIONS: Final[tuple[Notation, ...]] = get_args(Notation)
UTD: Final = "utd"
"""The notation in which the XML of a configuration writes a hierarchy."""


class ReadRows(NamedTuple):
    """What a file holds."""

    rows: list[Row]
    note: str
    """What its author should know of how it was read; may be empty."""


def guess_notation(path: Path) -> Notation:
    """Guess the notation of a file from its content.

    Raises
    ------
    ConfigurationError
        If it cannot be read as text.
    """
    text = read_text(path)
    if text.lstrip().startswith("<"):
        return UTD
    if is_rules(text):
        return "rules"
    return "child-parent" if is_child_parent(split_rows(text, str(path))) else "arx"


def read_notation(
    paths: Sequence[Path], notation: Notation, *, header: bool | None = None, name: str | None = None
) -> ReadRows:
    """Read rows of a value and its labels, in any notation except XML.

    Parameters
    ----------
    paths : sequence of Path, length >= 1
        Several only for rules, a level each.
    header : bool, optional
        Whether the first line names columns.
    name : str, optional
        Of the column, with which a header may begin.

    Raises
    ------
    ConfigurationError
        With all faults of the file, by line.
    """
    source = str(paths[0])
    if notation == "rules":
        files = [RuleFile(str(path), read_text(path)) for path in paths]
        return ReadRows(parse_rules(files, " and ".join(map(str, paths))), "")
    rows = split_rows(read_text(paths[0]), source)
    if notation == "child-parent":
        found = convert_pairs(rows, source, header=header)
        is_added = found[0].fields[-1] not in {row.fields[-1] for row in rows}
        return ReadRows(found, "Several texts have no parent: a root * is put above them." if is_added else "")
    rows = require_table(rows, source)
    told = choose_setting_name("Write --header yes or --header no.", python="Write header=True or header=False.")
    skips_first = is_header(rows, source, name, told) if header is None else header
    if not skips_first:
        return ReadRows(rows, "")
    if len(rows) == 1:
        raise ConfigurationError(
            source, [Fault(rows[0].line, "The file has a header, and no row.", "Write a row per value.")]
        )
    otherwise = choose_setting_name("--header no", python="header=False")
    note = "" if header else f"Line {rows[0].line} is taken for a header, and left out. {otherwise} takes it for a row."
    return ReadRows(require_table(rows[1:], source), note)
