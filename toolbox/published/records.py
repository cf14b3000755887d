"""Reading a table that is judged: its distinct records, and the equivalence classes of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlalchemy import BigInteger, FromClause, Integer, String, and_, case, cast, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError
from toolbox.published.tables import Release
from toolbox.queries.cells import escape_name
from toolbox.queries.dialect import hash_values
from toolbox.queries.query import Query, Table
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Source
from toolbox.store.load.combinations import find_injective_salt, hash_texts

# Reading a table that is judged: its distinct records with their counts, or each record with the key of its texts.


@dataclass
class Records:
    """The records of one source, by their texts in some columns.

    Parameters
    ----------
    store : Store
    source : Source
    positions : sequence of int
        The columns, whose texts are called ``text_1``, ``text_2``, ...
    is_left_out : callable
        From the relation to a condition: records that play no part.
    value : callable
        From the place of a column among the positions, and its text, to what the text says.
    tolerant : bool
        Whether lines that are no records are left out as well, as they are when a table is anonymised; otherwise they
        are an error.
    """

    store: Store
    source: Source
    positions: Sequence[int]
    is_left_out: Callable[[FromClause], ColumnElement[bool]] | None = None
    value: Callable[[int, ColumnElement[str]], ColumnElement[str]] = lambda _, text: text
    tolerant: bool = False
    counted: Table = field(init=False)
    """``counted(text_1 .., size)``: each distinct combination of texts, null included, and its records."""

    def __post_init__(self) -> None:
        self.counted = self._count()
        if not self.store.count(self.counted):
            raise InputError(f"{self.source.name} holds no record. A table needs at least one.")

    def find_record_keys(self) -> tuple[Table, Table]:
        """Read the table again, record by record.

        Returns
        -------
        keys : Table
            ``key``: one row per record, in their order.
        counted : Table
            `counted` with its ``key``.
        """
        salt = find_injective_salt(self.store, self.counted, self._list_counted_texts())
        relation, texts = self._relation()
        keys = self.store.create("keys", self._kept(select(hash_texts(texts, salt).label("key")), relation))
        if self.store.count(keys) != self.store.scalar(select(func.coalesce(func.sum(self.counted.c.size), 0))):
            raise InputError(f"{self.source.name} changed while it was read. Run again when nothing writes to it.")
        key = hash_texts(self._list_counted_texts(), salt).label("key")
        return keys, self.store.create("counted", select(self.counted, key))

    def _count(self) -> Table:
        relation, texts = self._relation()
        labelled = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
        records = func.count()
        kept = records if self.is_left_out is None else records.filter(~self.is_left_out(relation))
        rows = select(*labelled, kept.label("size"), records.label("records")).group_by(*texts)
        every = self.store.create("counted", rows)
        read = int(self.store.scalar(select(func.coalesce(func.sum(every.c.records), 0))))
        account = self.source.account(read, is_strict=not self.tolerant)
        if account.rejects.count and not read:
            misfit = f"none of {account.rejects.count:,} lines has as many values as the first one"
            raise InputError(f"{self.source.name}: {misfit}. Are separator and header right?")
        columns = [column for column in every.c if column.name != "records"]
        return self.store.create_view("counted", select(*columns).where(every.c.size > 0))

    def _relation(self) -> tuple[FromClause, list[ColumnElement[str]]]:
        relation = self.source.relation()
        # An empty field and an empty text in quotes say the same: nothing.
        texts = [cast(relation.c[f"c{position}"], String) for position in self.positions]
        return relation, [func.nullif(self.value(index, text), "") for index, text in enumerate(texts)]

    def _kept(self, rows: Query, relation: FromClause) -> Query:
        return rows if self.is_left_out is None else rows.where(~self.is_left_out(relation))

    def _list_counted_texts(self) -> list[ColumnElement[str]]:
        return [self.counted.c[f"text_{index}"] for index, _ in enumerate(self.positions, start=1)]


# From the records of a release to its equivalence classes, before anything is known of what its values mean.

ROOT = "*"
"""What a suppressed value is called where nothing else is said."""


def build_release_classes(
    store: Store,
    counted: Table,
    *,
    name: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    roots: Mapping[str, Sequence[str]] = MappingProxyType({}),
    person: int = 0,
) -> Release:
    """Form the classes of a release.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: the texts of the quasi-identifiers, those of the sensitive attributes, and of the person.
    name : str
        What messages call the release.
    roots : mapping of quasi-identifier to texts, optional
        What the root of its hierarchy may be called, which stands for a suppressed value as ``*`` does.
    person : int
        How many columns tell persons apart, who are counted then instead of records.
    """
    numbers = range(1, len(quasi_identifiers) + 1)
    cells = tuple(store.create("cells", _number_cells(counted, index)) for index in numbers)
    coded = store.create("coded", _replace_texts(counted, cells, len(sensitive), person))
    names = [f"cell_{index}" for index in numbers]
    hidden = [_is_root(column, roots.get(label, ())) for column, label in zip(cells, quasi_identifiers, strict=True)]
    size = _count_all(coded)
    classes = store.create("classes", _select_classes(store, coded, names, hidden, size))
    same = and_(*(coded.c[name] == classes.c[name] for name in names))
    texts = {label: f"text_{index}" for index, label in enumerate(sensitive, start=1)}
    keys = [classes.c.equivalence_id, *(coded.c[text] for text in texts.values())]
    joined = coded.join(classes, same)
    held = store.create("held", select(*keys, size.label("records")).select_from(joined).group_by(*keys))
    persons = None
    if person:
        persons = store.create("persons", select(*keys, coded.c.person).select_from(joined).distinct())
    store.drop(coded)
    return Release(
        store=store,
        name=name,
        quasi_identifiers=tuple(quasi_identifiers),
        cells=cells,
        classes=classes,
        held=held,
        sensitive=MappingProxyType(texts),
        records=int(store.scalar(select(func.sum(classes.c.size)))),
        persons=persons,
    )


def _count_all(coded: Table) -> ColumnElement[int]:
    """Aggregate rows: how many records they stand for, or where these are known, of how many persons they are."""
    counted = func.count(coded.c.person.distinct()) if "person" in coded.c else func.sum(coded.c.size)
    return cast(counted, BigInteger)


def _number_cells(counted: Table, index: int) -> Query:
    """Assign numbers from 0 to the distinct texts of a column: ``cell_id, text, records``."""
    text = counted.c[f"text_{index}"]
    records = cast(func.sum(counted.c.size), BigInteger).label("records")
    distinct = select(text.label("text"), records).group_by(text).subquery()
    cell_id = cast(func.row_number().over(order_by=distinct.c.text) - 1, Integer).label("cell_id")
    return select(cell_id, distinct.c.text, distinct.c.records)


def _replace_texts(counted: Table, cells: Sequence[Table], sensitive: int, person: int) -> Query:
    """Replace texts by their cells: ``cell_1 .., text_1 .. (of the sensitive attributes), size``, and ``person``.

    All records without a value of the person are of one.
    """
    joined: FromClause = counted
    codes: list[ColumnElement[int]] = []
    for index, column in enumerate(cells, start=1):
        joined = joined.join(column, column.c.text.is_not_distinct_from(counted.c[f"text_{index}"]))
        codes.append(column.c.cell_id.label(f"cell_{index}"))
    texts = [counted.c[f"text_{len(cells) + index}"].label(f"text_{index}") for index in range(1, sensitive + 1)]
    persons = _find_persons(counted, len(cells) + sensitive, person)
    return select(*codes, *texts, counted.c.size, *persons).select_from(joined)


def _find_persons(counted: Table, before: int, columns: int) -> list[ColumnElement[int]]:
    """Return a number for the person of each row, whose columns stand behind others; those without a value are one."""
    if not columns:
        return []
    texts = [counted.c[f"text_{before + index}"] for index in range(1, columns + 1)]
    is_missing = or_(*(text.is_(None) for text in texts))
    return [case((is_missing, hash_values(literal(0))), else_=hash_values(*texts)).label("person")]


def _is_root(cells: Table, roots: Sequence[str]) -> Query:
    """Select the cells that stand for a suppressed value."""
    called = [ROOT, *roots, *map(escape_name, roots)]
    return select(cells.c.cell_id).where(cells.c.text.in_(called))


def _select_classes(
    store: Store, coded: Table, names: Sequence[str], hidden: Sequence[Query], counted: ColumnElement[int]
) -> Query:
    columns = [coded.c[name] for name in names]
    roots = [[int(cell) for (cell,) in cells] for cells in store.fetch_rows_of_each(hidden)]
    is_suppressed: ColumnElement[bool] = and_(
        literal(True),
        *(
            or_(literal(False), *(column == cell for cell in cells))
            for column, cells in zip(columns, roots, strict=True)
        ),
    )
    equivalence_id = cast(func.row_number().over(order_by=columns) - 1, Integer).label("equivalence_id")
    size = counted.label("size")
    return select(equivalence_id, size, is_suppressed.label("suppressed"), *columns).group_by(*columns)
