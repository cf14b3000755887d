"""What every engine promises, as checks that know nothing of it but the protocol, judged by brute force.

A test of an engine makes a `Bench` and hands it to each of `CHECKS`.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from sqlalchemy import func

from toolbox.engines.engine import CountedPersons, CountedRecords, CountRequest, Engine, Lacking, RecordRecoding, Staged
from toolbox.errors import OutputError, UnsatisfiableError
from toolbox.treatments.treatment import ReleasedColumn, Treatment


class Bench(Protocol):
    """A place where an engine is tried: one input, one release."""

    def fill(self, records: pa.Table) -> pa.Table:
        """Make these records the input; return them as the engine can hold them: some have no NaN, say."""

    def engine(self, *, replace: bool = False) -> Engine:
        """Return an engine for the input and the release, which nobody has entered."""

    def released(self) -> list[tuple[Any, ...]] | None:
        """Return the rows of the release as any reader sees them; None if there is none."""

    def spoil(self, engine: Engine, staged: Staged, how: Literal["double", "lose"]) -> None:
        """Write one part of a staged release twice, or lose it; at least one record, and not all."""


TEXT, WHOLE, FLOAT, DECIMAL = "select", "full name", 'größe "cm".%s', "a.b"
DAY, MOMENT, ZONED, FLAG, ILLNESS, ID = "naïve:day", "Moment", "with zone", "order", "illness 100%", "id"
_TEXTS = [None, "", "a", "A", "b", "ä", "a\u0308", " a", "a ", "O'Neil", 'say "hi"', "line\nbreak", "a\r\nb", "tab\t"]
_TEXTS += ["back\\slash", "\\N", "\\.", "comma,", "100%", "%s", ":x", "NULL", "null", "🙂", "Z", "ß", "ss"]
_LARGEST = 2**63 - 1
_VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    TEXT: (pa.string(), _TEXTS),
    WHOLE: (pa.int64(), [None, 0, 1, -1, _LARGEST, -_LARGEST - 1, _LARGEST - 1]),
    FLOAT: (pa.float64(), [None, 0.0, -0.0, math.nan, math.inf, -math.inf, 1e16, 0.1, 1 / 3, 5e-324]),
    DECIMAL: (pa.decimal128(18, 2), [None, Decimal("0.00"), Decimal("-1.50"), Decimal("9999999999999999.99")]),
    DAY: (pa.date32(), [None, date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31)]),
    MOMENT: (pa.timestamp("us"), [None, datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 3, 31, 2, 30)]),
    ZONED: (
        pa.timestamp("us", "UTC"),
        [None, datetime(2024, 3, 31, 1, 30, tzinfo=UTC), datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=UTC)],
    ),
    FLAG: (pa.bool_(), [None, True, False]),
    ILLNESS: (pa.string(), [None, "", "flu", "Flu", "cold"]),
}
EVERY = tuple(name for name in _VALUES if name != ILLNESS)


def hard_records(number: int = 400, seed: int = 1) -> pa.Table:
    """Return records in which each value of every column occurs, if there are enough, and some twice."""
    draw = random.Random(seed)
    columns: dict[str, Any] = {ID: pa.array(range(number), pa.int64())}
    for name, (kind, values) in _VALUES.items():
        drawn = [values[row] if row < len(values) else draw.choice(values) for row in range(number)]
        columns[name] = pa.array([drawn[row - row % 4] if row > 100 else drawn[row] for row in range(number)], kind)
    return pa.table(columns)


def plain(value: Any) -> Any:
    """Return a value as it counts: two zeros are one, all NaN are one, a moment is one in every zone."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value


class Brute(NamedTuple):
    """Records counted by plain Python."""

    combinations: Counter[tuple[Any, ...]]
    """By values, and whether they are unusable."""
    held: list[Counter[tuple[Any, ...]]]
    """By values of a combination, and that of the judged column."""


