"""What a judgement reads: a release as equivalence classes of cells, what its cells mean, and the people behind it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from sqlalchemy import BigInteger, FromClause, Integer, String, and_, case, cast, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError
from toolbox.queries.cells import escape_name
from toolbox.queries.dialect import Query, Table, hash_values, is_finite, sum_stably
from toolbox.queries.scales import PLAIN, Scale
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Source, WeightColumn
from toolbox.store.load.combinations import find_injective_salt, hash_texts

ROOT = "*"
"""What a suppressed value is called where nothing else is said."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """A table that somebody has released, as equivalence classes: records that agree in all quasi-identifiers.

    A missing value is a value like any other. Nothing is known yet of what a value stands for.
    """

    store: Store
    name: str
    """What messages call it."""
    quasi_identifiers: tuple[str, ...]
    """Their names, in the order in which they were declared."""
    cells: tuple[Table, ...]
    """For each quasi-identifier ``cells(cell_id, text, records)``: its distinct texts, null included."""
    classes: Table
    """``classes(equivalence_id, size, suppressed, cell_1 .. cell_q)``. Where every cell is a root, all of the class is
    suppressed. Where each record says how many people of a population it stands for, also ``people``, for whom those
    of the class stand together."""
    held: Table
    """``held(equivalence_id, text_1 .., records)``: the texts of the sensitive attributes in each class."""
    sensitive: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The column of `held` that holds a sensitive attribute, by its name."""
    orders: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """The categories of sensitive attributes in their order, where the table says it, by the column of `held`."""
    records: int
    persons: Table | None = None
    """``persons(equivalence_id, text_1 .., person, records)``, each person once in a class with the same texts, where
    the persons of its records are known: then sizes of classes, and what `held` counts, are different persons. With
    weights also ``weight``, the one of all records of a person."""
    counts_roots: bool = False
    """Whether a record of nothing but roots is in a class like any other, so that none is suppressed."""

    @property
    def cell_names(self) -> list[str]:
        """Names of the columns of `classes` that name cells."""
        return [f"cell_{index}" for index, _ in enumerate(self.cells, start=1)]

    @cached_property
    def members(self) -> Table:
        """The persons of each class, each once: ``class_id, person``; not of a suppressed one, nor who has no name."""
        held, classes = self.persons, self.classes
        assert held is not None, "the release was read with its persons"
        shown = select(classes.c.equivalence_id).where(~classes.c.suppressed)
        rows = select(held.c.equivalence_id.label("class_id"), held.c.person)
        rows = rows.where(held.c.equivalence_id.in_(shown), held.c.person != find_nobody())
        # Only sensitive values make several rows of one.
        return self.store.create("members", rows.distinct() if self.sensitive else rows)

    def count_persons(self, records: Records, columns: Sequence[int]) -> Release:
        """Return the release with persons in its classes instead of records; its table is read once more.

        Parameters
        ----------
        records : Records
            From which its classes were formed.
        columns : sequence of int, length >= 1
            Those of the table that tell persons apart.
        """
        store, before = self.store, len(self.quasi_identifiers)
        rows, counted = records.read_persons(columns, before + len(self.sensitive))
        own, key = self.find_class_keys(counted), counted.c.key
        texts = [
            counted.c[f"text_{before + index}"].label(text) for index, text in enumerate(self.sensitive.values(), 1)
        ]
        placed = store.create(
            "placed", select(key, own.c.equivalence_id, *texts).join_from(counted, own, own.c.key == key)
        )
        joined = rows.join(placed, placed.c.key == rows.c.key)
        keys = [column for column in placed.c if column.name != "key"]
        # Each once, as a combination has one key.
        of_person = [rows.c.person, rows.c.size.label("records")]
        of_person += [rows.c.least.label("weight")] if records.weight is not None else []
        persons = store.create("persons", select(*keys, *of_person).select_from(joined))
        classes = store.create("classes", _count_persons(self.classes, persons))
        if records.weight is not None:
            classes = store.create("classes", _weigh_persons(classes, persons))
        store.drop(rows, counted, placed)
        found = [persons.c[column.name] for column in keys]
        return replace(
            self,
            classes=classes,
            held=store.create("held", select(*found, func.count().label("records")).group_by(*found)),
            records=int(store.scalar(select(func.sum(classes.c.size)))),
            persons=persons,
        )

    def set_persons(self, members: Query) -> Release:
        """Return the release with persons in its classes instead of records.

        Parameters
        ----------
        members : Select
            ``equivalence_id, person``, each pair once.
        """
        persons = self.store.create("persons", members)
        return replace(
            self, classes=self.store.create("classes", _count_persons(self.classes, persons)), persons=persons
        )

    def find_class_keys(self, counted: Table) -> FromClause:
        """Find the class behind each key: ``key, equivalence_id``.

        Parameters
        ----------
        counted : Table
            ``key, text_1 ..``.
        """
        joined: FromClause = counted
        for index, cells in enumerate(self.cells, start=1):
            joined = joined.join(cells, cells.c.text.is_not_distinct_from(counted.c[f"text_{index}"]))
        named = zip(self.cells, self.cell_names, strict=True)
        same = and_(*(cells.c.cell_id == self.classes.c[name] for cells, name in named))
        return (
            select(counted.c.key, self.classes.c.equivalence_id).select_from(joined.join(self.classes, same)).subquery()
        )

    def link_persons(self, earlier: Release) -> Table:
        """Link the rows of each person in two releases; rows that name nobody are left out.

        Returns
        -------
        Table
            ``class_id, earlier_id, person``: each pair of classes in which a person has rows.

        Raises
        ------
        InputError
            If nobody is in both.
        """
        now, before = self.persons, earlier.persons
        assert now is not None and before is not None, "both were read with their persons"
        ids = now.c.equivalence_id.label("class_id"), before.c.equivalence_id.label("earlier_id")
        same = and_(now.c.person == before.c.person, now.c.person != find_nobody())
        linked = self.store.create("linked", select(*ids, now.c.person).join_from(now, before, same).distinct())
        if not self.store.count(linked):
            raise InputError(f"No person of {self.name} is in {earlier.name}. Are these the same people?")
        return linked


