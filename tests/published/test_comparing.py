"""A release beside the people whom it is about."""

from collections import Counter
from dataclasses import replace

import pytest
from helpers.comparisons import comparison, records
from helpers.small_tables import quasi_identifier
from sqlalchemy import func, select

from toolbox.errors import InputError
from toolbox.published.comparing import as_shown, compare_release, pair_records
from toolbox.published.domains import build_people
from toolbox.published.tables import Comparison, build_release_classes
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

SEX = quasi_identifier("sex", kind="category")
AGE = quasi_identifier("age", kind="number")
JOB = quasi_identifier("job", hierarchy="cook kitchen any\nbaker kitchen any\npilot sky any")
ORIGINAL = "cook 20\nbaker 22\npilot 30\ncook 20.0"


def changes(store: Store, beside: Comparison, place: int) -> Counter[tuple[str | None, str | None]]:
    """Count which value became which text."""
    values, cells, table = beside.people.domains[place].values, beside.release.cells[place], beside.changes[place]
    joined = table.join(values, values.c.value_id == table.c.value_id).join(cells, cells.c.cell_id == table.c.cell_id)
    rows = store.rows(select(values.c.label, cells.c.text, table.c.records).select_from(joined))
    found: Counter[tuple[str | None, str | None]] = Counter()
    for label, text, count in rows:
        found[label, text] += count
    assert len(found) == len(rows)
    return found


def suppressed(store: Store, beside: Comparison) -> int:
    table = beside.release.classes
    return int(store.scalar(select(func.coalesce(func.sum(table.c.size), 0)).where(table.c.suppressed)))


@pytest.mark.slow
def test_records_are_paired_in_their_order(store: Store) -> None:
    beside = comparison(store, ORIGINAL, "kitchen [20:22]\nkitchen [20:22]\n* 30\ncook *", [JOB, AGE])
    assert beside.unpaired == ""
    assert changes(store, beside, 0) == {
        ("cook", "kitchen"): 1,
        ("baker", "kitchen"): 1,
        ("pilot", "*"): 1,
        ("cook", "cook"): 1,
    }
    assert changes(store, beside, 1) == {("20", "[20:22]"): 1, ("22", "[20:22]"): 1, ("30", "30"): 1, ("20", "*"): 1}
    assert beside.pairs is not None
    assert sorted(count for _, _, count in store.rows(select(beside.pairs))) == [1, 1, 1, 1]


@pytest.mark.slow
def test_alike_records_with_alike_releases_are_one_pair(store: Store) -> None:
    """A number written in two ways is one value."""
    beside = comparison(store, "cook 20\ncook 20.0\ncook 2e1", "cook 20\ncook 20\ncook *", [JOB, AGE])
    assert beside.pairs is not None
    assert sorted(count for _, _, count in store.rows(select(beside.pairs))) == [1, 2]
    assert changes(store, beside, 1) == {("20", "20"): 2, ("20", "*"): 1}


@pytest.mark.slow
def test_missing_values_are_paired_as_values(store: Store) -> None:
    beside = comparison(store, "- 1\ncook -\ncook 3", "- *\n* -\ncook [1:3]", [JOB, AGE])
    assert beside.unpaired == ""
    assert changes(store, beside, 0) == {(None, None): 1, ("cook", "*"): 1, ("cook", "cook"): 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("released", "why"),
    [
        ("cook 20\nbaker 22\npilot 30", "the release has 3 records, the original 4"),
        (ORIGINAL + "\ncook 20", "the release has 5 records, the original 4"),
        (
            "baker 22\ncook 20\npilot 30\ncook 20",
            "in 2 records job is not what the released value stands for: another order, or other records?",
        ),
        (
            "cook [21:30]\n* [21:30]\npilot 30\ncook 22",
            "in 2 records age is not what the released value stands for: another order, or other records?",
        ),
    ],
)
def test_what_cannot_be_paired_says_why(store: Store, released: str, why: str) -> None:
    beside = comparison(store, ORIGINAL, released, [JOB, AGE])
    assert (beside.pairs, beside.changes, beside.unpaired) == (None, (), why)


