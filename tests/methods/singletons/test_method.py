"""Singletons: whom it generalises, and what becomes of those who are left."""

from __future__ import annotations

import pytest
from helpers.amounts import times
from helpers.small_tables import anonymized, load
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError, UnsatisfiableError, UsageError
from toolbox.methods.singletons import Singletons
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store

TOWNS = "Graz south *\nLinz north *\nWels north *"
PEOPLE = """
town sex
Linz f
Linz f
Linz m
Wels m
Graz m
Graz m
"""


def method(k: int = 2, **options: object) -> Singletons:
    return Singletons(models=(KAnonymity(k=k),), **options)


def test_only_those_who_stand_out_are_generalised(store: Store) -> None:
    assert anonymized(store, method(), PEOPLE, "town sex", hierarchies={"town": TOWNS, "sex": "f *\nm *"}) == [
        "Linz f",
        "Linz f",
        "north m",
        "north m",
        "Graz m",
        "Graz m",
    ]


def test_globally_whole_columns_are_generalised(store: Store) -> None:
    released = anonymized(
        store, method(scope="global"), PEOPLE, "town sex", hierarchies={"town": TOWNS, "sex": "f *\nm *"}
    )
    # South is all of Graz, but no town stays what it is.
    assert released == ["north f", "north f", "north m", "north m", "south m", "south m"]


@pytest.mark.slow
def test_numbers_become_ranges_of_four_values_or_of_k_records(store: Store) -> None:
    people = "born\n1918\n1918\n1920\n1921\n1922\n1950\n1950\n"
    by_values = anonymized(store, method(scope="global", ranges="values"), people, "born")
    assert by_values == [*["[1918:1922]"] * 5, "[1950:1950]", "[1950:1950]"]
    # These modify fewer, and so they are elected where both are tried.
    by_records = anonymized(store, method(scope="global", ranges="records"), people, "born")
    assert by_records == ["1918", "1918", *["[1920:1921]"] * 2, *["[1922:1950]"] * 3]
    assert anonymized(store, method(scope="global"), people, "born") == by_records


def test_locally_a_range_names_only_those_who_stand_out(store: Store) -> None:
    people = "born\n1918\n1918\n1920\n1921\n1950\n1950\n"
    # All the same of those that modify as few: both rules for ranges and the root bring the two together.
    released = anonymized(store, method(scope="local"), people, "born")
    assert (released[:2], released[4:]) == (["1918", "1918"], ["1950", "1950"])
    assert released[2] == released[3]
    assert released[2] not in ("1920", "1921")


ODD = "town sex\nGraz f\nLinz m\nLinz m\nLinz m\n"


@pytest.mark.slow
def test_what_is_left_is_generalised_further_and_takes_the_smallest_class_along_where_it_must(store: Store) -> None:
    hierarchies = {"town": TOWNS, "sex": "f *\nm *"}
    assert set(anonymized(store, method(), ODD, "town sex", hierarchies=hierarchies)) == {"* *"}


@pytest.mark.slow
def test_what_is_left_is_suppressed_up_to_the_limit(store: Store) -> None:
    hierarchies = {"town": TOWNS, "sex": "f *\nm *"}
    chosen = method(finish="suppress", scope="local", suppression_threshold=1)
    released = anonymized(store, chosen, ODD, "town sex", hierarchies=hierarchies)
    assert released == ["* *", "Linz m", "Linz m", "Linz m"]
    proof = chosen.run(load(store, ODD, "town sex", hierarchies=hierarchies).tables).proof
    assert (proof.records_suppressed, proof.smallest_class) == (1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("finish", ["suppress", "none"])
def test_beyond_the_limit_there_is_no_release_and_what_to_write_is_told(store: Store, finish: str) -> None:
    with pytest.raises(UnsatisfiableError, match=r"1 record remains below k = 2.*finish='local'.*suppThreshold='1'"):
        anonymized(store, method(finish=finish, scope="local"), ODD, "town sex")


def test_the_publisher_is_told_whom_it_was_about(store: Store) -> None:
    tables = method().run(load(store, ODD, "town sex").tables).tables
    (note,) = tables.notes
    assert note.startswith("1 record stood out (below k = 2). Elected: ")
    assert note.endswith(" 1 remained and was generalised further.") or note.endswith(" None remained.")


def test_a_table_in_which_nobody_stands_out_is_released_as_it_is(store: Store) -> None:
    assert anonymized(store, method(), "town\nGraz\nGraz\n", "town") == ["Graz", "Graz"]


@pytest.mark.slow
@settings(deadline=None, max_examples=times(3, slow=30))
@given(
    records=st.lists(st.tuples(st.integers(1918, 1930), st.sampled_from("fm")), min_size=4, max_size=25),
    k=st.integers(2, 4),
    scope=st.sampled_from(["both", "local", "global"]),
)
def test_any_table_of_k_records_has_a_release_without_suppression(store: Store, records, k, scope) -> None:
    table = "born sex\n" + "\n".join(f"{born} {sex}" for born, sex in records)
    released = anonymized(store, method(k, scope=scope), table, "born sex")
    assert len(released) == len(records)
    assert min(released.count(record) for record in released) >= k


def test_it_honours_k_anonymity_alone_and_refuses_a_wrong_limit() -> None:
    with pytest.raises(UsageError, match="cannot honour"):
        Singletons(models=(DistinctLDiversity(l=2, attribute="illness"),))
    with pytest.raises(SettingError):
        method(suppression_threshold=-1)
    with pytest.raises(SettingError):
        method(finish="somehow")
    with pytest.raises(SettingError, match="k is 1; write a whole number of at least 2"):
        method(k=1)
