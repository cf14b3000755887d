"""PostgreSQL as an engine: it holds the records, counts them by their combinations, and gets the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import (
    BigInteger,
    Column,
    FromClause,
    MetaData,
    Select,
    Table,
    Text,
    and_,
    case,
    cast,
    column,
    false,
    func,
    not_,
    or_,
    select,
    table,
    type_coerce,
)
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.sql.elements import ColumnElement

from toolbox.engines.engine import (
    CountedPersons,
    CountedRecords,
    CountRequest,
    Lacking,
    RecordRecoding,
    Staged,
    make_combinations_error,
    parse_table_name,
)
from toolbox.engines.postgresql.connection import (
    Doing,
    PostgresConnection,
)
from toolbox.engines.postgresql.tables import (
    Analyze,
    CopyIn,
    CopyOut,
    DropView,
    TableAs,
    ViewOf,
    check_output_place,
    find_input_table,
    make_staged_table,
    put_in_place,
    read_column_types,
    require_headers,
)
from toolbox.engines.postgresql.types import (
    PostgresType,
    RowHashes,
    as_text,
    encode_copy_rows,
    encode_sent_value,
    make_arrow_field,
    normalise_value,
    read_copy_rows,
)
from toolbox.errors import SettingError, UnknownColumnError, UnsatisfiableError, UsageError, did_you_mean, quote
from toolbox.messages import format_count

if TYPE_CHECKING:
    import pyarrow as pa


# The selects of an engine that reads SQL: count the records, find the class of each, all as SQLAlchemy Core.

Expression = ColumnElement[Any]
_BEYOND_HALF, _BEYOND_WHOLE = 1 << 63, 1 << 64


@dataclass(frozen=True, kw_only=True)
class _PostgresRecords:
    """The records of a table, with their values as they are compared: equal ones are one value."""

    table: FromClause
    by: tuple[Expression, ...]
    passed: tuple[Expression, ...]
    unusable: ColumnElement[bool]
    person: Expression | None
    """The number of the person, null where a value lacks; None: nobody asks."""
    salt: int

    @property
    def key(self) -> ColumnElement[int]:
        """The key of a record."""
        return RowHashes.whole(self.by, self.salt)


def is_unusable(values: Sequence[tuple[Expression, Sequence[str]]]) -> ColumnElement[bool]:
    """Test whether a record is unusable, since one of its values is null or one of some texts."""
    return or_(false(), *(_is_missing(value, marks) for value, marks in values))


def _is_missing(value: Expression, marks: Sequence[str]) -> ColumnElement[bool]:
    # A null is never equal to a mark, nor is it different from one.
    return or_(value.is_(None), and_(value.is_not(None), value.in_(marks))) if marks else value.is_(None)


def _select_combinations(records: _PostgresRecords) -> Select[Any]:
    """Select ``key, by_1 .., unusable, size, sum_1, sum_2``, as `toolbox.engines.engine.CountedRecords` has them."""
    named = [value.label(f"by_{place}") for place, value in enumerate(records.by, start=1)]
    each = [*named]
    each += [RowHashes.whole(records.passed, 0).label("passed")] if records.passed else []
    each += [] if records.person is None else [records.person.label("person")]
    rows = select(*each).select_from(records.table).where(not_(records.unusable)).subquery("seen")
    by = [rows.c[label.name] for label in named]
    halves: Sequence[Expression] = RowHashes.halves(rows.c.passed) if records.passed else [_cast_whole_number(0)] * 2
    size: Expression = func.count()
    persons: list[Expression] = []
    if records.person is not None:
        # Persons of each combination first: to count different ones, the server would sort all records.
        groups = (*by, rows.c.person)
        amounts = (func.count().label("size"), *(func.sum(half).label(f"half_{n}") for n, half in enumerate(halves)))
        rows = select(*groups, *amounts).group_by(*groups).subquery("seen_persons")
        by = [rows.c[label.name] for label in named]
        halves, size, persons = (
            [rows.c.half_0, rows.c.half_1],
            _cast_whole_number(func.sum(rows.c.size)),
            [func.count()],
        )
    counted: tuple[Expression, ...] = (
        # Of each group and not of each record, as hashing costs as much as grouping.
        RowHashes.whole(by, records.salt).label("key"),
        *by,
        false().label("unusable"),
        size.label("size"),
        *(_sum_halves(half).label(f"sum_{place}") for place, half in enumerate(halves, start=1)),
        *(number.label("persons") for number in persons),
    )
    return select(*counted).group_by(*by) if by else select(*counted).having(func.count() > 0)


def _select_person_counts(records: _PostgresRecords) -> Select[Any]:
    """Select how many persons there are, who has several combinations, and who lacks a value."""
    assert records.person is not None, "somebody asks for persons"
    rows = select(records.person.label("person"), records.key.label("key")).select_from(records.table)
    seen = rows.where(not_(records.unusable)).subquery("seen")
    first, last = (end(seen.c.key).label(name) for end, name in ((func.min, "first"), (func.max, "last")))
    persons = select(seen.c.person, first, last, func.count().label("size")).group_by(seen.c.person).subquery("persons")
    has_several, is_nobody = persons.c.first != persons.c.last, persons.c.person.is_(None)
    lacking = func.coalesce(func.sum(persons.c.size).filter(is_nobody), 0)
    several = (func.count().filter(condition) for condition in (has_several, and_(has_several, is_nobody)))
    counts: list[Expression] = [func.count(), *several, _cast_whole_number(lacking)]
    return select(*counts).select_from(persons)


def _sum_halves(half: ColumnElement[int]) -> Expression:
    """Add up numbers of 32 bits to a signed number of 64 bits; it overflows beyond two billion records."""
    total: Expression = func.sum(half)
    return _cast_whole_number(func.mod(total + _BEYOND_HALF, _BEYOND_WHOLE) - _BEYOND_HALF)


def _cast_whole_number(value: Any) -> Expression:
    return cast(value, BigInteger)


def _select_value_counts(records: _PostgresRecords, value: Expression) -> Select[Any]:
    """Select ``key, value, size`` of usable records, and ``persons`` where somebody asks."""
    each = [records.key.label("key"), value.label("value")]
    rows = select(*each, *([] if records.person is None else [records.person.label("person")]))
    seen: FromClause = rows.select_from(records.table).where(not_(records.unusable)).subquery("seen")
    if records.person is None:
        return select(*seen.c, func.count().label("size")).group_by(*seen.c)
    seen = select(*seen.c, func.count().label("size")).group_by(*seen.c).subquery("seen_persons")
    pair, size = (seen.c.key, seen.c.value), _cast_whole_number(func.sum(seen.c.size)).label("size")
    return select(*pair, size, func.count().label("persons")).group_by(*pair)


def _number_of(rows: Select[Any]) -> Select[Any]:
    """Select how many rows a select has."""
    return select(func.count()).select_from(rows.subquery("counted"))


def _select_distinct_counts(records: _PostgresRecords) -> Select[Any]:
    """Select how many different values the usable records have in each column; null is none."""
    numbers: list[Expression] = [func.count(value.distinct()) for value in records.by]
    return select(*numbers).select_from(records.table).where(not_(records.unusable))


def _select_released_records(
    relation: _ReadTable, recoding: RecordRecoding, mapping: Table, classes: Table
) -> Select[Any]:
    """Select the records of a release: each that is usable and whose key is known, with the texts of its class.

    They stand in a random order: in that of the input, whoever has another list of it could join the two line by line.
    """
    records = _make_record_source(relation, recoding.request)
    columns = [
        (
            classes.c[str(column.text)]
            if column.source is None
            else column.select_in_postgresql(relation.typed(column.source))
        ).label(column.header)
        for column in recoding.columns
    ]
    if recoding.person is not None and records.person is not None:
        columns.append(records.person.label(recoding.person))
    # One table after the other, so that the keys are looked up without the texts.
    origin = records.table.join(mapping, mapping.c.key == records.key)
    origin = origin.join(classes, classes.c.class_id == mapping.c.class_id)
    return select(*columns).select_from(origin).where(not_(records.unusable)).order_by(func.random())


# The records of a table of PostgreSQL, with the types of its columns, as they are counted.


@dataclass(frozen=True)
class _ReadTable:
    """Something that is read, and the types of its columns."""

    name: str
    table: Any
    types: Mapping[str, PostgresType]
    doing: Doing
    is_plain: bool
    """Whether reading it runs nobody's expressions."""

    def value(self, name: str) -> Expression:
        """Return a column as it is compared."""
        if name not in self.types:
            raise UnknownColumnError(name, self.name, list(self.types))
        return normalise_value(self.table.c[name], self.types[name])

    def typed(self, name: str) -> Expression:
        """Return a column whose type a treatment knows."""
        return type_coerce(self.table.c[name], self.types[name].sql)

    def field(self, name: str, label: str) -> pa.Field:
        return make_arrow_field(label, self.types[name])


