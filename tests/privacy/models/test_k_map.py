"""k-map as a judge of classes: how many people of a population a class describes."""

from __future__ import annotations

import pytest
from helpers.amounts import times
from helpers.model_classes import achieved, violating, worst
from helpers.population_classes import COUNTS, described
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.errors import SettingError, UsageError
from toolbox.privacy.classes import Classes
from toolbox.privacy.models.k_map import KMap
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_k_map_counts_the_people_whom_a_class_describes(store: Store) -> None:
    judged = described(store, (1, 5), (3, 3), (2, 0))
    assert achieved(store, KMap(k=2), judged) == [5, 3, 0]
    assert violating(store, KMap(k=4), judged) == {2, 3}
    assert worst(store, KMap(k=2), judged) == 0


def test_people_who_fit_no_class_are_nobody_s_hiding_place(store: Store) -> None:
    judged = described(store, (2, 4), outside=[3])
    assert achieved(store, KMap(k=4), judged) == [4]
    assert violating(store, KMap(k=4), judged) == set()


@RUNS
@given(left=COUNTS, right=COUNTS, outside=st.sampled_from([[], [2]]), k=st.integers(1, 9))
def test_merging_classes_that_satisfy_it_gives_one_that_does(
    store: Store, left: tuple[int, int], right: tuple[int, int], outside: list[int], k: int
) -> None:
    model, both = KMap(k=k), (left[0] + right[0], left[1] + right[1])
    apart, together = described(store, left, right, outside=outside), described(store, both, outside=outside)
    assert violating(store, model, apart) or not violating(store, model, together)
    assert model.monotone


def test_without_a_population_nothing_can_be_measured(store: Store) -> None:
    sizes = store.create_constant("sizes", {"equivalence_id": (int, [1]), "size": (int, [2])})
    with pytest.raises(UsageError, match="with a population, and none is given"):
        KMap(k=2).achieved(Classes(sizes))


def test_methods_that_cannot_enforce_it_name_those_that_can() -> None:
    table = {"age": [1, 2], "illness": ["a", "b"]}
    declared = {"quasi_identifiers": ["age"], "hierarchies": {"age": [(1, "*"), (2, "*")]}, "sensitive": ["illness"]}
    for method in ("Anatomy", "PrioPrivacy", "Singletons"):
        with pytest.raises(UsageError, match=r"k-map .* Those that can: Datafly, Flash, Incognito, .*, OLA"):
            toolbox.anonymize(table, method=method, models=[KMap(k=2)], population=table, **declared)


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", None])
def test_k_is_a_number_of_people(k: object) -> None:
    with pytest.raises(SettingError, match=r"^k is .*whole number of at least 1"):
        KMap(k=k)