def brute(records: pa.Table, request: CountRequest) -> Brute:
    combinations: Counter[tuple[Any, ...]] = Counter()
    held: list[Counter[tuple[Any, ...]]] = [Counter() for _ in request.judged]
    for record in records.to_pylist():
        values = values_of(record, request.by)
        unusable = is_unusable(record, request.lacking)
        # Whatever the values of records that are skipped are, nobody sends them.
        combinations[*((None,) * len(values) if unusable else values), unusable] += 1
        if not unusable:
            for counter, judged in zip(held, request.judged, strict=True):
                counter[*values, plain(record[judged])] += 1
    return Brute(combinations, held)


def values_of(record: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(plain(record[name]) for name in names)


def is_unusable(record: Mapping[str, Any], lacking: Sequence[Lacking]) -> bool:
    return any(record[each.column] is None or record[each.column] in each.marks for each in lacking)


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(map(plain, row)) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def require_counted(counted: CountedRecords, records: pa.Table, request: CountRequest) -> dict[tuple[Any, ...], int]:
    """Compare what was counted with brute force; return the key of each combination of values."""
    expected = brute(records, request)
    width = len(request.by)
    names = [f"by_{place}" for place in range(1, width + 1)]
    assert counted.combinations.column_names == ["key", *names, "unusable", "size", "sum_1", "sum_2"]
    assert [counted.combinations.schema.field(name).type for name in ("key", "size", "sum_1", "sum_2")] == [
        pa.int64()
    ] * 4
    rows = rows_of(counted.combinations)
    sizes = {row[1 : width + 2]: row[width + 2] for row in rows}
    assert len(sizes) == len(rows)
    assert sizes == expected.combinations
    keys = {row[1 : width + 1]: row[0] for row in rows if not row[width + 1]}
    assert len(set(keys.values())) == len(keys)
    assert len(counted.held) == len(request.judged)
    for found, wanted in zip(counted.held, expected.held, strict=True):
        assert found.column_names == ["key", "value", "size"]
        values = {key: combination for combination, key in keys.items()}
        assert {(*values[key], value): size for key, value, size in rows_of(found)} == wanted
        assert found.num_rows == len(wanted)
    return keys


def check_the_schema_has_the_columns_in_their_order_with_their_types(bench: Bench) -> None:
    records = bench.fill(hard_records())
    with bench.engine() as engine:
        assert [(field.name, field.type) for field in engine.schema()] == [(f.name, f.type) for f in records.schema]


def check_the_values_have_the_types_of_the_schema(bench: Bench) -> None:
    bench.fill(hard_records())
    with bench.engine() as engine:
        schema = engine.schema()
        counted = engine.count(CountRequest(by=EVERY, judged=(ILLNESS, WHOLE), passed=(ILLNESS, WHOLE)))
    kinds = [counted.combinations.schema.field(f"by_{place}").type for place in range(1, len(EVERY) + 1)]
    assert kinds == [schema.field(name).type for name in EVERY]
    assert [found.schema.field("value").type for found in counted.held] == [pa.string(), pa.int64()]


def check_all_columns_together_are_counted_as_brute_force_counts_them(bench: Bench) -> None:
    records = bench.fill(hard_records())
    request = CountRequest(by=EVERY, judged=(ILLNESS,), passed=(ILLNESS, ID), salt=5)
    with bench.engine() as engine:
        engine.schema()
        require_counted(engine.count(request), records, request)


def check_each_column_alone_is_counted_and_judged_as_brute_force_does(bench: Bench) -> None:
    records = bench.fill(hard_records())
    with bench.engine() as engine:
        engine.schema()
        for name in EVERY:
            request = CountRequest(by=(name,), judged=(name, ILLNESS), passed=(name, ILLNESS))
            require_counted(engine.count(request), records, request)


def check_a_null_counts_by_its_place(bench: Bench) -> None:
    records = pa.table({name: pa.array(column, pa.string()) for name, column in {
        "a": [None, "x", None, "", "x", None, ""], "b": ["x", None, None, "x", "", "", None]}.items()})  # fmt: skip
    records = bench.fill(records)
    with bench.engine() as engine:
        engine.schema()
        for salt in range(3):
            request = CountRequest(by=("a", "b"), salt=salt)
            assert len(require_counted(engine.count(request), records, request)) == 7


def check_a_salt_changes_all_keys_and_the_same_one_changes_none(bench: Bench) -> None:
    records = bench.fill(hard_records())
    seen: list[dict[tuple[Any, ...], int]] = []
    with bench.engine() as engine:
        engine.schema()
        for salt in (0, 1, -1, _LARGEST, -_LARGEST - 1, 0):
            request = CountRequest(by=(TEXT, WHOLE), salt=salt)
            seen.append(require_counted(engine.count(request), records, request))
    assert seen[0] == seen[-1]
    for place, keys in enumerate(seen[:-1]):
        assert all(keys[values] != other[values] for other in seen[place + 1 : -1] for values in keys)


def check_a_record_that_lacks_a_value_is_unusable(bench: Bench) -> None:
    records = bench.fill(hard_records())
    lacking = (
        Lacking(column=ILLNESS, marks=("", "cold", "not there", "it's \\ 100%")),
        Lacking(column=DAY, marks=("",)),
    )
    request = CountRequest(by=(TEXT, FLAG), judged=(ILLNESS, DAY), passed=(ILLNESS, DAY, ID), lacking=lacking)
    with bench.engine() as engine:
        engine.schema()
        keys = require_counted(engine.count(request), records, request)
        mapping = dict.fromkeys(keys, 0)
        staged = engine.write(
            recoding(
                request, keys, mapping, [["x"]], (ReleasedColumn("text", text="text_0"), ReleasedColumn(ID, source=ID))
            )
        )
        engine.publish(staged)
    usable = [("x", record[ID]) for record in records.to_pylist() if not is_unusable(record, lacking)]
    assert 0 < len(usable) < records.num_rows
    assert sorted(bench.released() or []) == sorted(usable)


def check_sixty_four_quasi_identifiers_are_counted(bench: Bench) -> None:
    draw = random.Random(2)
    names = tuple(f"q {place}" for place in range(64))
    records = pa.table(
        {name: pa.array([draw.choice([None, "x", "y"]) for _ in range(60)], pa.string()) for name in names}
    )
    records = bench.fill(records)
    request = CountRequest(by=names)
    with bench.engine() as engine:
        engine.schema()
        keys = require_counted(engine.count(request), records, request)
        classes = [["x"] * 64, [None] * 64]
        headers = tuple(ReleasedColumn(name, text=f"text_{place}") for place, name in enumerate(names))
        staged = engine.write(
            recoding(request, keys, {values: place % 2 for place, values in enumerate(keys)}, classes, headers)
        )
        again = engine.recount(staged, request)
    assert sorted(again.combinations["size"].to_pylist()) == [30, 30]


def check_an_empty_input_has_no_combinations_and_an_empty_release(bench: Bench) -> None:
    bench.fill(hard_records(0))
    request = CountRequest(by=(TEXT, WHOLE), judged=(ILLNESS,), passed=(ILLNESS, ID))
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(request)
        assert (counted.combinations.num_rows, counted.held[0].num_rows) == (0, 0)
        engine.publish(engine.write(recoding(request, {}, {}, [], _COLUMNS)))
    assert bench.released() == []


def check_more_combinations_than_wanted_are_refused_with_their_number(bench: Bench) -> None:
    found = len(brute(bench.fill(hard_records()), CountRequest(by=(TEXT, WHOLE))).combinations)
    with bench.engine() as engine:
        engine.schema()
        assert engine.count(CountRequest(by=(TEXT, WHOLE), most=found)).combinations.num_rows == found
        with pytest.raises(UnsatisfiableError, match=f"{found:,} combinations, more than the {found - 1:,} that"):
            engine.count(CountRequest(by=(TEXT, WHOLE), most=found - 1))


def check_combinations_of_records_that_are_skipped_are_not_among_those_that_are_fetched(bench: Bench) -> None:
    ages = [20, 20, 30, *range(40, 60)]
    sick = ["flu", "cold", "flu", *([None, ""] * 10)]
    bench.fill(pa.table({"age": pa.array(ages, pa.int64()), "sick": pa.array(sick, pa.string())}))
    request = CountRequest(by=("age",), judged=("sick",), lacking=(Lacking(column="sick", marks=("",)),))
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(replace(request, most=4)).combinations
        assert sorted(zip(*(counted[name].to_pylist() for name in ("unusable", "size")), strict=True)) == [
            (False, 1), (False, 2), (True, 20)
        ]  # fmt: skip
        with pytest.raises(UnsatisfiableError, match="2 combinations, more than the 1 that"):
            engine.count(replace(request, judged=(), most=1))


def check_a_release_has_the_texts_of_the_classes_and_passes_the_rest_as_it_is(bench: Bench) -> None:
    records = bench.fill(hard_records())
    labels: list[list[str | None]] = [[text, f"label {place}"] for place, text in enumerate(_TEXTS)]
    columns = (
        ReleasedColumn("label", text="text_1"),
        *(ReleasedColumn(f"its {name}", source=name) for name in (*EVERY, ILLNESS)),
        ReleasedColumn(TEXT, text="text_0"),
        ReleasedColumn(ID, source=ID),
    )
    request = CountRequest(by=(TEXT, WHOLE, FLOAT), passed=(*EVERY, ILLNESS, ID), salt=9)
    with bench.engine() as engine:
        engine.schema()
        keys = require_counted(engine.count(request), records, request)
        chosen = {values: place % len(labels) for place, values in enumerate(keys)}
        engine.publish(engine.write(recoding(request, keys, chosen, labels, columns)))
    expected = []
    for record in records.to_pylist():
        text, label = labels[chosen[values_of(record, request.by)]]
        expected.append((label, *(shown(record[name]) for name in (*EVERY, ILLNESS)), text, record[ID]))
    released = bench.released()
    assert released is not None
    assert Counter(tuple(map(shown, row)) for row in released) == Counter(expected)


def shown(value: Any) -> Any:
    """Return a value so that equal ones look the same: of two zeros, each is itself."""
    return repr(value) if isinstance(value, float) else plain(value)


def check_records_of_a_combination_without_a_class_are_left_out(bench: Bench) -> None:
    records = bench.fill(hard_records())
    request = CountRequest(by=(TEXT,), passed=(ID,))
    with bench.engine() as engine:
        engine.schema()
        keys = require_counted(engine.count(request), records, request)
        kept = {values: 0 for values in keys if values[0] in ("a", None)}
        staged = engine.write(recoding(request, keys, kept, [["*"]], _COLUMNS))
        engine.publish(staged)
    expected = [("*", record[ID]) for record in records.to_pylist() if record[TEXT] in ("a", None)]
    assert len(expected) > 1
    assert sorted(bench.released() or []) == expected


def check_a_release_is_neither_in_the_order_of_the_input_nor_in_that_of_its_classes(bench: Bench) -> None:
    towns = ["Ulm", "Bonn"] * 200
    records = bench.fill(pa.table({"town": towns, ID: pa.array(range(len(towns)), pa.int64())}))
    request = CountRequest(by=("town",), passed=(ID,))
    with bench.engine() as engine:
        engine.schema()
        keys = require_counted(engine.count(request), records, request)
        classes = {("Ulm",): 0, ("Bonn",): 1}
        engine.publish(engine.write(recoding(request, keys, classes, [["south"], ["north"]], _COLUMNS)))
    released = bench.released() or []
    assert sorted(number for _, number in released) == list(range(len(towns)))
    rises = sum(first[1] < second[1] for first, second in pairwise(released))
    changes = sum(first[0] != second[0] for first, second in pairwise(released))
    # Both are 200 on average, and are this far from it once in a million million runs.
    assert 120 < rises < 280
    assert 120 < changes < 280


def check_a_release_of_no_records_has_its_columns(bench: Bench) -> None:
    bench.fill(hard_records())
    request = CountRequest(by=(TEXT,), passed=(ID,))
    with bench.engine() as engine:
        engine.schema()
        engine.count(request)
        staged = engine.write(recoding(request, {}, {}, [], _COLUMNS))
        again = engine.recount(staged, CountRequest(by=("label",), judged=(ID,), passed=(ID,)))
        assert (again.combinations.num_rows, again.held[0].num_rows) == (0, 0)
        engine.publish(staged)
    assert bench.released() == []


def check_a_recount_has_the_sizes_values_and_sums_of_the_classes(bench: Bench) -> None:
    records = bench.fill(hard_records())
    request = CountRequest(by=(TEXT, WHOLE), judged=(ILLNESS,), passed=(ILLNESS, FLOAT, ID, ZONED), salt=3)
    with bench.engine() as engine:
        _, wanted, staged = written(engine, records, request)
        again = recounted(engine, staged, request)
    assert sums_by_text(again.combinations, "by_1") == wanted
    texts = {key: text for key, text, *_ in rows_of(again.combinations)}
    held = {(texts[key], value): size for key, value, size in rows_of(again.held[0])}
    assert held == Counter((class_of(record), record[ILLNESS]) for record in records.to_pylist())


VISITS = pa.table({
    "who": ["p1", "p1", "p1", "p2", "p3", "p3", None, "", "p4"],
    "house": [1, 1, 1, 1, 2, 2, None, 3, 1],
    "age": [30, 30, 30, 30, 41, 41, 41, 41, 52],
    "sick": ["flu", "flu", "cold", "flu", "gout", None, "flu", "gout", "flu"],
    ID: list(range(9)),
})  # fmt: skip
"""Four persons, two records of nobody, and of p3 one record that lacks the illness."""
BY_PERSON = CountRequest(
    by=("age",),
    judged=("sick",),
    passed=("sick", ID),
    lacking=(Lacking(column="sick", marks=("",)),),
    person=(Lacking(column="who", marks=("",)), Lacking(column="house", marks=("",))),
    secret=77,
)


def check_persons_are_counted_by_combination_by_value_and_in_all(bench: Bench) -> None:
    bench.fill(VISITS)
    with bench.engine() as engine:
        assert engine.counts_persons
        engine.schema()
        counted = engine.count(BY_PERSON)
    found = counted.combinations.filter(pc.invert(counted.combinations["unusable"]))
    sizes = {row["by_1"]: (row["size"], row["persons"]) for row in found.to_pylist()}
    assert sizes == {30: (4, 2), 41: (3, 2), 52: (1, 1)}
    ages = {row["key"]: row["by_1"] for row in found.to_pylist()}
    (held,) = counted.held
    assert held.column_names == ["key", "value", "size", "persons"]
    assert {(ages[key], value): numbers for key, value, *numbers in rows_of(held)} == {
        (30, "flu"): [3, 2],
        (30, "cold"): [1, 1],
        (41, "gout"): [2, 2],
        (41, "flu"): [1, 1],
        (52, "flu"): [1, 1],
    }
    assert counted.persons == CountedPersons(number=5, several=0, lacking=2, is_nobody_several=False)


def check_persons_with_several_combinations_are_counted(bench: Bench) -> None:
    bench.fill(VISITS.set_column(2, "age", pa.array([30, 30, 31, 30, 41, 42, 41, 42, 52], pa.int64())))
    with bench.engine() as engine:
        engine.schema()
        persons = engine.count(BY_PERSON).persons
        # The record of p3 that would be of another age lacks its illness.
        assert persons == CountedPersons(number=5, several=2, lacking=2, is_nobody_several=True)
        assert engine.count(replace(BY_PERSON, lacking=())).persons == persons._replace(several=3)


def check_persons_are_counted_in_what_was_written_and_their_column_goes(bench: Bench) -> None:
    bench.fill(VISITS)
    columns = (*_COLUMNS, ReleasedColumn("sick", source="sick"))
    with bench.engine() as engine:
        engine.schema()
        keys = {row[1:2]: row[0] for row in rows_of(engine.count(BY_PERSON).combinations)}
        chosen = {(30,): 0, (41,): 1, (52,): 0}
        made = recoding(BY_PERSON, keys, chosen, [["under 40 or over 50"], ["41"]], columns)
        staged = engine.write(replace(made, person="a person"))
        counted_by = (Lacking(column="a person", marks=("",)),)
        request = CountRequest(by=("label",), judged=("sick",), person=counted_by, secret=5)
        again = engine.recount(staged, request)
        sizes = {row["by_1"]: (row["size"], row["persons"]) for row in again.combinations.to_pylist()}
        assert sizes == {"under 40 or over 50": (5, 3), "41": (3, 2)}
        assert again.persons == CountedPersons(number=5, several=0, lacking=2, is_nobody_several=False)
        assert sorted(row[2:] for row in rows_of(again.held[0])) == [(1, 1), (1, 1), (2, 2), (4, 3)]
        left = engine.remove_column(staged, "a person")
        same = engine.recount(left, CountRequest(by=("label",), passed=("sick", ID))).combinations
        assert sorted(same["size"].to_pylist()) == [3, 5]
        engine.publish(left)
    texts = {30: "under 40 or over 50", 52: "under 40 or over 50", 41: "41"}
    expected = [(texts[one["age"]], one[ID], one["sick"]) for one in VISITS.to_pylist() if one["sick"]]
    assert sorted(bench.released() or []) == sorted(expected)


class _Capitals(Treatment):
    """Texts in capital letters, here and in each engine."""

    name = "capitals"
    words = "in capital letters"
    promise = "no letter is small"

    def treat(self, value: Any) -> Any:
        return func.upper(value)

    def treat_in_postgresql(self, value: Any) -> Any:
        return func.upper(value)

    def treat_in_spark(self, value: Any, functions: Any) -> Any:
        return functions.upper(value)


def check_a_treated_column_is_written_and_summed_as_it_is_released(bench: Bench) -> None:
    bench.fill(pa.table({"q": ["x", "x", "y"], "note": ["a b", None, "c"], "id": ["i", "j", "k"]}))
    column = ReleasedColumn("note", source="note", treatment=_Capitals())
    request = CountRequest(by=("q",), passed=("note", "id"), treated={"note": column})
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(request)
        keys = {(value,): key for key, value, *_ in rows_of(counted.combinations)}
        columns = (ReleasedColumn("q", text="text_0"), column, ReleasedColumn("id", source="id"))
        staged = engine.write(recoding(request, keys, {("x",): 0, ("y",): 1}, [["x"], ["y"]], columns))
        again = engine.recount(staged, CountRequest(by=("q",), judged=("note",), passed=("note", "id")))
        engine.publish(staged)
    assert sums_by_text(again.combinations, "by_1") == sums_by_text(counted.combinations, "by_1")
    assert Counter(bench.released()) == Counter([("x", "A B", "i"), ("x", None, "j"), ("y", "C", "k")])
    assert {value for _, value, _ in rows_of(again.held[0])} == {"A B", None, "C"}


def check_the_sums_of_other_records_are_others(bench: Bench) -> None:
    """One value, one place of it, one record: whatever of a combination changes, a sum changes."""
    base = {"q": ["x", "x"], "a": ["1", "2"], "b": ["3", "4"]}
    others = [base, {**base, "a": ["1", "1"]}, {**base, "a": ["2", None]}, {**base, "a": ["4", "3"], "b": ["2", "1"]}]
    others += [{**base, "b": ["4", "3"]}, {"q": ["x"], "a": ["1"], "b": ["3"]}, {**base, "a": ["1", ""]}]
    sums = set()
    for columns in others:
        bench.fill(pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()}))
        with bench.engine() as engine:
            engine.schema()
            (row,) = rows_of(engine.count(CountRequest(by=("q",), passed=("a", "b"))).combinations)
        sums.add(row[-2:])
        assert 0 <= min(row[-2:]) <= max(row[-2:]) < 2**33
    assert len(sums) == len(others)


