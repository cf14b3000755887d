"""The three output formats, read as the receiver of a release reads them."""

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from helpers.small_tables import declared, load
from sqlalchemy import Integer, case, cast, literal, select

from toolbox.config.model import Output
from toolbox.release.formats import gen_vals as formats
from toolbox.release.formats.anatomy import anatomy
from toolbox.release.formats.gen_vals import general_values, general_values_with_statistics
from toolbox.release.in_memory import to_arrow
from toolbox.release.notation import Notation
from toolbox.release.part import Part
from toolbox.release.release import release_parts
from toolbox.release.writer import write_part
from toolbox.store.load import Loaded
from toolbox.store.store import Store
from toolbox.store.tables import Tables

PEOPLE = """
id  age  illness  sex  note
a   20   flu      F    x
b   31   cold     M    y
c   38   gout     M    z
d   20   flu      F    u
e   44   cold     F    v
"""
HIERARCHIES = {"age": "20 young *\n31 old *\n38 old *\n44 old *", "sex": "F person\nM person"}
KEEP, DROP = Output(path=None), Output(path=None, suppressed="drop")


def finished(store: Store, *, suppress_from: int = 44) -> tuple[Tables, Loaded]:
    """Generalise age by one level, and suppress who is that old or older."""
    loaded = load(store, PEOPLE, "sex age", hierarchies=HIERARCHIES, identifiers="id")
    tables = loaded.tables
    sex, age = tables.quasi_identifiers
    combination = tables.combinations
    is_old = age.ground.c.value >= suppress_from
    chosen = select(
        combination.c.combination_id,
        combination.c.size,
        is_old.label("suppressed"),
        case((is_old, cast(literal(sex.root), Integer)), else_=combination.c.interval_1).label("interval_1"),
        case((is_old, cast(literal(age.root), Integer)), else_=age.level(1)).label("interval_2"),
    ).join_from(combination, age.ground, age.ground.c.level_0 == combination.c.interval_2)
    return tables.recoded(chosen), loaded


def read(store: Store, part: Part) -> list[str]:
    rows = to_arrow(store, part).to_pydict()
    return [" ".join(part.headers), *(" ".join(map(str, row)) for row in zip(*rows.values(), strict=True))]


# genVals


def test_genvals_replaces_the_quasi_identifiers_in_the_order_of_the_input(store: Store) -> None:
    tables, loaded = finished(store)
    (part,) = general_values(tables, loaded.layout, KEEP)
    assert part.suffix == ""
    assert read(store, part) == [
        "age illness sex note",
        "young flu F x",
        "old cold M y",
        "old gout M z",
        "young flu F u",
        "* cold person v",
    ]


def test_suppressed_records_are_dropped_where_the_configuration_says_so(store: Store) -> None:
    tables, loaded = finished(store)
    (part,) = general_values(tables, loaded.layout, DROP)
    assert [row.split()[-1] for row in read(store, part)] == ["note", "x", "y", "z", "u"]


def test_many_records_keep_their_order(store: Store) -> None:
    count = 300_000
    loaded = load(store, pa.table({"a": [number % 7 for number in range(count)], "n": range(count)}), "a")
    (part,) = general_values(loaded.tables, loaded.layout, KEEP)
    assert to_arrow(store, part)["n"].to_pylist() == list(range(count))


@pytest.mark.parametrize("output", [KEEP, DROP])
def test_records_are_the_same_written_in_slices_or_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, output: Output
) -> None:
    count, notation = 1000, Notation(",")
    loaded = load(store, pa.table({"a": [number % 7 for number in range(count)], "n": range(count)}), "a")
    (at_once,) = general_values(loaded.tables, loaded.layout, output, notation)
    monkeypatch.setattr(formats, "_SLICE", 64)
    monkeypatch.setattr(formats, "_RECORDS_PER_JOINED", 1)
    (part,) = general_values(loaded.tables, loaded.layout, output, notation)
    assert (len(at_once.slices), len(part.slices)) == (0, 16)
    write_part(store, part, store.folder / "out.csv", notation, header=True)
    lines = [f"{number % 7},{number}" for number in range(count)]
    assert (store.folder / "out.csv").read_text().splitlines() == ["a,n", *lines]
    assert [path.name for path in store.folder.glob("out*")] == ["out.csv"]


