"""The hierarchy that `toolbox hierarchy` is asked about: a file in any notation, or a column of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from toolbox.errors import UsageError, quote
from toolbox.flows.column_counts import counts_by_name
from toolbox.flows.hierarchy_asked import IN_MEMORY, Asked, IntervalTree, Subject, set_beside
from toolbox.flows.hierarchy_declared import declared_subject
from toolbox.hierarchy.finding import Finding, remark
from toolbox.hierarchy.from_file import hierarchy_of_rows, why_categories
from toolbox.hierarchy.notations.reading import UTD, notation_of, read_notation
from toolbox.hierarchy.outline import outline_of_rows
from toolbox.hierarchy.rows import Row, checked
from toolbox.messages import either


def subject_of(asked: Asked, *, with_input: bool = False) -> Subject:
    """Read the hierarchy, and the column of the data if any are named.

    Parameters
    ----------
    with_input : bool
        Whether the input of a configuration is read where no other table is named.

    Raises
    ------
    ToolboxError
    """
    if asked.config is None and asked.data is not None and asked.column is None:
        data = quote(str(asked.data)) if isinstance(asked.data, Path) else "the data"
        raise UsageError(
            f"Nothing says which column of {data} is meant. Write {either('--column NAME', python='column=')}."
        )
    if asked.config is not None:
        return declared_subject(asked, asked.config, with_input=with_input)
    if asked.rows is not None:
        return _of_rows(asked, checked(list(asked.rows), IN_MEMORY), [])
    if not asked.files:
        raise UsageError("Nothing names the hierarchy. Write its file, or -config FILE --column NAME.")
    notation = asked.notation or notation_of(asked.files[0])
    if notation == UTD:
        return _of_document(asked, asked.files[0])
    read = read_notation(asked.files, notation, header=asked.header, name=asked.column)
    remarks = [remark("header", 0, read.note)] if read.note else []
    if notation != "arx":
        text = f"The file is written as {notation}, which a run does not read. toolbox hierarchy import makes a table."
        remarks.append(remark("notation", 0, text))
    return _of_rows(asked, read.rows, remarks)


def _of_rows(asked: Asked, rows: Sequence[Row], remarks: Sequence[Finding]) -> Subject:
    name = str(asked.files[0]) if asked.files else IN_MEMORY
    kind = hierarchy_of_rows(rows, name, None).kind
    reasons = [
        remark("order", reason.line, f"The values look like numbers, and are taken as categories. {reason.found}")
        for reason in why_categories(rows)[:1]
    ]
    subject = Subject(
        name=name,
        column=asked.column or (asked.files[0].stem if asked.files else "column"),
        kind=kind,
        outline=outline_of_rows(rows),
        remarks=(*remarks, *reasons),
    )
    return set_beside(subject, _named_counts(asked), asked.reading)


def _of_document(asked: Asked, path: Path) -> Subject:
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.hierarchy_document import read_hierarchy_document

    document = read_hierarchy_document(path)
    remarks = tuple(remark("interval", 0, text) for text in document.warnings)
    tree = IntervalTree(str(path), asked.column or path.stem, document.hierarchy, document.categories, remarks=remarks)
    return tree.subject(_named_counts(asked), asked.reading)


def _named_counts(asked: Asked) -> Mapping[str, int] | None:
    if asked.counts is not None:
        return asked.counts
    if asked.data is None or asked.column is None:
        return None
    return counts_by_name(asked.data, asked.reading, asked.column, asked.limits, asked.steps)