def test_a_missing_value_is_in_no_interval(store: Store) -> None:
    beside = comparison(store, "1\n-\n3", "[1:3]\n[1:3]\n3", [AGE])
    assert beside.unpaired.startswith("in 1 record age is not what")


def test_without_pairing_there_are_meanings_but_no_pairs(store: Store) -> None:
    released, original = (records(store, [(text,) for text in texts]) for texts in (["kitchen"], ["cook", "baker"]))
    beside = compare_release(
        build_release_classes(store, released.counted, name="the release", quasi_identifiers=["job"]),
        build_people(store, original.counted, [JOB], [None], "the register"),
    )
    meaning = beside.cells[0].meanings
    assert store.rows(select(meaning.c["values"], meaning.c.people)) == [(2, 2)]
    assert (beside.pairs, beside.unpaired, beside.store) == (None, "", store)
    assert pair_records(beside, original, released).unpaired == "the release has 1 record, the register 2"


@pytest.mark.slow
def test_an_empty_cell_is_suppressed_where_nobody_lacks_a_value(store: Store) -> None:
    empty = "- -\n* -\nany *\ncook -"
    assert suppressed(store, comparison(store, ORIGINAL, empty, [JOB, AGE], roots={"job": ("any",)})) == 3
    # Now that somebody has no age, an empty age is that.
    lacking = ORIGINAL.replace("20.0", "-")
    released = "- -\n* *\nany *\ncook -"
    assert suppressed(store, comparison(store, lacking, released, [JOB, AGE], roots={"job": ("any",)})) == 2


@pytest.mark.slow
def test_the_root_of_a_hierarchy_is_known_without_being_named(store: Store) -> None:
    assert suppressed(store, comparison(store, ORIGINAL, "any *\n* *\ncook *\nany 20", [JOB, AGE])) == 2


@pytest.mark.slow
def test_a_star_that_people_have_hides_nothing(store: Store) -> None:
    beside = comparison(store, "*\n*\na", "*\n*\na", [SEX])
    assert suppressed(store, beside) == 0
    assert beside.unpaired == ""


def test_every_class_keeps_its_number_size_and_cells_when_suppression_is_understood(store: Store) -> None:
    rows, after = [("cook",), ("pilot",)], [(None,), ("pilot",)]
    original, released = records(store, rows), records(store, after)
    release = build_release_classes(store, released.counted, name="the release", quasi_identifiers=["job"])
    beside = compare_release(release, build_people(store, original.counted, [JOB], [None], "the original"))
    kept = ["equivalence_id", "size", "cell_1"]
    before, now = (
        set(map(tuple, store.rows(select(*(table.c[name] for name in kept)))))
        for table in (release.classes, beside.release.classes)
    )
    assert before == now
    assert [column.name for column in beside.release.classes.c] == [column.name for column in release.classes.c]


def test_an_unknown_text_is_an_error(store: Store) -> None:
    with pytest.raises(
        InputError, match="the release: job has values that match no original value, hierarchy node or notation: 'chef'"
    ):
        comparison(store, ORIGINAL, "chef 20\nbaker 22\npilot 30\ncook 20", [JOB, AGE])


@pytest.mark.slow
def test_names_and_texts_may_hold_quotes(store: Store) -> None:
    attribute = quasi_identifier('a "name"', kind="category")
    rows = [("it's",), ('say "a"',), ("a,b",)]
    released = [("it's",), ('{"say ""a""",it\'s}',), ("*",)]
    beside = comparison(store, rows, released, [attribute])
    assert beside.unpaired == ""
    assert changes(store, beside, 0) == {
        ("it's", "it's"): 1,
        ('say "a"', '{"say ""a""",it\'s}'): 1,
        ("a,b", "*"): 1,
    }


def test_classes_that_two_comparisons_have_are_joined_once(store: Store) -> None:
    """By person the classes of the release are another table than those of both comparisons."""
    beside = comparison(store, "cook 20\npilot 30", "kitchen 20\n* *", [JOB, AGE])
    by_person = replace(beside.release, classes=store.create("classes", select(beside.release.classes)))
    shown = as_shown(by_person, beside, beside).classes
    assert sorted(map(tuple, store.rows(select(shown.c.size, shown.c.suppressed)))) == [(1, False), (1, True)]