def _find_released_value(relation: _ReadTable, name: str, request: CountRequest) -> Expression:
    """Return a column as a release shows it, as it is compared there."""
    value, column = relation.value(name), request.treated.get(name)
    if column is None:
        return value
    treated = column.select_in_postgresql(relation.typed(name))
    return normalise_value(treated, relation.types[name]) if column.treatment.keeps_type else as_text(treated)


def _make_record_source(relation: _ReadTable, request: CountRequest) -> _PostgresRecords:
    """Return the records that a request counts.

    Raises
    ------
    UnknownColumnError
    """
    return _PostgresRecords(
        table=relation.table,
        by=tuple(map(relation.value, request.by)),
        passed=tuple(_find_released_value(relation, name, request) for name in request.passed),
        unusable=is_unusable(_list_tested_values(relation, request.lacking)),
        person=_number_person(relation, request),
        salt=request.salt,
    )


def _list_tested_values(relation: _ReadTable, lacking: Sequence[Lacking]) -> list[tuple[Expression, Sequence[str]]]:
    """List the values that may lack, each with its marks: only a text is one."""
    import pyarrow as pa

    values = ((relation.value(each.column), each) for each in lacking)
    return [
        (value, each.marks if pa.types.is_string(relation.field(each.column, "").type) else ())
        for value, each in values
    ]