def check_sums_are_nothing_where_nothing_passes(bench: Bench) -> None:
    bench.fill(hard_records())
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(CountRequest(by=(TEXT,)))
    assert set(counted.combinations["sum_1"].to_pylist() + counted.combinations["sum_2"].to_pylist()) == {0}


def check_a_part_that_is_written_twice_is_seen(bench: Bench) -> None:
    _require_spoilt_part_is_seen(bench, "double")


def check_a_part_that_is_lost_is_seen(bench: Bench) -> None:
    _require_spoilt_part_is_seen(bench, "lose")


def _require_spoilt_part_is_seen(bench: Bench, how: Literal["double", "lose"]) -> None:
    records = bench.fill(hard_records())
    request = CountRequest(by=(TEXT, WHOLE), judged=(ILLNESS,), passed=(ILLNESS, FLOAT, ID, ZONED))
    with bench.engine() as engine:
        _, wanted, staged = written(engine, records, request)
        assert sums_by_text(recounted(engine, staged, request).combinations, "by_1") == wanted
        bench.spoil(engine, staged, how)
        spoilt = sums_by_text(recounted(engine, staged, request).combinations, "by_1")
    wrong = [text for text in wanted if spoilt.get(text) != wanted[text]]
    assert wrong
    # The sums show it also where the number of records happens to be right.
    assert all(spoilt.get(text, (0, 0, 0))[1:] != wanted[text][1:] for text in wrong)