@dataclass(frozen=True, kw_only=True)
class Domain:
    """The domain of one quasi-identifier: its values in their order, and the nodes of its hierarchy above them.

    Every set of values that a hierarchy or an interval stands for is a range of ``value_id``. So a comparison shows
    whether a cell covers a value, and the number of records it covers is the difference of two running sums.
    """

    name: str
    kind: Literal["number", "category"]
    """Dates are numbers."""
    spellings: Table
    """``spellings(text, value_id)``: the value of each text, null included; one number may be written in many ways."""
    values: Table
    """``values(value_id, label, number, records, before)``: ids from 0, numbers in their order, categories in that of
    their hierarchy, a missing value last. ``number`` is the number, or the declared code of a category, else null.
    ``records`` counts the people with the value, 0 where only the hierarchy lists it; ``before`` those of smaller
    ids."""
    nodes: Table
    """``nodes(node_id, level, label, first, last, low, high)``: the range of values below every node, and its bounds
    where it is an interval of numbers. The leaves have level 1. A node has several rows where its file does not list
    some number that lies between those that it lists."""
    size: int
    """Number of values."""
    height: int
    """Level of the root; 1 where no hierarchy is declared, whose root is called ``*``."""
    has_hierarchy: bool
    low: float | None
    """The smallest number; None for categories."""
    high: float | None
    weight: float = 1.0
    """Share in weighted measures."""
    scale: Scale = PLAIN
    """How its numbers are written; dates are numbers, too."""
    is_ordered: bool = False
    """Whether the order of its categories means something, so that a range of them is a value: ``low..mid``."""