def _number_person(relation: _ReadTable, request: CountRequest) -> Expression | None:
    """Return a number for the person of a record, null where a value of it lacks; None where nobody asks."""
    if not request.person:
        return None
    values = _list_tested_values(relation, request.person)
    number = RowHashes.whole([value for value, _ in values], request.secret)
    return case((not_(is_unusable(values)), number))


# The settings of the engine on PostgreSQL: our own, and those of the server that a run may change.

COMBINATIONS: Final = "combinations"
SERVER_SETTINGS: Final = (
    "work_mem",
    "statement_timeout",
    "lock_timeout",
    "temp_tablespaces",
    "max_parallel_workers_per_gather",
)
"""The settings of the server that a configuration may change, for the transaction of the run."""


def parse_most_combinations(given: str | None) -> int | None:
    """Read the setting of most combinations; None where it is left out."""
    if given is None:
        return None
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise SettingError(COMBINATIONS, given, "a whole number, at least 1")
    return int(given)


def check_server_settings(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the server.

    Raises
    ------
    UsageError
        If one of them is none that may be changed.
    """
    known = (COMBINATIONS, *SERVER_SETTINGS)
    for name in given:
        if name not in known:
            raise UsageError(
                f"There is no setting {quote(name)} of PostgreSQL here.{did_you_mean(name, known)} "
                f"These are: {', '.join(known)}."
            )
    return dict(given)


# PostgreSQL as an engine: it holds the records, and gets the release, in one transaction.
#
# Whatever is asked between `PostgreSQL.schema` and `PostgreSQL.publish` sees the records as they were when it began,
# and the commit is what publishes. What leaves it are counted combinations.

_LONGEST_NAME: Final = 63
_WRITING: Final = "writing the release"
_PUBLISHING: Final = "publishing the release"


class PostgreSQL:
    """A database that holds the records of one input; see `toolbox.engines.engine.Engine` for the calls.

    Parameters
    ----------
    url : str
        ``postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full``; the password is found as libpq finds it. To
        another machine the connection is encrypted, or there is none.
    table : str, optional
        The input, as ``schema.table``.
    query : str, optional
        One select in its place. It may not write.
    release : str
        The table that becomes the release, as ``schema.table``. Its columns that pass have the types of the input,
        labels are texts. It takes over the rights that were granted on the table that it replaces, but no indexes.
    replace : bool
        Whether a table by this name is replaced.
    settings : mapping of str to str
        ``combinations``: most combinations that are fetched, in place of those of a request. `SERVER_SETTINGS` as in
        postgresql.conf.

    Raises
    ------
    UsageError
        If these do not fit together.
    """

    keeps_order = False
    counts_persons = True

    def __init__(
        self,
        url: str,
        *,
        table: str | None = None,
        query: str | None = None,
        release: str,
        replace: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        if (table is None) == (query is None):
            raise UsageError("The input of a database is a table or a query. Give one of them.")
        self._url = url
        self._table = None if table is None else parse_table_name(table, folded=True)
        self._query = query
        self._release = parse_table_name(release, folded=True)
        self._replace = replace
        given = dict(settings or {})
        self._most = parse_most_combinations(given.pop(COMBINATIONS, None))
        self._settings = check_server_settings(given)
        self.name = "the query" if self._table is None else str(self._table)
        self._numbers = 0
        self._input: _ReadTable | None = None
        self._open: PostgresConnection | None = None

    def __enter__(self) -> Self:
        self._open = PostgresConnection(self._url, name=self.name, settings=self._settings)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._open is not None:
            self._open.close()

    @property
    def _connection(self) -> PostgresConnection:
        if self._open is None:
            raise RuntimeError("an engine is entered before it is asked")
        return self._open

    def schema(self) -> pa.Schema:
        """Return names and types of the columns of the input; `toolbox.engines.postgresql.types` has the list."""
        import pyarrow as pa

        origin = None
        if self._table is not None:
            relation = find_input_table(self._connection, self._table)
            origin = relation.oid
            self._input = self._described(
                relation.name, relation.schema, doing="reading the input", is_plain=relation.is_plain
            )
        self._release = check_output_place(self._connection, self._release, replace=self._replace, origin=origin)
        if self._query is not None:
            view = self._name_temporary_table("query")
            # What follows the query on its line may be a comment.
            self._connection.run(ViewOf(view, f"{self._query.rstrip().removesuffix(';')}\n"), doing="reading the query")
            self._input = self._described(view.name, view.schema, doing="reading the query", is_plain=False)
        return pa.schema([make_arrow_field(name, of) for name, of in self._read.types.items()])

    @property
    def _read(self) -> _ReadTable:
        if self._input is None:
            self.schema()
        assert self._input is not None
        return self._input

    def _described(self, name: str, schema: str | None, *, doing: Doing, is_plain: bool) -> _ReadTable:
        types = read_column_types(self._connection, table(name, schema=schema), doing=doing)
        return _ReadTable(self.name, table(name, *map(column, types), schema=schema), types, doing, is_plain)

    def count(self, request: CountRequest) -> CountedRecords:
        """Count the records of the input."""
        return self._counted(self._read, request)

    def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
        """Read back what was written, and count it; the mapping has no part in it."""
        written = self._described(staged.name, self._release.schema, doing=_WRITING, is_plain=True)
        return self._counted(written, request)

    def _counted(self, relation: _ReadTable, request: CountRequest) -> CountedRecords:
        records = _make_record_source(relation, request)
        most = self._most or request.most
        statement = _select_combinations(records)
        grouped, size = self._grouped(relation, statement, most)
        if size > most:
            exact = self._connection.scalar(_number_of(statement), doing=relation.doing)
            # Of all records: the rows that were kept are the first ones in the order in which the server has grouped.
            (found,) = self._connection.rows(_select_distinct_counts(records), doing=relation.doing)
            raise make_combinations_error(self.name, exact, most, dict(zip(request.by, found, strict=True)))
        numbers = [*_NUMBERS, *_list_person_columns(records)]
        fields = [
            _make_integer_field("key"),
            *(relation.field(name, f"by_{place}") for place, name in enumerate(request.by, start=1)),
            _make_boolean_field("unusable"),
            *map(_make_integer_field, numbers),
        ]
        fetched = self._fetched(grouped, fields, ["key", *request.by, "unusable", *numbers], relation.doing)
        held = tuple(self._held(relation, records, name, most) for name in request.judged)
        counted = CountedRecords(fetched, held, self._count_persons(relation, records))
        skipped = select(func.count()).select_from(records.table).where(records.unusable)
        return counted.add_unusable(self._connection.scalar(skipped, doing=relation.doing) if request.lacking else 0)

    def _count_persons(self, relation: _ReadTable, records: _PostgresRecords) -> CountedPersons | None:
        if records.person is None:
            return None
        ((count, several, nobodies, lacking),) = self._connection.rows(
            _select_person_counts(records), doing=relation.doing
        )
        return CountedPersons(count, several, lacking, bool(nobodies))

    def _held(self, relation: _ReadTable, records: _PostgresRecords, name: str, most: int) -> pa.Table:
        """Count the values of a judged column for each key."""
        grouped, size = self._grouped(relation, _select_value_counts(records, relation.value(name)), most)
        if size > most:
            raise UnsatisfiableError(
                f"{self.name}: the combinations of quasi-identifiers hold more than {format_count(most, 'value')} of "
                f"{name}, each counted once for each combination. Put values of level 1 of a hierarchy, or ranges, in "
                "the place of such a column, or raise the setting combinations of the engine."
            )
        numbers = ["size", *_list_person_columns(records)]
        fields = [_make_integer_field("key"), relation.field(name, "value"), *map(_make_integer_field, numbers)]
        return self._fetched(grouped, fields, ["key", name, *numbers], relation.doing)

    def _grouped(self, relation: _ReadTable, rows: Select[Any], most: int) -> tuple[Table, int]:
        """Keep the first rows of a select in a temporary table; return that and their number, at most one too many."""
        rows = rows.limit(most + 1)
        names = [label.name for label in rows.selected_columns]
        kept = self._name_temporary_table("counted", *(Column(name) for name in names))
        if relation.is_plain:
            # A table that is created from a select is filled by several processes, others are not.
            return kept, self._connection.run(TableAs(kept, rows, is_temporary=True), doing=relation.doing)
        self._connection.run(TableAs(kept, rows, is_temporary=True, is_empty=True), doing=relation.doing)
        with self._connection.read_only(doing=relation.doing):
            return kept, self._connection.run(kept.insert().from_select(names, rows), doing=relation.doing)

    def _fetched(self, grouped: Table, fields: list[pa.Field], columns: list[str], doing: Doing) -> pa.Table:
        """Fetch a temporary table, whose columns messages call otherwise, and drop it."""
        import pyarrow as pa

        shown = [encode_sent_value(grouped.c[each.name], each.type).label(each.name) for each in fields]
        texts = [each.name for each in fields if pa.types.is_string(each.type)]
        blocks = self._connection.copy_out(CopyOut(select(*shown), texts), doing=doing)
        result = read_copy_rows(blocks, pa.schema(fields), self.name, columns)
        self._connection.run(DropTable(grouped), doing=doing)
        return result

    def write(self, recoding: RecordRecoding) -> Staged:
        """Write the release as a table of another name, which nobody sees before the commit."""
        require_headers([*(each.header for each in recoding.columns), *filter(None, [recoding.person])])
        relation = self._read
        mapping = self._filled("mapping", recoding.mapping.select(["key", "class_id"]))
        texts = [name for name in recoding.classes.column_names if name != "class_id"]
        classes = self._filled("classes", recoding.classes.select(["class_id", *texts]))
        staged = make_staged_table(self._release)
        rows = _select_released_records(relation, recoding, mapping, classes)
        self._connection.run(TableAs(staged, rows, is_temporary=False), doing=_WRITING)
        self._connection.run(Analyze(staged), doing=_WRITING)
        for done in (mapping, classes):
            self._connection.run(DropTable(done), doing=_WRITING)
        return Staged(staged.name)

    def _filled(self, name: str, rows: pa.Table) -> Table:
        """Fill a temporary table; a column of texts may have any name."""
        import pyarrow as pa

        columns = [
            Column(f"column_{place}", BigInteger() if pa.types.is_integer(each.type) else Text(), key=each.name)
            for place, each in enumerate(rows.schema)
        ]
        filled = self._name_temporary_table(name, *columns)
        self._connection.run(CreateTable(filled), doing=_WRITING)
        self._connection.copy_in(CopyIn(filled), encode_copy_rows(rows), doing=_WRITING)
        self._connection.run(Analyze(filled), doing=_WRITING)
        return filled

    def remove_column(self, staged: Staged, header: str) -> Staged:
        """Write all other columns into another table: one that is dropped stays in the pages of its table."""
        written = self._described(staged.name, self._release.schema, doing=_WRITING, is_plain=True)
        kept, old = make_staged_table(self._release), Table(staged.name, MetaData(), schema=self._release.schema)
        rows = select(*(each for each in written.table.c if each.name != header)).select_from(written.table)
        self._connection.run(TableAs(kept, rows, is_temporary=False), doing=_WRITING)
        self._connection.run(Analyze(kept), doing=_WRITING)
        self._connection.run(DropTable(old), doing=_WRITING)
        return Staged(kept.name)

    def publish(self, staged: Staged) -> None:
        """Give the release its name, in the place of an old one where that may go, and commit."""
        connection = self._connection
        put_in_place(connection, staged.name, self._release, replace=self._replace)
        if self._query is not None:
            connection.run(DropView(self._read.table), doing=_PUBLISHING)
        connection.commit(doing=_PUBLISHING)

    def discard(self, staged: Staged) -> None:
        """Undo the whole transaction."""
        self._connection.close()

    def _name_temporary_table(self, name: str, *columns: Column[Any]) -> Table:
        """Return a temporary table that no other of this run is called like."""
        self._numbers += 1
        return Table(
            f"toolbox_{name}_{self._numbers}",
            MetaData(),
            *columns,
            schema="pg_temp",
            prefixes=["TEMPORARY"],
            postgresql_on_commit="DROP",
        )


_NUMBERS: Final = ("size", "sum_1", "sum_2")


def _list_person_columns(records: _PostgresRecords) -> list[str]:
    return [] if records.person is None else ["persons"]


def _make_integer_field(name: str) -> pa.Field:
    import pyarrow as pa

    return pa.field(name, pa.int64())


def _make_boolean_field(name: str) -> pa.Field:
    import pyarrow as pa

    return pa.field(name, pa.bool_())
