"""What the engines that read SQL share: the selects that count records and find the class of each, and their order."""

from __future__ import annotations

import ipaddress
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from sqlalchemy import BigInteger, FromClause, Select, Table, and_, case, cast, false, func, not_, or_, select
from sqlalchemy.sql.elements import ColumnElement, Label

from toolbox.engines.engine import (
    CountedPersons,
    CountedRecords,
    CountRequest,
    Lacking,
    RecordRecoding,
    ReleasedColumn,
    make_combinations_error,
)
from toolbox.errors import OutputError, SettingError, UnknownColumnError, UnsatisfiableError, quote
from toolbox.messages import format_count

if TYPE_CHECKING:
    import pyarrow as pa

Expression = ColumnElement[Any]
Doing = Literal["reading the input", "reading the query", "writing the release", "publishing the release"]
"""What a statement was for."""
_BEYOND_HALF, _BEYOND_WHOLE = 1 << 63, 1 << 64


class RowHashing(Protocol):
    """How a database hashes some values of a record, with their places and their nulls."""

    groups_values: bool
    """Whether equal values are one group as they are; otherwise equal digests are."""

    def digest(self, values: Sequence[Expression]) -> Expression:
        """Return what stands for the values; equal ones have one."""

    def number(self, values: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Return a number of 64 bits with a sign."""

    def number_group(self, group: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Return the same of what is grouped by: the values, or their digest."""

    def halves(self, digest: Expression) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Return two numbers of 32 bits without a sign, whose sums tell apart what records hold."""


@dataclass(frozen=True)
class ReadTable(ABC):
    """Something that is read, and the types of its columns."""

    name: str
    table: Any
    types: Mapping[str, Any]
    doing: Doing
    hashing: ClassVar[RowHashing]

    def value(self, name: str) -> Expression:
        """Return a column as it is compared."""
        if name not in self.types:
            raise UnknownColumnError(name, self.name, list(self.types))
        return self.compare(name)

    @abstractmethod
    def compare(self, name: str) -> Expression:
        """Return a column that is there as it is compared."""

    def find_digest(self, names: Sequence[str]) -> Expression | None:
        """Return the column that holds the digest of some columns already; None if none does."""
        return None

    def test_unusable(self, lacking: Sequence[Lacking]) -> ColumnElement[bool]:
        """Test whether a record is unusable; a column may know it already."""
        return is_unusable(_list_tested_values(self, lacking))

    def find_random_place(self) -> Expression:
        """Return a random number for each record; a column may hold one already."""
        return func.random()

    @abstractmethod
    def field(self, name: str, label: str) -> pa.Field:
        """Return a column in Arrow."""

    @abstractmethod
    def release(self, column: ReleasedColumn) -> Expression:
        """Return a column of single records as a release shows it."""

    @abstractmethod
    def compare_released(self, column: ReleasedColumn) -> Expression:
        """Return the same as it is compared in a release."""


@dataclass(frozen=True, kw_only=True)
class SQLRecords:
    """The records of a table, with their values as they are compared: equal ones are one value."""

    table: FromClause
    by: tuple[Expression, ...]
    passed: tuple[Expression, ...]
    unusable: ColumnElement[bool]
    person: Expression | None
    """The number of the person, null where a value lacks; None: nobody asks."""
    salt: int
    hashing: RowHashing
    stored_digests: tuple[Expression | None, Expression | None] = (None, None)
    """Of `by` and of `passed`, where a column holds them."""

    @property
    def key(self) -> ColumnElement[int]:
        """The key of a record."""
        if self.hashing.groups_values:
            return self.hashing.number(self.by, self.salt)
        return self.hashing.number_group([self.digest], self.salt)

    @property
    def digest(self) -> Expression:
        """The digest of the values of a combination."""
        stored = self.stored_digests[0]
        return self.hashing.digest(self.by) if stored is None else stored

    @property
    def passed_digest(self) -> Expression:
        """The digest of what passes."""
        stored = self.stored_digests[1]
        return self.hashing.digest(self.passed) if stored is None else stored

    @property
    def usable(self) -> ColumnElement[bool]:
        """Whether a record lacks nothing."""
        return not_(self.unusable)


def is_unusable(values: Sequence[tuple[Expression, Sequence[str]]]) -> ColumnElement[bool]:
    """Test whether a record is unusable, since one of its values is null or one of some texts."""
    return or_(false(), *(_is_missing(value, marks) for value, marks in values))


def _is_missing(value: Expression, marks: Sequence[str]) -> ColumnElement[bool]:
    # A null is never equal to a mark, nor is it different from one.
    return or_(value.is_(None), and_(value.is_not(None), value.in_(marks))) if marks else value.is_(None)


def make_record_source(relation: ReadTable, request: CountRequest) -> SQLRecords:
    """Return the records that a request counts.

    Raises
    ------
    UnknownColumnError
    """
    return SQLRecords(
        table=relation.table,
        by=tuple(map(relation.value, request.by)),
        passed=tuple(_find_released_value(relation, name, request) for name in request.passed),
        unusable=relation.test_unusable(request.lacking),
        person=_number_person(relation, request),
        salt=request.salt,
        hashing=relation.hashing,
        stored_digests=(relation.find_digest(request.by), relation.find_digest(request.passed)),
    )


def _find_released_value(relation: ReadTable, name: str, request: CountRequest) -> Expression:
    """Return a column as a release shows it, as it is compared there."""
    value, column = relation.value(name), request.treated.get(name)
    return value if column is None else relation.compare_released(column)


def _list_tested_values(relation: ReadTable, lacking: Sequence[Lacking]) -> list[tuple[Expression, Sequence[str]]]:
    """List the values that may lack, each with its marks: only a text is one."""
    import pyarrow as pa

    values = ((relation.value(each.column), each) for each in lacking)
    return [
        (value, each.marks if pa.types.is_string(relation.field(each.column, "").type) else ())
        for value, each in values
    ]


def _number_person(relation: ReadTable, request: CountRequest) -> Expression | None:
    """Return a number for the person of a record, null where a value of it lacks; None where nobody asks."""
    if not request.person:
        return None
    values = _list_tested_values(relation, request.person)
    number = relation.hashing.number([value for value, _ in values], request.secret)
    return case((not_(is_unusable(values)), number))


# The selects, as SQLAlchemy Core.


def _label_groups(
    records: SQLRecords, named: Sequence[Label[Any]], digest: Expression | None = None
) -> tuple[list[Label[Any]], list[str]]:
    """Return what rows need beside some values to be grouped by them, and the columns that they are grouped by."""
    if records.hashing.groups_values:
        return [], [label.name for label in named]
    made = records.hashing.digest([label.element for label in named]) if digest is None else digest
    return [made.label("digest")], ["digest"]


def select_combinations(records: SQLRecords) -> Select[Any]:
    """Select ``key, by_1 .., unusable, size, sum_1, sum_2``, as `toolbox.engines.engine.CountedRecords` has them."""
    hashing = records.hashing
    named = [value.label(f"by_{place}") for place, value in enumerate(records.by, start=1)]
    added, groups = _label_groups(records, named, records.digest)
    each = [*named, *added]
    each += [records.passed_digest.label("passed")] if records.passed else []
    each += [] if records.person is None else [records.person.label("person")]
    rows = select(*each).select_from(records.table).where(records.usable).subquery("seen")
    halves: Sequence[Expression] = hashing.halves(rows.c.passed) if records.passed else [_cast_whole_number(0)] * 2
    size: Expression = func.count()
    persons: list[Expression] = []
    if records.person is not None:
        # Persons of each combination first: to count different ones, the server would sort all records.
        kept = [rows.c[label.name] for label in (*named, *added)]
        amounts = (func.count().label("size"), *(func.sum(half).label(f"half_{n}") for n, half in enumerate(halves)))
        pairs = (*(rows.c[name] for name in groups), rows.c.person)
        rows = select(*kept, rows.c.person, *amounts).group_by(*pairs).subquery("seen_persons")
        halves, size = [rows.c.half_0, rows.c.half_1], _cast_whole_number(func.sum(rows.c.size))
        persons = [func.count()]
    by = [rows.c[name] for name in groups]
    counted: tuple[Expression, ...] = (
        # Of each group and not of each record, as hashing costs as much as grouping.
        hashing.number_group(by, records.salt).label("key"),
        *(rows.c[label.name] for label in named),
        false().label("unusable"),
        size.label("size"),
        *(sum_halves(half).label(f"sum_{place}") for place, half in enumerate(halves, start=1)),
        *(number.label("persons") for number in persons),
    )
    return select(*counted).group_by(*by) if by else select(*counted).having(func.count() > 0)


def _select_person_counts(records: SQLRecords) -> Select[Any]:
    """Select how many persons there are, who has several combinations, and who lacks a value."""
    assert records.person is not None, "somebody asks for persons"
    rows = select(records.person.label("person"), records.key.label("key")).select_from(records.table)
    seen = rows.where(records.usable).subquery("seen")
    first, last = (end(seen.c.key).label(name) for end, name in ((func.min, "first"), (func.max, "last")))
    persons = select(seen.c.person, first, last, func.count().label("size")).group_by(seen.c.person).subquery("persons")
    has_several, is_nobody = persons.c.first != persons.c.last, persons.c.person.is_(None)
    lacking = func.coalesce(func.sum(case((is_nobody, persons.c.size))), 0)
    several = (func.count(case((condition, 1))) for condition in (has_several, and_(has_several, is_nobody)))
    counts: list[Expression] = [func.count(), *several, _cast_whole_number(lacking)]
    return select(*counts).select_from(persons)


def sum_halves(half: ColumnElement[int]) -> Expression:
    """Add up numbers of 32 bits to a signed number of 64 bits; it overflows beyond two billion records."""
    total: Expression = func.sum(half)
    return _cast_whole_number(func.mod(total + _BEYOND_HALF, _BEYOND_WHOLE) - _BEYOND_HALF)


def _cast_whole_number(value: Any) -> Expression:
    return cast(value, BigInteger)


def select_value_counts(records: SQLRecords, value: Expression) -> Select[Any]:
    """Select ``key, value, size`` of usable records, and ``persons`` where somebody asks."""
    named = value.label("value")
    added, groups = _label_groups(records, [named])
    each = [records.key.label("key"), named, *added]
    rows = select(*each, *([] if records.person is None else [records.person.label("person")]))
    seen: FromClause = rows.select_from(records.table).where(records.usable).subquery("seen")
    size: Expression = func.count()
    if records.person is not None:
        pairs = (seen.c.key, *(seen.c[name] for name in groups), seen.c.person)
        kept = [seen.c[label.name] for label in each]
        seen = select(*kept, func.count().label("size")).group_by(*pairs).subquery("seen_persons")
        size = _cast_whole_number(func.sum(seen.c.size))
    persons = [] if records.person is None else [func.count().label("persons")]
    counted = select(seen.c.key, seen.c.value, size.label("size"), *persons)
    return counted.group_by(seen.c.key, *(seen.c[name] for name in groups))


def number_of(rows: Select[Any]) -> Select[Any]:
    """Select how many rows a select has."""
    return select(func.count()).select_from(rows.subquery("counted"))


def _select_distinct_counts(records: SQLRecords) -> Select[Any]:
    """Select how many different values the usable records have in each column; null is none."""
    digest, groups_values = records.hashing.digest, records.hashing.groups_values
    different = (each if groups_values else case((each.is_not(None), digest([each]))) for each in records.by)
    numbers: list[Expression] = [func.count(value.distinct()) for value in different]
    return select(*numbers).select_from(records.table).where(records.usable)


def select_released_records(
    relation: ReadTable, recoding: RecordRecoding, mapping: Table, classes: Table
) -> Select[Any]:
    """Select the records of a release: each that is usable and whose key is known, with the texts of its class.

    They stand in a random order: in that of the input, whoever has another list of it could join the two line by line.
    """
    records = make_record_source(relation, recoding.request)
    columns = [
        (classes.c[str(column.text)] if column.source is None else relation.release(column)).label(column.header)
        for column in recoding.columns
    ]
    if recoding.person is not None and records.person is not None:
        columns.append(records.person.label(recoding.person))
    # One table after the other, so that the keys are looked up without the texts.
    origin = records.table.join(mapping, mapping.c.key == records.key)
    origin = origin.join(classes, classes.c.class_id == mapping.c.class_id)
    return select(*columns).select_from(origin).where(records.usable).order_by(relation.find_random_place())


# What all of them have: connections that leave this machine or not, and a setting.


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


COMBINATIONS = "combinations"


def parse_most_combinations(given: str | None) -> int | None:
    """Read the setting of most combinations; None where it is left out."""
    if given is None:
        return None
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise SettingError(COMBINATIONS, given, "a whole number, at least 1")
    return int(given)


# The counts of an engine: which selects are asked for, and what becomes of their rows.

_NUMBERS = ("size", "sum_1", "sum_2")


class SQLEngine(ABC):
    """The counts of an engine whose database reads SQL; see `toolbox.engines.engine.Engine` for the calls."""

    name: str
    keeps_order = False
    counts_persons = True
    _most: int | None
    """Combinations that are fetched at most, in place of those of a request."""

    @abstractmethod
    def _fetch(
        self, relation: ReadTable, rows: Select[Any], fields: list[pa.Field], columns: list[str], most: int
    ) -> pa.Table | None:
        """Fetch the rows of a select; None if there are too many.

        Parameters
        ----------
        columns : list of str
            What messages call them.
        """

    @abstractmethod
    def _fetch_rows(self, statement: Select[Any], doing: Doing) -> list[Any]:
        """Fetch all rows of a select whose result is small."""

    def _count(self, relation: ReadTable, request: CountRequest) -> CountedRecords:
        """Count the records of a table."""
        records = make_record_source(relation, request)
        most = self._most or request.most
        statement = select_combinations(records)
        numbers = [*_NUMBERS, *_list_person_columns(records)]
        fields = [
            _make_integer_field("key"),
            *(relation.field(name, f"by_{place}") for place, name in enumerate(request.by, start=1)),
            _make_boolean_field("unusable"),
            *map(_make_integer_field, numbers),
        ]
        fetched = self._fetch(relation, statement, fields, ["key", *request.by, "unusable", *numbers], most)
        if fetched is None:
            ((exact,),) = self._fetch_rows(number_of(statement), relation.doing)
            # Of all records: the rows that were kept are the first ones in the order in which the server has grouped.
            (found,) = self._fetch_rows(_select_distinct_counts(records), relation.doing)
            raise make_combinations_error(self.name, exact, most, dict(zip(request.by, found, strict=True)))
        held = tuple(self._count_values(relation, records, name, most) for name in request.judged)
        counted = CountedRecords(fetched, held, self._count_persons(relation, records))
        return counted.add_unusable(self._count_unusable(relation, records) if request.lacking else 0)

    def _count_unusable(self, relation: ReadTable, records: SQLRecords) -> int:
        skipped = select(func.count()).select_from(records.table).where(records.unusable)
        ((number,),) = self._fetch_rows(skipped, relation.doing)
        return int(number)

    def _count_persons(self, relation: ReadTable, records: SQLRecords) -> CountedPersons | None:
        if records.person is None:
            return None
        ((count, several, nobodies, lacking),) = self._fetch_rows(_select_person_counts(records), relation.doing)
        return CountedPersons(count, several, lacking, bool(nobodies))

    def _count_values(self, relation: ReadTable, records: SQLRecords, name: str, most: int) -> pa.Table:
        """Count the values of a judged column for each key."""
        numbers = ["size", *_list_person_columns(records)]
        rows = select_value_counts(records, relation.value(name))
        fields = [_make_integer_field("key"), relation.field(name, "value"), *map(_make_integer_field, numbers)]
        fetched = self._fetch(relation, rows, fields, ["key", name, *numbers], most)
        if fetched is None:
            raise UnsatisfiableError(
                f"{self.name}: the combinations of quasi-identifiers hold more than {format_count(most, 'value')} of "
                f"{name}, each counted once for each combination. Put values of level 1 of a hierarchy, or ranges, in "
                "the place of such a column, or raise the setting combinations of the engine."
            )
        return fetched


def _list_person_columns(records: SQLRecords) -> list[str]:
    return [] if records.person is None else ["persons"]


def _make_integer_field(name: str) -> pa.Field:
    import pyarrow as pa

    return pa.field(name, pa.int64())


def _make_boolean_field(name: str) -> pa.Field:
    import pyarrow as pa

    return pa.field(name, pa.bool_())


# Tables of Arrow as databases store them.


def convert_to_microseconds(records: pa.Table) -> pa.Table:
    """Return a table whose timestamps have the smallest steps that databases know, and the zone UTC if they have one.

    Raises
    ------
    OutputError
        If a value is between two of these steps.
    """
    import pyarrow as pa

    for place, each in enumerate(records.schema):
        if not pa.types.is_timestamp(each.type):
            continue
        kind = pa.timestamp("us", None if each.type.tz is None else "UTC")
        try:
            column = records.column(place).cast(kind)
        except pa.ArrowException:
            problem = f"The column {quote(each.name)} has times in nanoseconds, which a database would round"
            raise OutputError(f"{problem}. Round them first.") from None
        records = records.set_column(place, pa.field(each.name, kind, metadata=each.metadata), column)
    return records


def make_type_error(of: pa.Field) -> OutputError:
    """Return the error that a column has a type that no database has."""
    return OutputError(f"The column {quote(of.name)} is of type {of.type}, which is not written. Make it text first.")
