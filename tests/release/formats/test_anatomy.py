"""anatomy, read as the receiver of a release reads it."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers.small_releases import DROP as DROPPED
from helpers.small_releases import KEEP as KEPT
from helpers.small_releases import finished, read
from helpers.small_tables import load
from sqlalchemy import literal, select

from toolbox import anonymize
from toolbox.config.formats import AS_IN_2010, FORMATS
from toolbox.release.formats.anatomy import build_anatomy
from toolbox.release.returned import to_arrow
from toolbox.store.engine.store import Store

KEEP, DROP = (replace(one, output=replace(one.output, format=FORMATS["anatomy"])) for one in (KEPT, DROPPED))


def test_anatomy_shows_the_original_values_in_one_table_and_all_else_in_another(store: Store) -> None:
    tables, loaded = finished(store, suppress_from=99)
    qit, st = build_anatomy(tables, loaded.layout, replace(KEEP, seed=1))
    assert (qit.suffix, st.suffix) == ("_QIT", "_ST")
    assert (qit.headers, st.headers) == (("sex", "age", "group"), ("group", "illness", "note"))
    left, right = (to_arrow(store, part).to_pylist() for part in (qit, st))
    people = {(row["sex"], row["age"]): row["group"] for row in left}
    assert set(people) == {("F", "20"), ("M", "31"), ("M", "38"), ("F", "44")}
    assert people["M", "31"] == people["M", "38"]
    assert len(set(people.values())) == 3
    assert Counter(row["group"] for row in left) == Counter(row["group"] for row in right)
    by_group = {group: sorted(row["illness"] for row in right if row["group"] == group) for group in people.values()}
    assert by_group == {
        people["F", "20"]: ["flu", "flu"],
        people["M", "31"]: ["cold", "gout"],
        people["F", "44"]: ["cold"],
    }


def test_both_tables_are_ordered_by_group_and_nothing_else_connects_them(store: Store) -> None:
    """Of 40 records in a class, which line of the one is which of the other has nothing to do with their order."""
    count = 40
    table = "\n".join(["age note", *(f"{number} n{number:02}" for number in range(2 * count))])
    ages = "\n".join(f"{number} {'low' if number < count else 'high'} *" for number in range(2 * count))
    loaded = load(store, table, "age", hierarchies={"age": ages})
    tables = loaded.tables
    (age,), combination = tables.quasi_identifiers, tables.combinations
    chosen = select(
        combination.c.combination_id,
        combination.c.size,
        literal(False).label("suppressed"),
        age.level(1).label("interval_1"),
    ).join_from(combination, age.ground, age.ground.c.level_0 == combination.c.interval_1)
    qit, st = (
        to_arrow(store, part).to_pydict()
        for part in build_anatomy(tables.recoded(chosen), loaded.layout, replace(KEEP, seed=3))
    )
    assert qit["group"] == st["group"] == sorted(qit["group"])
    order_of_ages = [int(age) for age in qit["age"]]
    order_of_notes = [int(note[1:]) for note in st["note"]]
    assert sorted(order_of_ages) == sorted(order_of_notes) == list(range(2 * count))
    assert order_of_ages != sorted(order_of_ages)
    assert order_of_notes != sorted(order_of_notes)
    same_line = sum(age == note for age, note in zip(order_of_ages, order_of_notes, strict=True))
    assert same_line < count / 4


@pytest.mark.slow
def test_a_suppressed_record_shows_the_roots_in_anatomy_too(store: Store) -> None:
    tables, loaded = finished(store)
    qit, st = build_anatomy(tables, loaded.layout, replace(KEEP, seed=1))
    assert Counter(read(store, qit)[1:]) == Counter(["F 20 1", "F 20 1", "M 31 2", "M 38 2", "person * 3"])
    assert len(read(store, st)) == 6
    dropped = build_anatomy(tables, loaded.layout, replace(DROP, seed=1))
    assert ["person" in " ".join(read(store, part)) for part in dropped] == [False, False]
    assert [len(read(store, part)) for part in dropped] == [5, 5]
    assert "v" not in " ".join(read(store, dropped[1])[1:]).split()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_order_and_another_or_none_another(store: Store) -> None:
    table = "\n".join(["age note", *(f"1 n{number}" for number in range(30))])
    loaded = load(store, table, "age")

    def notes(seed: int | None) -> list[str]:
        return read(store, build_anatomy(loaded.tables, loaded.layout, replace(KEEP, seed=seed))[1])

    assert notes(7) == notes(7)
    assert notes(7) != notes(8)
    assert notes(None) != notes(None)
    assert sorted(notes(None)) == sorted(notes(7))


def test_in_compatibility_suppressed_records_show_their_values_like_all_others(store: Store) -> None:
    tables, loaded = finished(store)
    qit, _ = build_anatomy(tables, loaded.layout, replace(KEEP, compatibility=AS_IN_2010))
    assert Counter(read(store, qit)[1:]) == Counter(["F 20 1", "F 20 1", "M 31 2", "M 38 2", "F 44 3"])


@pytest.mark.slow
def test_records_of_a_large_class_are_shuffled_as_well() -> None:
    many = 300_000
    people = pa.table({"town": pa.array(["Graz"] * many), "n": range(many)})
    released = anonymize(people, quasi_identifiers=["town"], sensitive=["n"], k=2, output_format="anatomy")
    _, others = released.parts
    ascending = np.diff(others["n"].to_numpy()) > 0
    assert 0.49 < ascending.mean() < 0.51
