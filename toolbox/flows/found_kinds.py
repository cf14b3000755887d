"""What columns of plain text hold, where options name them and nobody says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import FromClause, and_, not_, select

from toolbox.config.compatibility import OUR_OWN
from toolbox.config.model import Attribute, Config
from toolbox.flows.declared import require_declared
from toolbox.flows.threads import few_threads
from toolbox.queries.dialect import count_where
from toolbox.queries.numbers import PLAIN, Figures, is_no_number
from toolbox.queries.query import Table
from toolbox.report.columns import listed
from toolbox.store.calendars import calendar_of, date_kind
from toolbox.store.inputs import InputFiles
from toolbox.store.layout import find_columns
from toolbox.store.missing import MissingValues
from toolbox.store.nature import Clues, figures_note, figures_setting, marks_of, nature_of, other_figures
from toolbox.store.room import file_errors
from toolbox.store.separators import with_separator
from toolbox.store.store import Store

_LOOKED_AT = 300_000
"""Records by which a column is judged; a run says which later values do not fit."""


class Found(NamedTuple):
    """What columns hold of which options say nothing."""

    kinds: Mapping[str, str]
    """Kinds by the name of the column, or its position where the input has no header; of dates with their format."""
    notes: Sequence[str] = ()
    """How dates and numbers are read."""
    figures: Figures | None = None
    """How the input writes numbers, if that was found."""


def found_kinds(config: Config, *, finds_figures: bool = False) -> Found:
    """Return numbers, categories, dates or timestamps for columns of options that say nothing of what they hold.

    These are the quasi-identifiers, and the sensitive attributes that a privacy model judges. The columns are looked
    for as well, so that a wrong name is told before anything else is read.

    Parameters
    ----------
    finds_figures : bool
        Whether nobody says how the input writes numbers, so that the columns do.

    Raises
    ------
    ToolboxError
        If the input cannot be read, or has no such columns.
    """
    config = with_separator(config)
    source = config.input
    if source is None or source.remote is not None or config.compatibility is not OUR_OWN:
        return Found({})
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
            return Found({})
        relation = records.relation()
        names = [f"c{position}" for _, position in open_columns]
        sample = store.create("looked_at", select(*(relation.c[name] for name in names)).limit(_LOOKED_AT))
        texts = {
            _key(attribute): _texts_of(store, attribute, sample, name, config)
            for (attribute, _), name in zip(open_columns, names, strict=True)
        }
        texts = {key: its for key, its in texts.items() if store.count(its)}
        declared = Figures(source.decimal, source.thousands)
        figures, notes = read_figures(store, texts, declared, guesses=finds_figures)
        known = {
            _key(attribute): _kind_of(store, attribute, texts[_key(attribute)], figures or declared)
            for attribute, _ in open_columns
            if _key(attribute) in texts
        }
        notes += [note for _, note in known.values() if note is not None]
    return Found({key: kind for key, (kind, _) in known.items()}, notes, figures)


def read_figures(
    store: Store, columns: Mapping[str, FromClause], usual: Figures, *, guesses: bool
) -> tuple[Figures | None, list[str]]:
    """Return the one way in which all columns of numbers write them, if it is not the usual one, and what to say of it.

    Parameters
    ----------
    columns : mapping of str to FromClause
        ``text``: the distinct texts of each column of which nobody says what it holds, by its name.
    usual : Figures
        How the input is said to write numbers.
    guesses : bool
        Whether nobody says it; otherwise it is only told which columns would be numbers in another way.
    """
    figures, note = _one_way(store, columns) if guesses else (None, "")
    if figures is not None:
        return figures, [note]
    notes = [figures_note(store, name, texts, usual) for name, texts in columns.items()]
    return None, [note for note in notes if note is not None]


def _one_way(store: Store, columns: Mapping[str, FromClause]) -> tuple[Figures | None, str]:
    """Return the one way in which all columns of numbers write them, if it is not the usual one, and the note on it."""
    ways = {each: other_figures(store, texts) for each, texts in columns.items()}
    unusual = [each for each, its in ways.items() if its]
    if not unusual:
        return None, ""

    def is_number(texts: FromClause, figures: Figures) -> bool:
        return not store.scalar(select(count_where(is_no_number(texts.c.text, figures))))

    numbers = [texts for each, texts in columns.items() if ways[each] or is_number(texts, PLAIN)]
    fitting = [
        way
        for way in dict.fromkeys(way for its in ways.values() for way in its)
        if all(is_number(texts, way) for texts in numbers)
    ]
    if len(fitting) != 1:
        return None, ""
    have = "has" if len(unusual) == 1 else "have"
    note = (
        f"{listed(unusual)} {have} numbers with {marks_of(fitting[0])}, so that all "
        f"numbers of the input are read so, as with {figures_setting(fitting[0])}."
    )
    return fitting[0], note


def _is_open(attribute: Attribute) -> bool:
    """Return whether an option declares a column, and nothing says what it holds."""
    says_nothing = attribute.kind is None and attribute.hierarchy is None and attribute.categories is None
    return says_nothing and attribute.column.line == 0


def _key(attribute: Attribute) -> str:
    column = attribute.column
    return str(column.index) if column.index is not None else str(column.name)


def _texts_of(store: Store, attribute: Attribute, sample: FromClause, name: str, config: Config) -> Table:
    """Return the distinct texts of a column that are there."""
    text = sample.c[name]
    present = and_(text.is_not(None), not_(MissingValues.of(config).test(attribute, text)))
    return store.create("looked_at_texts", select(text.label("text")).where(present).distinct())


def _kind_of(store: Store, attribute: Attribute, texts: Table, figures: Figures) -> tuple[str, str | None]:
    """Return what the values of a column are, and what is to be said of it."""
    # Its values alone are asked, not what is declared besides.
    bare = Attribute(column=attribute.column, kind=None)
    kind = nature_of(store, bare, texts, Clues(figures=figures)).kind
    if kind == "number" or (unit := date_kind(store, texts)) is None:
        return kind, None
    dates = calendar_of(store, bare, texts, unit, zone=None, is_typed=False)
    return f"{unit} {dates.calendar.format or ''}".strip(), dates.note
