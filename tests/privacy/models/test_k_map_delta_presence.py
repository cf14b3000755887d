"""delta-presence as a judge of classes: the share of the people whom a class describes that is in the table."""

from __future__ import annotations

import math

import pytest
from helpers.amounts import times
from helpers.model_classes import achieved, violating, worst
from helpers.population_classes import COUNTS, described
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.errors import SettingError, UsageError
from toolbox.privacy.classes import Classes
from toolbox.privacy.models.k_map import DeltaPresence
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_delta_presence_is_the_share_of_these_people_in_the_table(store: Store) -> None:
    """Of 5 people who fit 2 are in the table, and of 4 people 2."""
    judged = described(store, (2, 5), (2, 4))
    assert achieved(store, DeltaPresence(delta_max=1), judged) == [0.4, 0.5]
    assert violating(store, DeltaPresence(delta_max=0.45), judged) == {2}
    assert violating(store, DeltaPresence(delta_max=0.5, delta_min=0.45), judged) == {1}
    assert violating(store, DeltaPresence(delta_max=0.5, delta_min=0.4), judged) == set()


def test_the_worst_share_is_one_that_violates(store: Store) -> None:
    judged = described(store, (1, 10), (2, 4))
    assert worst(store, DeltaPresence(delta_max=0.5), judged) == 0.5
    assert worst(store, DeltaPresence(delta_max=0.5, delta_min=0.2), judged) == 0.1


def test_a_class_that_describes_nobody_is_no_part_of_the_population(store: Store) -> None:
    judged = described(store, (1, 0), (4, 2))
    assert achieved(store, DeltaPresence(delta_max=1), judged) == [math.inf, 2]
    assert violating(store, DeltaPresence(delta_max=1), judged) == {1, 2}


def test_people_who_fit_no_class_are_known_to_be_absent(store: Store) -> None:
    judged = described(store, (2, 4), outside=[3])
    assert violating(store, DeltaPresence(delta_max=0.5), judged) == set()
    sure = DeltaPresence(delta_max=0.5, delta_min=0.1)
    assert violating(store, sure, judged) == {1}
    assert worst(store, sure, judged) == 0


@RUNS
@given(left=COUNTS, right=COUNTS, outside=st.sampled_from([[], [2]]))
def test_merging_classes_that_satisfy_it_gives_one_that_does(
    store: Store, left: tuple[int, int], right: tuple[int, int], outside: list[int]
) -> None:
    both = (left[0] + right[0], left[1] + right[1])
    apart, together = described(store, left, right, outside=outside), described(store, both, outside=outside)
    for model in (DeltaPresence(delta_max=0.5), DeltaPresence(delta_max=0.6, delta_min=0.3)):
        assert violating(store, model, apart) or not violating(store, model, together)
        assert model.monotone


def test_without_a_population_nothing_can_be_measured(store: Store) -> None:
    sizes = store.create_constant("sizes", {"equivalence_id": (int, [1]), "size": (int, [2])})
    with pytest.raises(UsageError, match="with a population, and none is given"):
        DeltaPresence(delta_max=0.5).achieved(Classes(sizes))


def test_methods_that_cannot_enforce_it_name_those_that_can() -> None:
    table = {"age": [1, 2], "illness": ["a", "b"]}
    declared = {"quasi_identifiers": ["age"], "hierarchies": {"age": [(1, "*"), (2, "*")]}, "sensitive": ["illness"]}
    for method in ("Anatomy", "PrioPrivacy", "Singletons"):
        with pytest.raises(UsageError, match=r"delta-presence .* Those that can: Datafly, Flash, Incognito, .*, OLA"):
            toolbox.anonymize(table, method=method, models=[DeltaPresence(delta_max=0.5)], population=table, **declared)


@pytest.mark.parametrize("share", [0, -0.1, 1.1, math.nan, "0.5", None, True])
def test_delta_max_is_a_share(share: object) -> None:
    with pytest.raises(SettingError, match=r"^delta_max is .*above 0, at most 1"):
        DeltaPresence(delta_max=share)


@pytest.mark.parametrize("share", [-0.1, 0.6, math.nan, "0.5", None, True])
def test_delta_min_is_no_larger(share: object) -> None:
    with pytest.raises(SettingError, match=r"^delta_min is .*from 0 to delta_max, 0\.5"):
        DeltaPresence(delta_max=0.5, delta_min=share)
