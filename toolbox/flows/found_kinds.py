"""What columns of plain text hold, where options name them and nobody says it."""

from __future__ import annotations

from sqlalchemy import FromClause, and_, not_, select

from toolbox.config.compatibility import OUR_OWN
from toolbox.config.model import Attribute, Config
from toolbox.flows.declared import require_declared
from toolbox.flows.threads import few_threads
from toolbox.queries.numbers import Figures
from toolbox.store.calendars import calendar_of, date_kind
from toolbox.store.inputs import InputFiles
from toolbox.store.layout import find_columns
from toolbox.store.missing import MissingValues
from toolbox.store.nature import Clues, nature_of
from toolbox.store.room import file_errors
from toolbox.store.separators import with_separator
from toolbox.store.store import Store

_LOOKED_AT = 300_000
"""Records by which a column is judged; a run says which later values do not fit."""


def found_kinds(config: Config) -> tuple[dict[str, str], list[str]]:
    """Return numbers, categories, dates or timestamps for columns of options that say nothing of what they hold.

    These are the quasi-identifiers, and the sensitive attributes that a privacy model judges. The columns are looked
    for as well, so that a wrong name is told before anything else is read.

    Returns
    -------
    kinds : dict of str to str
        Kinds by the name of the column, or its position where the input has no header; those of dates with their
        format.
    notes : list of str
        By which format dates are read.

    Raises
    ------
    ToolboxError
        If the input cannot be read, or has no such columns.
    """
    config = with_separator(config)
    source = config.input
    if source is None or source.remote is not None or config.compatibility is not OUR_OWN:
        return {}, []
    files = InputFiles(source)
    with (
        Store(config.limits.temp_dir, few_threads(config.limits, files)) as store,
        file_errors(store.folder),
        files.being_read(),
    ):
        records = files.source(store)
        layout = find_columns(config, records)
        require_declared(config, layout)
        judged = {requirement.attribute for requirement in config.requirements}
        sensitive = zip(config.sensitive, layout.sensitive, strict=True)
        columns: list[tuple[Attribute, int]] = [
            *zip(config.quasi_identifiers, layout.quasi_identifiers, strict=True),
            *((attribute, position) for attribute, position in sensitive if str(attribute.column) in judged),
        ]
        open_columns = [one for one in columns if records.kinds[one[1]] is None and _is_open(one[0])]
        if not open_columns:
            return {}, []
        relation = records.relation()
        names = [f"c{position}" for _, position in open_columns]
        sample = store.create("looked_at", select(*(relation.c[name] for name in names)).limit(_LOOKED_AT))
        found = {
            _key(attribute): _kind_of(store, attribute, sample, name, config)
            for (attribute, _), name in zip(open_columns, names, strict=True)
        }
    kinds = {name: kind for name, (kind, _) in found.items() if kind is not None}
    return kinds, [note for _, note in found.values() if note is not None]


def _is_open(attribute: Attribute) -> bool:
    """Return whether an option declares a column, and nothing says what it holds."""
    says_nothing = attribute.kind is None and attribute.hierarchy is None and attribute.categories is None
    return says_nothing and attribute.column.line == 0


def _key(attribute: Attribute) -> str:
    column = attribute.column
    return str(column.index) if column.index is not None else str(column.name)


def _kind_of(
    store: Store, attribute: Attribute, sample: FromClause, name: str, config: Config
) -> tuple[str | None, str | None]:
    """Return what the values of a column are, and what is to be said of it; None if it has no values."""
    missing, declared = MissingValues.of(config), config.input
    assert declared is not None
    text = sample.c[name]
    present = and_(text.is_not(None), not_(missing.test(attribute, text)))
    texts = store.create("looked_at_texts", select(text.label("text")).where(present).distinct())
    try:
        if not store.count(texts):
            return None, None
        figures = Figures(declared.decimal, declared.thousands)
        # Its values alone are asked, not what is declared besides.
        bare = Attribute(column=attribute.column, kind=None)
        kind = nature_of(store, bare, texts, Clues(figures=figures)).kind
        if kind == "number" or (unit := date_kind(store, texts)) is None:
            return kind, None
        dates = calendar_of(store, bare, texts, unit, zone=None, is_typed=False)
        return f"{unit} {dates.calendar.format or ''}".strip(), dates.note
    finally:
        store.drop(texts)