def fetch_numbers(store: Store, values: Table) -> Sequence[float]:
    """Fetch the numbers of the values of a column, in their order."""
    number = values.c.number
    rows = store.stream(select(number).where(number.is_not(None)).order_by(values.c.value_id))
    # As small as an array of numpy, which takes longer to import than most columns take to be read.
    return array("d", (value for (value,) in rows))


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The meanings of the distinct texts of one released column."""

    meanings: Table
    """``meanings(cell_id, form, level, low, high, values, people)``, one row per text. ``form`` is ``value``, ``node``,
    ``root``, ``range`` or ``set``. ``level`` is that of the lowest node with these values, and null where there is
    none. ``low`` and ``high`` bound the numbers, null for categories; ``values`` counts the values that it covers,
    ``people`` those who have one of them."""
    spans: Table
    """``spans(cell_id, first, last)``: the values of a cell, as ranges that do not touch."""
    ambiguous: int = 0
    """Number of texts that name several things at once."""


@dataclass(frozen=True, kw_only=True)
class People:
    """The records that a release was made from, or those of a population: what an attacker may know of somebody."""

    name: str
    domains: tuple[Domain, ...]
    combinations: Table
    """``combinations(combination_id, size, value_1 .. value_q)``."""
    records: int
    persons: Table | None = None
    """``persons(combination_id, person)``, each row once, where it is known of which persons the records are: then
    what is counted are different persons."""

    @property
    def value_names(self) -> list[str]:
        """Names of the columns of `combinations` that name values."""
        return [f"value_{index}" for index, _ in enumerate(self.domains, start=1)]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A release beside the people whom it is about."""

    release: Release
    people: People
    cells: tuple[Cells, ...]
    pairs: Table | None
    """``pairs(combination_id, equivalence_id, records)``: who became what, where each released record can be told to be
    a certain original one; otherwise None."""
    changes: tuple[Table, ...] = ()
    """For each quasi-identifier ``changes(value_id, cell_id, records)``, where there are pairs."""
    unpaired: str = ""
    """Why there are no pairs."""

    untrue: tuple[str, ...] = ()
    """The columns of numbers that show some value more often than people have it: their values are not those of the
    records, but means, or numbers with noise."""
    read_widely: bool = False
    """Whether a text that names several things was taken for all of them."""
    known: dict[object, object] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What has been asked of these tables so far."""

    @property
    def store(self) -> Store:
        """Where all tables are."""
        return self.release.store

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of columns whose values are not those of the records."""
        told = (
            "more released records have some value than there are people with it. So the values are not those of the "
            "records, as means or numbers with noise are not. Whom they stand for is unknown."
        )
        return (f"{', '.join(self.untrue)}: {told}",) if self.untrue else ()

    def replace_release(self, release: Release) -> Comparison:
        """Return the comparison with persons in the classes of its release; who became what is not known of them.

        Parameters
        ----------
        release : Release
            The same with persons; the classes are suppressed that are so beside these people.
        """
        marked, sized = self.release.classes, release.classes
        columns = [marked.c.suppressed if column.name == "suppressed" else column for column in sized.c]
        rows = select(*columns).join_from(sized, marked, marked.c.equivalence_id == sized.c.equivalence_id)
        shown = replace(release, classes=self.store.create("classes", rows))
        return replace(self, release=shown, pairs=None, changes=())

    @cached_property
    def without_level(self) -> tuple[int, ...]:
        """Number of texts that stand for no node of the hierarchy, by quasi-identifier."""
        levels = (cells.meanings.c.level for cells in self.cells)
        return tuple(map(int, self.store.each(select(func.count()).where(level.is_(None)) for level in levels)))

    @property
    def ambiguous(self) -> dict[str, int]:
        """Number of texts with several meanings, by quasi-identifier; only those that have such texts."""
        counts = zip(self.release.quasi_identifiers, self.cells, strict=True)
        return {name: cells.ambiguous for name, cells in counts if cells.ambiguous}


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
    weight: WeightColumn | None = None
    """The column that says how many people each record stands for."""
    waits: bool = False
    """Whether nothing is read before somebody asks for it."""

    def __post_init__(self) -> None:
        if not self.waits:
            self.counted  # noqa: B018 - a table that cannot be read is told at once

    @cached_property
    def counted(self) -> Table:
        """``counted(text_1 .., size)``: each distinct combination of texts, null included, and its records.

        With weights also ``people``, for whom these stand together.
        """
        counted = self._count()
        if not self.store.count(counted):
            raise InputError(f"{self.source.name} holds no record. A table needs at least one.")
        return counted

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
        self._require_same(self.store.count(keys))
        key = hash_texts(self._list_counted_texts(), salt).label("key")
        return keys, self.store.create("counted", select(self.counted, key))

    def read_persons(self, columns: Sequence[int], width: int) -> tuple[Table, Table]:
        """Read the table again, to find out of whom its records are.

        The texts are known by now: so a record takes two numbers instead of all of its texts.

        Parameters
        ----------
        columns : sequence of int
            Those of the source that tell persons apart.
        width : int
            How many of the texts are asked for, from the first on.

        Returns
        -------
        persons : Table
            ``key, person, size``: each person of each combination of these texts once, and her records; with weights
            also ``least, most``, which are one.
        counted : Table
            ``key, text_1 ..``: each combination once.

        Raises
        ------
        InputError
            If a person has several weights.
        """
        texts = self._list_counted_texts()[:width]
        known = self.store.create("texts", select(*texts).distinct())
        salt = find_injective_salt(self.store, known, list(known.c))
        relation, read = self._relation()
        key = hash_texts(read[:width], salt).label("key")
        person = _number_person([func.nullif(cast(relation.c[f"c{position}"], String), "") for position in columns])
        weights = [] if self.weight is None else self.weight.list_bounds(relation)
        rows = select(key, person, func.count().label("size"), *weights).group_by(key, person)
        persons = self.store.create("keys", self._kept(rows, relation))
        self._require_same(self.store.scalar(select(func.coalesce(func.sum(persons.c.size), 0))))
        if self.weight is not None:
            self.weight.require_one_for_each(self.store, self.source, persons, columns, find_nobody())
        return persons, self.store.create("counted", select(hash_texts(list(known.c), salt).label("key"), *known.c))

    def _require_same(self, read: int) -> None:
        """Stop where another reading has found more records, or fewer."""
        if read != self.store.scalar(select(func.coalesce(func.sum(self.counted.c.size), 0))):
            raise InputError(f"{self.source.name} changed while it was read. Run again when nothing writes to it.")

    @staticmethod
    def find_person(counted: FromClause, before: int, columns: int) -> ColumnElement[int]:
        """Return a number for the person of each row; those that lack a value are of one.

        Parameters
        ----------
        before, columns : int
            How many columns tell persons apart, and how many stand before them.
        """
        return _number_person([counted.c[f"text_{before + index}"] for index in range(1, columns + 1)])

    def _count(self) -> Table:
        relation, texts = self._relation()
        labelled = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
        kept = self.source.count_records(relation, None if self.is_left_out is None else ~self.is_left_out(relation))
        columns: list[ColumnElement[Any]] = [
            *labelled,
            kept.label("size"),
            func.count().label("records"),
            *self._weigh(relation),
        ]
        every = self.store.create("counted", select(*columns).group_by(*texts))
        read = int(self.store.scalar(select(func.coalesce(func.sum(every.c.records), 0))))
        account = self.source.account(read, is_strict=not self.tolerant)
        if account.rejects.count and not read:
            misfit = f"none of {account.rejects.count:,} lines has as many values as the first one"
            raise InputError(f"{self.source.name}: {misfit}. Are separator and header right?")
        self._require_weights(every, relation)
        shown = [column for column in every.c if column.name != "records"]
        return self.store.create_view("counted", select(*shown).where(every.c.size > 0))

    def _weigh(self, relation: FromClause) -> list[ColumnElement[Any]]:
        """Sum up the weights of records; the sum is no number where one of them has none."""
        if self.weight is None:
            return []
        # To count the weights as well would cost as much again as to sum them up.
        return [self.weight.sum_up(relation).label("people")]

    def _require_weights(self, every: Table, relation: FromClause) -> None:
        """Stop where a record has no weight."""
        if self.weight is None or not self.store.scalar(select(func.count()).where(~is_finite(every.c.people))):
            return
        self.weight.require_all(self.store, self.source)

    def _relation(self) -> tuple[FromClause, list[ColumnElement[str]]]:
        relation = self.source.relation() if self.weight is None else self.weight.place(self.source.relation())
        # An empty field and an empty text in quotes say the same: nothing.
        texts = [cast(relation.c[f"c{position}"], String) for position in self.positions]
        return relation, [func.nullif(self.value(index, text), "") for index, text in enumerate(texts)]

    def _kept(self, rows: Query, relation: FromClause) -> Query:
        return rows if self.is_left_out is None else rows.where(~self.is_left_out(relation))

    def _list_counted_texts(self) -> list[ColumnElement[str]]:
        return [self.counted.c[f"text_{index}"] for index, _ in enumerate(self.positions, start=1)]


