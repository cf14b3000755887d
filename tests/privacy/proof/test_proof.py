"""The proof believes nothing: every way to spoil finished tables is found."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pytest
from helpers.small_tables import declared, load, quasi_identifier
from sqlalchemy import ARRAY, Integer, Table, case, cast, false, func, literal, null, or_, select, true, union_all

from toolbox.errors import ProofError
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.proof.proof import ModelResult, Proof, prove
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

pytestmark = pytest.mark.sampled(4)

PEOPLE = """
age  sex  illness
20   F    flu
30   M    cold
20   F    gout
30   M    flu
40   M    flu
"""
AGES = "20 young *\n30 young *\n40 old *\n50 old *"
SEXES = "F person *\nM person *"
K2 = (KAnonymity(k=2),)


@lru_cache(maxsize=1)
def initial(store: Store) -> Tables:
    return load(store, PEOPLE, "age sex", hierarchies={"age": AGES, "sex": SEXES}).tables


def assignment(tables: Tables, levels: tuple[int, int], *, suppress_below: int = 0):
    """Assign to each combination its values at two levels, or the roots where it is rare."""
    combination = tables.combinations
    joined = combination
    small = combination.c.size < suppress_below
    intervals = []
    for one, name, level in zip(tables.quasi_identifiers, tables.interval_names, levels, strict=True):
        joined = joined.join(one.ground, one.ground.c.level_0 == combination.c[name])
        root = cast(literal(one.root), Integer)
        intervals.append(case((small, root), else_=one.level(level)).label(name))
    keys = (combination.c.combination_id, combination.c.size, small.label("suppressed"))
    return select(*keys, *intervals).select_from(joined)


@lru_cache(maxsize=1)
def suppressed(store: Store) -> tuple[Tables, Tables]:
    """Finished tables: (20, F) twice, (30, M) twice, and one suppressed record."""
    tables = initial(store)
    return tables, tables.recoded(assignment(tables, (0, 0), suppress_below=2), levels=(0, 0))


def fails(before: Tables, after: Tables, what: str, models: tuple[KAnonymity, ...] = K2) -> None:
    with pytest.raises(ProofError, match=what):
        prove(before, after, models)


# What holds


def test_the_proof_counts_what_a_reader_sees(store: Store) -> None:
    assert prove(*suppressed(store), K2) == Proof(
        records=5,
        records_suppressed=1,
        classes=2,
        smallest_class=2,
        average_class=2.0,
        models=(
            ModelResult(name="k-anonymity", attribute=None, parameters={"k": 2}, required=2, achieved=2, holds=True),
        ),
    )


def test_suppressed_records_form_no_class_even_if_all_are(store: Store) -> None:
    tables = initial(store)
    proof = prove(tables, tables.recoded(assignment(tables, (0, 0), suppress_below=9)), K2)
    assert (proof.records, proof.records_suppressed, proof.classes) == (5, 5, 0)
    assert (proof.smallest_class, proof.average_class, proof.models[0].achieved) == (None, None, None)
    assert proof.models[0].holds


def test_the_ground_values_themselves_may_be_anonymous_enough(store: Store) -> None:
    tables = initial(store)
    assert prove(tables, tables, (KAnonymity(k=1),)).smallest_class == 1
    assert prove(tables, tables.recoded(assignment(tables, (2, 2))), (KAnonymity(k=5),)).classes == 1


def test_several_models_are_all_judged(store: Store) -> None:
    before, after = suppressed(store)
    proof = prove(before, after, (KAnonymity(k=1), KAnonymity(k=2)))
    assert [(one.required, one.holds) for one in proof.models] == [(1, True), (2, True)]
    fails(before, after, "requires 3, achieved 2", (KAnonymity(k=1), KAnonymity(k=3)))


def numbered_apart(store: Store) -> tuple[Tables, Tables]:
    """Split classes into parts of the same texts, some of a single record."""
    before, after = suppressed(store)
    record, equivalence = after.anon_record.c, after.equivalence.c
    split = cast(record.equivalence_id * 10 + cast(record.record_id > 1, Integer), Integer).label("equivalence_id")
    kept = [column for column in record if column.name != "equivalence_id"]
    records = store.create("records", select(*kept, split))
    sizes = select(records.c.equivalence_id, func.count().label("size")).group_by(records.c.equivalence_id).subquery()
    others = [column for column in equivalence if column.name not in ("equivalence_id", "size")]
    same = sizes.c.equivalence_id // 10 == equivalence.equivalence_id
    classes = store.create("classes", select(sizes, *others).join_from(sizes, after.equivalence, same))
    assert store.count(classes) > 3
    return before, replace(after, keys=None, records=records, equivalence=classes)


def test_classes_that_show_the_same_texts_are_one_class(store: Store) -> None:
    """Numbered apart, but nobody can tell them apart."""
    proof = prove(*numbered_apart(store), K2)
    assert (proof.classes, proof.smallest_class, proof.records_suppressed) == (2, 2, 1)


def test_they_are_not_where_a_release_shows_more_than_texts(store: Store) -> None:
    """Anatomy shows the numbers of classes, genValsDist their statistics."""
    with pytest.raises(ProofError, match="requires 2, achieved 1"):
        prove(*numbered_apart(store), K2, tells_classes_apart=True)


def test_the_proof_leaves_no_table_behind(store: Store) -> None:
    before, after = suppressed(store)

    def tables() -> int:
        return int(store.scalar(select(func.count()).select_from(func.duckdb_tables().table_valued("table_name"))))

    count = tables()
    prove(before, after, K2)
    assert tables() == count


# What does not: records


def with_records(change: Callable[[Table], object]) -> Callable[[Store], tuple[Tables, Tables]]:
    """Spoil the AnonRecordTable of finished tables."""

    def spoil(store: Store) -> tuple[Tables, Tables]:
        before, after = suppressed(store)
        return before, replace(after, keys=None, records=store.create("spoilt", change(after.anon_record)))

    return spoil


def changed(record: Table, **columns: object):
    """Select the records with other columns in the place of their own."""
    return select(*(columns.get(column.name, column).label(column.name) for column in record.c))


SPOILT_RECORDS = {
    "one is dropped": lambda record: select(record).where(record.c.record_id != 3),
    "the last is dropped": lambda record: select(record).where(record.c.record_id != 4),
    "one is doubled": lambda record: union_all(select(record), select(record).where(record.c.record_id == 1)),
    "one is doubled in the place of another": lambda record: changed(
        record, record_id=case((record.c.record_id == 2, 0), else_=record.c.record_id)
    ),
    "one is invented": lambda record: union_all(
        select(record), changed(record, record_id=record.c.record_id + 5).where(record.c.record_id == 0)
    ),
    "all are numbered from 1": lambda record: changed(record, record_id=record.c.record_id + 1),
    "one has no number": lambda record: changed(record, record_id=case((record.c.record_id != 2, record.c.record_id))),
    "none is left": lambda record: select(record).where(false()),
    "one has another's original values": lambda record: changed(
        record, combination_id=case((record.c.record_id == 0, 1), else_=record.c.combination_id)
    ),
    "two combinations have changed places": lambda record: changed(
        record,
        combination_id=case((record.c.combination_id < 2, 1 - record.c.combination_id), else_=record.c.combination_id),
        equivalence_id=record.c.equivalence_id,
    ),
    "two records have changed places": lambda record: changed(
        record, record_id=case((record.c.record_id < 2, 1 - record.c.record_id), else_=record.c.record_id)
    ),
}


@pytest.mark.parametrize("how", SPOILT_RECORDS)
def test_every_record_is_present_once_with_its_own_values(store: Store, how: str) -> None:
    fails(*with_records(SPOILT_RECORDS[how])(store), "a record is missing, doubled or changed")


SPOILT_CLASSES = {
    "a record in a class that does not exist": lambda record: changed(
        record, equivalence_id=case((record.c.record_id == 0, 99), else_=record.c.equivalence_id)
    ),
    "a record without a class": lambda record: changed(
        record, equivalence_id=case((record.c.record_id != 0, record.c.equivalence_id))
    ),
    "a record in another class": lambda record: changed(
        record, equivalence_id=case((record.c.record_id == 4, 1), else_=record.c.equivalence_id)
    ),
}


@pytest.mark.parametrize("how", SPOILT_CLASSES)
def test_every_record_is_in_its_class(store: Store, how: str) -> None:
    fails(*with_records(SPOILT_CLASSES[how])(store), "a class is missing, invented or of another size")


def test_records_that_change_classes_are_found_where_the_sizes_agree(store: Store) -> None:
    """Classes 1 and 2 have two records each: only their values tell."""
    swapped = lambda record: changed(  # noqa: E731
        record, equivalence_id=case((record.c.equivalence_id < 3, 3 - record.c.equivalence_id), else_=3)
    )
    fails(*with_records(swapped)(store), "does not cover its originals")


SPOILT_SOURCES = {
    "the classes of the keys": lambda tables: {
        "keys": changed(
            tables.keys,
            equivalence_id=case(
                (tables.keys.c.equivalence_id < 3, 3 - tables.keys.c.equivalence_id),
                else_=tables.keys.c.equivalence_id,
            ),
        )
    },
    "a key": lambda tables: {"keys": select(tables.keys).where(tables.keys.c.equivalence_id != 1)},
    "a record": lambda tables: {"records": select(tables.records).where(tables.records.c.record_id != 2)},
}


@pytest.mark.parametrize("what", SPOILT_SOURCES)
def test_what_is_proved_is_what_is_released(store: Store, what: str) -> None:
    """The release is written from records and keys, so they are what the proof has to look at."""
    before, after = suppressed(store)
    spoilt = {name: store.create("spoilt", rows) for name, rows in SPOILT_SOURCES[what](after).items()}
    with pytest.raises(ProofError):
        prove(before, replace(after, **spoilt), K2)


# What does not: classes


def with_classes(change: Callable[[Tables], object]) -> Callable[[Store], tuple[Tables, Tables]]:
    """Spoil the EquivalenceTable of finished tables."""

    def spoil(store: Store) -> tuple[Tables, Tables]:
        before, after = suppressed(store)
        return before, replace(after, equivalence=store.create("spoilt", change(after)))

    return spoil


def reclassed(tables: Tables, **columns: object):
    return select(*(columns.get(column.name, column).label(column.name) for column in tables.equivalence.c))


def test_the_stated_size_of_a_class_is_counted(store: Store) -> None:
    for size in (lambda c: c.size + 1, lambda c: case((c.equivalence_id == 1, 100), else_=c.size), lambda c: -c.size):
        spoil = with_classes(lambda tables, size=size: reclassed(tables, size=size(tables.equivalence.c)))
        fails(*spoil(store), "a class is missing, invented or of another size")


def test_a_class_that_is_missing_or_empty_or_stated_twice_is_found(store: Store) -> None:
    def invented(tables: Tables):
        none = reclassed(tables, equivalence_id=literal(77), size=literal(0)).where(
            tables.equivalence.c.equivalence_id == 1
        )
        return union_all(reclassed(tables), none)

    def twice(tables: Tables):
        return union_all(reclassed(tables), reclassed(tables).where(tables.equivalence.c.equivalence_id == 1))

    missing = lambda tables: reclassed(tables).where(tables.equivalence.c.equivalence_id != 1)  # noqa: E731
    for change in (missing, invented, twice):
        with pytest.raises(ProofError):
            prove(*with_classes(change)(store), K2)


@pytest.mark.parametrize("interval", [0, 1, 5, 99, None])
def test_an_interval_covers_the_values_of_its_records(store: Store, interval: int | None) -> None:
    """Of 40 neither 20 (0), 30 (1) nor young stand for it, nor an interval that does not exist."""
    tables = initial(store)
    age = tables.quasi_identifiers[0]
    labels = dict(map(tuple, store.rows(select(age.intervals.c.interval_id, age.intervals.c.label))))
    young = next(number for number, label in labels.items() if label == "young")
    wrong = young if interval == 5 else interval
    chosen = assignment(tables, (0, 0), suppress_below=2).subquery()
    value = cast(literal(wrong), Integer) if wrong is not None else cast(literal(None), Integer)
    given = select(
        chosen.c.combination_id,
        chosen.c.size,
        false().label("suppressed"),
        case((chosen.c.suppressed, value), else_=chosen.c.interval_1).label("interval_1"),
        chosen.c.interval_2,
    )
    fails(
        tables,
        tables.recoded(given),
        "a record is missing" if interval is None else "a generalised value of age does not",
    )


def test_the_other_quasi_identifiers_are_looked_at_too(store: Store) -> None:
    before, after = suppressed(store)
    same_sex = store.create(
        "spoilt",
        reclassed(after, interval_2=case((~after.equivalence.c.suppressed, 0), else_=after.equivalence.c.interval_2)),
    )
    fails(before, replace(after, equivalence=same_sex), "a generalised value of sex does not cover its originals")


def test_a_class_that_is_too_small_is_found(store: Store) -> None:
    tables = initial(store)
    fails(
        tables, tables.recoded(assignment(tables, (0, 0))), "k-anonymity requires 2, achieved 1. Nothing was released"
    )
    fails(tables, tables.recoded(assignment(tables, (1, 1))), "k-anonymity requires 2, achieved 1")


def test_a_small_class_that_is_called_suppressed_must_show_the_roots(store: Store) -> None:
    tables = initial(store)
    chosen = assignment(tables, (0, 0)).subquery()
    ground = [chosen.c.interval_1, chosen.c.interval_2]
    root = cast(literal(tables.quasi_identifiers[0].root), Integer).label("interval_1")
    for intervals in (ground, [case((chosen.c.size < 2, root), else_=ground[0]).label("interval_1"), ground[1]]):
        flagged = select(chosen.c.combination_id, chosen.c.size, (chosen.c.size < 2).label("suppressed"), *intervals)
        fails(tables, tables.recoded(flagged), "a suppressed class shows more than its roots")


def test_a_class_at_the_roots_that_is_not_called_suppressed_must_be_large_enough(store: Store) -> None:
    unflagged = with_classes(lambda tables: reclassed(tables, suppressed=false()))
    fails(*unflagged(store), "k-anonymity requires 2, achieved 1")


def test_whether_a_class_is_suppressed_is_never_unknown(store: Store) -> None:
    suppressed_or_null = lambda tables: reclassed(  # noqa: E731
        tables, suppressed=case((tables.equivalence.c.size > 1, or_(false(), false())))
    )
    with pytest.raises(ProofError):
        prove(*with_classes(suppressed_or_null)(store), K2)


def test_everything_suppressed_by_word_only_is_found(store: Store) -> None:
    spoil = with_classes(lambda tables: reclassed(tables, suppressed=true()))
    fails(*spoil(store), "a suppressed class shows more than its roots")


def test_values_that_many_combinations_share_are_looked_at_too(store: Store) -> None:
    """Ten ages of each sex, and all are shown as one sex."""
    people = "\n".join(f"{20 + number // 2}  {'FM'[number % 2]}" for number in range(20))
    before = load(store, f"age  sex\n{people}", "age sex", hierarchies={"sex": SEXES}).tables
    shown = before.combinations.c
    one_sex = cast(literal(0), Integer).label("interval_2")
    given = select(shown.combination_id, shown.size, false().label("suppressed"), shown.interval_1, one_sex)
    fails(before, before.recoded(given), "a generalised value of sex does not cover its originals")


@pytest.mark.parametrize("wrong", [False, True])
def test_a_number_that_a_file_does_not_list_is_below_no_node_whose_bounds_take_it_in(store: Store, wrong: bool) -> None:
    ages = replace(quasi_identifier("age", hierarchy="10 ten-or-twenty *\n20 ten-or-twenty *\n40 old *"), other="root")
    before = load(store, "age\n10\n10\n15\n15\n20\n20\n", declared([ages])).tables
    (age,), shown = before.quasi_identifiers, before.combinations.c
    label = case((shown.interval_1 == 1, age.root), else_=age.root + 1)
    interval = cast(literal(age.root + 1) if wrong else label, Integer).label("interval_1")
    given = select(shown.combination_id, shown.size, false().label("suppressed"), interval)
    if wrong:
        fails(before, before.recoded(given), "a generalised value of age does not cover its originals")
    else:
        assert prove(before, before.recoded(given), K2).smallest_class == 2


@pytest.mark.parametrize(("members", "holds"), [([0, 1, 2], True), ([0, 2], False)], ids=["all", "ends alone"])
def test_a_set_has_every_value_of_its_records_and_not_just_the_ends(
    store: Store, members: list[int], holds: bool
) -> None:
    before = load(store, "town\nGraz\nLinz\nWien\n", "town").tables
    (town,) = before.quasi_identifiers
    added = town.root + 1
    listed = cast(literal("[" + ",".join(map(str, members)) + "]"), ARRAY(Integer))
    row = select(literal(added), cast(null(), Integer), literal("{..}"), *map(literal, (0.0, 2.0, True, True)), listed)
    intervals = store.create("intervals", select(union_all(select(town.intervals), row).subquery()))
    shown = before.combinations.c
    one_set = cast(literal(added), Integer).label("interval_1")
    given = select(shown.combination_id, shown.size, false().label("suppressed"), one_set)
    after = before.recoded(given, quasi_identifiers=[replace(town, intervals=intervals)])
    if holds:
        assert prove(before, after, K2).smallest_class == 3
    else:
        fails(before, after, "a generalised value of town does not cover its originals")
