"""Columns: which one an ``att`` names, and that none is declared twice."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from lxml import etree

from toolbox.config import values
from toolbox.config.document import attribute, line_of
from toolbox.config.given import Findings
from toolbox.config.model import Column
from toolbox.errors import quote


def read_column(att: etree._Element, *, has_names: bool, findings: Findings) -> Column:
    """Return the column of one ``att``.

    Parameters
    ----------
    att : element
    has_names : bool
        Whether the input names its columns, so that a name alone finds one.
    findings : Findings
        A column without index and name comes with a fault.
    """
    index = attribute(att, "index")
    name = att.get("name")
    line = line_of(att)
    if name is not None and not name.strip():
        findings.fault(line, f"name={quote(name)} is empty.", "Write the column's header, or remove name=.")
        name = None
    elif index is None and name is None:
        findings.fault(line, "<att> names no column.", "Add index='...', the column's position from 0, or name='...'.")
    if index is None and name is not None and not has_names:
        problem = f"The column {quote(name)} is named by its header, but the input has none."
        findings.fault(line, problem, "Add index='...', or header='true' to <input> if its first line holds the names.")
    position = findings.read(index, partial(values.integer, minimum=0), None)
    return Column(index=position, name=name, line=line)


def check_distinct(sections: Iterable[tuple[str, Column]], findings: Findings) -> None:
    """Note each column that an earlier ``att`` of any section has declared already."""
    seen: dict[int | str, tuple[str, Column]] = {}
    for section, column in sections:
        # A column without a name is called by its index, which no other may have for a name.
        for key in (column.index, str(column)):
            if key is None:
                continue
            before, first = seen.setdefault(key, (section, column))
            if first is not column:
                what = f"name {quote(key)}" if isinstance(key, str) else f"column {key}"
                problem = (
                    f"The {what} is declared twice: in line {first.line} ({before}) and line {column.line} ({section})."
                )
                findings.fault(column.line, problem, "Keep one of the two.")
                break