def build_release_classes(
    store: Store,
    counted: Table,
    *,
    name: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    roots: Mapping[str, Sequence[str]] | None = MappingProxyType({}),
) -> Release:
    """Form the classes of a release.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: the texts of the quasi-identifiers, and those of the sensitive attributes.
    name : str
        What messages call the release.
    roots : mapping of quasi-identifier to texts, optional
        What the root of its hierarchy may be called, which stands for a suppressed value as ``*`` does; None: no
        record is suppressed, and one of nothing but roots is in a class like any other.
    """
    numbers = range(1, len(quasi_identifiers) + 1)
    cells = tuple(store.create("cells", _number_cells(counted, index)) for index in numbers)
    coded = store.create("coded", _replace_texts(counted, cells, len(sensitive)))
    names = [f"cell_{index}" for index in numbers]
    columns = zip(cells, quasi_identifiers, strict=True)
    hidden = [] if roots is None else [_is_root(column, roots.get(label, ())) for column, label in columns]
    size = _count_records(coded)
    classes = store.create("classes", _select_classes(store, coded, names, hidden))
    same = and_(*(coded.c[name] == classes.c[name] for name in names))
    texts = {label: f"text_{index}" for index, label in enumerate(sensitive, start=1)}
    keys = [classes.c.equivalence_id, *(coded.c[text] for text in texts.values())]
    joined = coded.join(classes, same)
    # A class holds nothing but its records where no attribute is sensitive: nothing has to be joined.
    rows = select(*keys, size.label("records")).select_from(joined).group_by(*keys)
    held = store.create("held", rows if sensitive else select(*keys, classes.c.size.label("records")))
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
        counts_roots=roots is None,
    )