def check_nobody_sees_a_release_before_it_is_published(bench: Bench) -> None:
    records = bench.fill(hard_records())
    request = CountRequest(by=(TEXT,), judged=(ILLNESS,), passed=(ILLNESS, FLOAT, ID, ZONED))
    with bench.engine() as engine:
        _, _, staged = written(engine, records, request)
        recounted(engine, staged, request)
        assert bench.released() is None
        engine.publish(staged)
        assert len(bench.released() or []) == records.num_rows
    assert len(bench.released() or []) == records.num_rows


def check_leaving_without_publishing_leaves_nothing(bench: Bench) -> None:
    records = bench.fill(hard_records())
    request = CountRequest(by=(TEXT,), passed=(ILLNESS, FLOAT, ID, ZONED))
    with pytest.raises(KeyError), bench.engine() as engine:
        written(engine, records, request)
        raise KeyError
    assert bench.released() is None


def check_a_discarded_release_leaves_nothing(bench: Bench) -> None:
    records = bench.fill(hard_records())
    with bench.engine() as engine:
        _, _, staged = written(engine, records, CountRequest(by=(TEXT,), passed=(ILLNESS, FLOAT, ID, ZONED)))
        engine.discard(staged)
    assert bench.released() is None


def check_an_old_release_is_refused_unless_it_may_be_replaced(bench: Bench) -> None:
    bench.fill(hard_records())
    old = publish_all(bench, "old")
    with bench.engine() as engine, pytest.raises(OutputError):
        engine.schema()
    assert bench.released() == old


