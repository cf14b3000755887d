"""The groups of an anatomy, read back from its two tables: `check` judges them, as nothing else hides people."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError, UsageError
from toolbox.flows.question import Question
from toolbox.published.records import Records
from toolbox.published.release import classes_of
from toolbox.published.tables import Release
from toolbox.store.inputs import InputFiles
from toolbox.store.layout import find_columns
from toolbox.store.source import Source
from toolbox.store.store import Store

_GROUP = "group"


def groups_of(question: Question, store: Store) -> Release:
    """Form the groups of an anatomy as classes, with the sensitive values that each holds.

    Records that show nothing but roots in the table of the quasi-identifiers are suppressed, and so is their group.

    Raises
    ------
    InputError
        If one of the tables cannot be read.
    """
    release, hidden = _groups(question, store), _hidden(question, store)
    cells, classes = release.cells[0], release.classes
    is_hidden = classes.c.cell_1.in_(select(cells.c.cell_id).where(cells.c.text.in_(hidden)))
    columns = [is_hidden.label(column.name) if column.name == "suppressed" else column for column in classes.c]
    return replace(release, classes=store.create("classes", select(*columns)))


def _groups(question: Question, store: Store) -> Release:
    """Read the table of the sensitive values, whose first column is the group."""
    source = _source(question, store, of_quasi_identifiers=False)

    def value(position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        return question.missing.value(question.sensitive[position - 1], text) if position else text

    counted = Records(store, source, (0, *_sensitive(question, store, source)), value=value).counted
    names = [str(attribute.column) for attribute in question.sensitive]
    return classes_of(store, counted, name=source.name, quasi_identifiers=[_GROUP], sensitive=names)


def _hidden(question: Question, store: Store) -> list[str]:
    """Find the suppressed groups in the table of the quasi-identifiers, whose last column is the group."""
    source = _source(question, store, of_quasi_identifiers=True)
    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    counted = Records(store, source, range(len(names) + 1)).counted
    release = classes_of(
        store, counted, name=source.name, quasi_identifiers=names, sensitive=[_GROUP], roots=question.roots
    )
    held, classes = release.held, release.classes
    groups = select(held.c.text_1).distinct().where(classes.c.suppressed)
    joined = groups.join_from(held, classes, classes.c.equivalence_id == held.c.equivalence_id)
    return [group for (group,) in store.rows(joined)]


def _source(question: Question, store: Store, *, of_quasi_identifiers: bool) -> Source:
    first, second = question.config.output.format.suffixes
    table = question.table(first if of_quasi_identifiers else second)
    assert table is not None, "a release in files has both tables"
    return InputFiles(table).source(store)


def _sensitive(question: Question, store: Store, source: Source) -> Sequence[int]:
    """Find the sensitive attributes among the columns that pass through, which follow the group.

    Raises
    ------
    UsageError
        If only the original records could tell where one is, and they cannot be read.
    """
    with suppress(InputError):
        if question.original is not None:
            layout = find_columns(question.config, InputFiles(question.original).source(store))
            return [1 + layout.passed_through.index(position) for position in layout.sensitive]
    headers = list(source.headers or ())
    for attribute in question.sensitive:
        if headers.count(str(attribute.column)) != 1:
            raise UsageError(
                f"{source.name}: only the original records tell which column is {attribute.column}, "
                "and they cannot be read. "
                "Put them where the configuration says, or judge the table with --qi group --sensitive NAME."
            )
    return [headers.index(str(attribute.column)) for attribute in question.sensitive]