def _count_persons(classes: Table, persons: Table) -> Query:
    """Give each class the number of its persons as its size; for whom these stand is not yet known."""
    size = func.count(persons.c.person.distinct()).label("size")
    counted = select(persons.c.equivalence_id, size).group_by(persons.c.equivalence_id).subquery()
    columns = [counted.c.size if column.name == "size" else column for column in classes.c if column.name != "people"]
    return select(*columns).join_from(classes, counted, counted.c.equivalence_id == classes.c.equivalence_id)


def _weigh_persons(classes: Table, persons: Table) -> Query:
    """Add to each class the people for whom its persons stand, each for her one weight."""
    # Sensitive values make several rows of one person.
    each = select(persons.c.equivalence_id, persons.c.person, func.min(persons.c.weight).label("weight"))
    of_class = each.group_by(persons.c.equivalence_id, persons.c.person).subquery()
    people = select(of_class.c.equivalence_id, sum_stably(of_class.c.weight).label("people"))
    summed = people.group_by(of_class.c.equivalence_id).subquery()
    same = summed.c.equivalence_id == classes.c.equivalence_id
    return select(*classes.c, summed.c.people).join_from(classes, summed, same)


def _count_records(coded: Table) -> ColumnElement[int]:
    """Aggregate rows: how many records they stand for."""
    return cast(func.sum(coded.c.size), BigInteger)


def _number_cells(counted: Table, index: int) -> Query:
    """Assign numbers from 0 to the distinct texts of a column: ``cell_id, text, records``."""
    text = counted.c[f"text_{index}"]
    records = cast(func.sum(counted.c.size), BigInteger).label("records")
    distinct = select(text.label("text"), records).group_by(text).subquery()
    cell_id = cast(func.row_number().over(order_by=distinct.c.text) - 1, Integer).label("cell_id")
    return select(cell_id, distinct.c.text, distinct.c.records)


def _replace_texts(counted: Table, cells: Sequence[Table], sensitive: int) -> Query:
    """Replace texts by their cells: ``cell_1 .., text_1 .. (of the sensitive attributes), size``."""
    joined: FromClause = counted
    codes: list[ColumnElement[int]] = []
    for index, column in enumerate(cells, start=1):
        joined = joined.join(column, column.c.text.is_not_distinct_from(counted.c[f"text_{index}"]))
        codes.append(column.c.cell_id.label(f"cell_{index}"))
    texts = [counted.c[f"text_{len(cells) + index}"].label(f"text_{index}") for index in range(1, sensitive + 1)]
    weights = [counted.c.people] if "people" in counted.c else []
    return select(*codes, *texts, counted.c.size, *weights).select_from(joined)


def _number_person(texts: Sequence[ColumnElement[str]]) -> ColumnElement[int]:
    """Return a number for the person whom some texts name; whoever lacks one of them is one person."""
    is_missing = or_(*(text.is_(None) for text in texts))
    return case((is_missing, find_nobody()), else_=hash_values(*texts)).label("person")


def find_nobody() -> ColumnElement[int]:
    """Return the number of the one person whose records are all those that name none."""
    return hash_values(literal(0))


def _is_root(cells: Table, roots: Sequence[str]) -> Query:
    """Select the cells that stand for a suppressed value."""
    called = [ROOT, *roots, *map(escape_name, roots)]
    return select(cells.c.cell_id).where(cells.c.text.in_(called))


def _select_classes(store: Store, coded: Table, names: Sequence[str], hidden: Sequence[Query]) -> Query:
    """Form the classes, with the sum of the weights, if there are some."""
    columns = [coded.c[name] for name in names]
    roots = [[int(cell) for (cell,) in cells] for cells in store.fetch_rows_of_each(hidden)]
    cells_of = zip(columns, roots, strict=True) if hidden else ()
    hides = [or_(literal(False), *(column == cell for cell in cells)) for column, cells in cells_of]
    is_suppressed: ColumnElement[bool] = and_(literal(bool(hidden)), *hides)
    equivalence_id = cast(func.row_number().over(order_by=columns) - 1, Integer).label("equivalence_id")
    size = _count_records(coded).label("size")
    weights = [sum_stably(coded.c.people).label("people")] if "people" in coded.c else []
    return select(equivalence_id, size, is_suppressed.label("suppressed"), *columns, *weights).group_by(*columns)