def check_an_old_release_stays_until_the_new_one_is_published(bench: Bench) -> None:
    records = bench.fill(hard_records())
    old = publish_all(bench, "old")
    request = CountRequest(by=(TEXT,), passed=(ILLNESS, FLOAT, ID, ZONED))
    with bench.engine(replace=True) as engine:
        written(engine, records, request)
        assert bench.released() == old
    assert bench.released() == old
    new = publish_all(bench, "new", replace=True)
    assert {row[0] for row in new} == {"new"}
    assert len(new) == records.num_rows


_COLUMNS = (ReleasedColumn("label", text="text_0"), ReleasedColumn(ID, source=ID))


def publish_all(bench: Bench, label: str, *, replace: bool = False) -> list[tuple[Any, ...]]:
    """Publish all records as one class."""
    request = CountRequest(by=(FLAG,), passed=(ID,))
    with bench.engine(replace=replace) as engine:
        engine.schema()
        keys = {row[1:2]: row[0] for row in rows_of(engine.count(request).combinations)}
        engine.publish(engine.write(recoding(request, keys, dict.fromkeys(keys, 0), [[label]], _COLUMNS)))
    released = bench.released()
    assert released
    return released


def recoding(
    request: CountRequest,
    keys: Mapping[tuple[Any, ...], int],
    chosen: Mapping[tuple[Any, ...], int],
    labels: Sequence[Sequence[str | None]],
    columns: tuple[ReleasedColumn, ...],
) -> RecordRecoding:
    """Return what becomes of combinations.

    Parameters
    ----------
    keys
        Of each combination.
    chosen
        The class of those that are released.
    labels
        Of each class, as many texts; they are called ``text_0``, ``text_1``, ..
    """
    mapping = pa.table(
        {
            "key": pa.array([keys[values] for values in chosen], pa.int64()),
            "class_id": pa.array(list(chosen.values()), pa.int64()),
        }
    )
    width = max((int(str(column.text).removeprefix("text_")) + 1 for column in columns if column.text), default=0)
    texts = {f"text_{place}": pa.array([label[place] for label in labels], pa.string()) for place in range(width)}
    classes = pa.table({"class_id": pa.array(range(len(labels)), pa.int64()), **texts})
    return RecordRecoding(request=request, mapping=mapping, classes=classes, columns=columns)