def test_slices_are_large_beside_the_classes_that_each_is_joined_to(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(store, pa.table({"a": range(1000)}), "a")
    monkeypatch.setattr(formats, "_SLICE", 64)
    (part,) = general_values(loaded.tables, loaded.layout, KEEP, Notation(","))
    assert part.slices == ()


# genValsDist


def test_genvalsdist_puts_the_statistics_of_the_class_behind_each_quasi_identifier(store: Store) -> None:
    loaded = load(store, "age sex illness\n20 F flu\n26 F cold\n23 M gout\n", "age sex")
    tables = loaded.tables
    one_class = select(
        tables.combinations.c.combination_id,
        tables.combinations.c.size,
        literal(False).label("suppressed"),
        *(
            cast(literal(one.root), Integer).label(name)
            for one, name in zip(tables.quasi_identifiers, tables.interval_names, strict=True)
        ),
    )
    (part,) = general_values_with_statistics(tables.recoded(one_class), loaded.layout, KEEP, k=3)
    third, two_thirds = str(1 / 3), str(2 / 3)
    assert read(store, part) == [
        "age age_mean:variance sex sex_distribution illness",
        *(f"* 23.0:6.0 * {two_thirds}:{third} {illness}" for illness in ("flu", "cold", "gout")),
    ]


@pytest.mark.parametrize(("k", "shown"), [(1, "44.0:0.0"), (2, "None")])
def test_fewer_suppressed_records_than_k_have_no_statistics(store: Store, k: int, shown: str) -> None:
    """They would be the very values of whoever is suppressed alone."""
    tables, loaded = finished(store)
    (part,) = general_values_with_statistics(tables, loaded.layout, KEEP, k=k)
    *others, last = read(store, part)[1:]
    assert last.split()[1] == shown
    assert [row.split()[1] for row in others] == ["20.0:0.0", "34.5:12.25", "34.5:12.25", "20.0:0.0"]


# anatomy


def test_anatomy_shows_the_original_values_in_one_table_and_all_else_in_another(store: Store) -> None:
    tables, loaded = finished(store, suppress_from=99)
    qit, st = anatomy(tables, loaded.layout, KEEP, seed=1)
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
        to_arrow(store, part).to_pydict() for part in anatomy(tables.recoded(chosen), loaded.layout, KEEP, seed=3)
    )
    assert qit["group"] == st["group"] == sorted(qit["group"])
    order_of_ages = [int(age) for age in qit["age"]]
    order_of_notes = [int(note[1:]) for note in st["note"]]
    assert sorted(order_of_ages) == sorted(order_of_notes) == list(range(2 * count))
    assert order_of_ages != sorted(order_of_ages)
    assert order_of_notes != sorted(order_of_notes)
    same_line = sum(age == note for age, note in zip(order_of_ages, order_of_notes, strict=True))
    assert same_line < count / 4


def test_a_suppressed_record_shows_the_roots_in_anatomy_too(store: Store) -> None:
    tables, loaded = finished(store)
    qit, st = anatomy(tables, loaded.layout, KEEP, seed=1)
    assert Counter(read(store, qit)[1:]) == Counter(["F 20 1", "F 20 1", "M 31 2", "M 38 2", "person * 3"])
    assert len(read(store, st)) == 6
    dropped = anatomy(tables, loaded.layout, DROP, seed=1)
    assert ["person" in " ".join(read(store, part)) for part in dropped] == [False, False]
    assert [len(read(store, part)) for part in dropped] == [5, 5]
    assert "v" not in " ".join(read(store, dropped[1])[1:]).split()


def test_the_same_seed_gives_the_same_order_and_another_or_none_another(store: Store) -> None:
    table = "\n".join(["age note", *(f"1 n{number}" for number in range(30))])
    loaded = load(store, table, "age")

    def notes(seed: int | None) -> list[str]:
        return read(store, anatomy(loaded.tables, loaded.layout, KEEP, seed=seed)[1])

    assert notes(7) == notes(7)
    assert notes(7) != notes(8)
    assert notes(None) != notes(None)
    assert sorted(notes(None)) == sorted(notes(7))


# The choice


def test_in_compatibility_the_statistics_take_the_place_of_the_values(store: Store) -> None:
    config = replace(declared("age sex", output_format="genValsDist"), compatibility="utd")
    loaded = load(store, "age sex illness\n20 F flu\n26 F cold\n23 M gout\n20 F flu\n", config)
    (part,) = release_parts(config, loaded.tables, loaded.layout)
    assert read(store, part) == [
        "age sex illness",
        "20.0:0.0 1.0:0.0 flu",
        "26.0:0.0 1.0:0.0 cold",
        "23.0:0.0 0.0:1.0 gout",
        "20.0:0.0 1.0:0.0 flu",
    ]


def test_in_compatibility_suppressed_records_have_statistics_and_values_like_all_others(store: Store) -> None:
    tables, loaded = finished(store)
    config = replace(declared("sex age", k=3, output_format="genValsDist"), compatibility="utd")
    (part,) = release_parts(config, tables, loaded.layout)
    assert [row.split()[0] for row in read(store, part)] == [
        *["age", "20.0:0.0", "34.5:12.25", "34.5:12.25", "20.0:0.0", "44.0:0.0"],
    ]
    of_anatomy = replace(config, output=replace(config.output, format="anatomy"))
    qit, _ = release_parts(of_anatomy, tables, loaded.layout)
    assert Counter(read(store, qit)[1:]) == Counter(["F 20 1", "F 20 1", "M 31 2", "M 38 2", "F 44 3"])


@pytest.mark.parametrize(
    ("output_format", "headers"),
    [
        ("genVals", [("age", "illness")]),
        ("genValsDist", [("age", "age_mean:variance", "illness")]),
        ("anatomy", [("age", "group"), ("group", "illness")]),
    ],
)
def test_the_configuration_chooses_the_format(store: Store, output_format: str, headers: list[tuple[str, ...]]) -> None:
    config = declared("age", output_format=output_format)
    loaded = load(store, "age illness\n1 flu\n1 cold\n", config)
    assert [part.headers for part in release_parts(config, loaded.tables, loaded.layout)] == headers