def class_of(record: Mapping[str, Any]) -> str:
    text = record[TEXT]
    return "none" if text is None else f"length {len(text)}"


def written(
    engine: Engine, records: pa.Table, request: CountRequest
) -> tuple[CountedRecords, dict[Any, tuple[int, int, int]], Staged]:
    """Write a release in which texts of one length are one class; return the sizes and sums that each class must have."""
    engine.schema()
    counted = engine.count(request)
    place = request.by.index(TEXT) + 1
    texts = [class_of({TEXT: text}) for text in counted.combinations[f"by_{place}"].to_pylist()]
    names = sorted(set(texts))
    mapping = pa.table({
        "key": counted.combinations["key"], "class_id": pa.array([names.index(text) for text in texts], pa.int64())
    })  # fmt: skip
    classes = pa.table({"class_id": pa.array(range(len(names)), pa.int64()), "the text": pa.array(names, pa.string())})
    passed = tuple(ReleasedColumn(f"p {name}", source=name) for name in request.passed)
    columns = (ReleasedColumn("q", text="the text"), *passed)
    staged = engine.write(RecordRecoding(request=request, mapping=mapping, classes=classes, columns=columns))
    return counted, sums_by_text(counted.combinations.append_column("text", pa.array(texts)), "text"), staged


def recounted(engine: Engine, staged: Staged, request: CountRequest) -> CountedRecords:
    """Count what `written` has written."""
    judged = tuple(f"p {name}" for name in request.judged)
    passed = tuple(f"p {name}" for name in request.passed)
    return engine.recount(staged, CountRequest(by=("q",), judged=judged, passed=passed, salt=77))


def sums_by_text(combinations: pa.Table, text: str) -> dict[Any, tuple[int, int, int]]:
    """Add up sizes and sums of all combinations with one text."""
    totals: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in combinations.to_pylist():
        for place, name in enumerate(("size", "sum_1", "sum_2")):
            totals[row[text]][place] += row[name]
    return {text: (size, first, second) for text, (size, first, second) in totals.items()}


CHECKS: list[Callable[[Bench], None]] = [
    check for name, check in list(globals().items()) if name.startswith("check_") and callable(check)
]
"""All checks; each needs a bench of its own."""
