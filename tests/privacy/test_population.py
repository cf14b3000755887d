"""k-map and delta-presence as judges of classes: how many people of a population a class describes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from helpers.amounts import times
from helpers.model_classes import achieved, violating, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.errors import SettingError, UsageError
from toolbox.privacy.classes import Classes
from toolbox.privacy.delta_presence import DeltaPresence
from toolbox.privacy.k_map import KMap
from toolbox.privacy.model import PrivacyModel
from toolbox.store.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# Some records, and how many more people fit.
COUNTS = st.tuples(st.integers(1, 6), st.integers(0, 12))


def described(store: Store, *counts: tuple[int, int], outside: Sequence[int] = ()) -> Classes:
    """Put classes of so many records and so many people, numbered from 1, into the store; and people who fit none."""
    numbers = list(range(1, len(counts) + 1))
    sizes = {"equivalence_id": (int, numbers), "size": (int, [records for records, _ in counts])}
    people = [(number, count) for number, (_, count) in zip(numbers, counts, strict=True) if count]
    people += [(number, count) for number, count in enumerate(outside, start=1000)]
    found = {"equivalence_id": (int, [one for one, _ in people]), "size": (int, [count for _, count in people])}
    return Classes(store.create_constant("sizes", sizes), population=store.create_constant("people", found))


def test_k_map_counts_the_people_whom_a_class_describes(store: Store) -> None:
    judged = described(store, (1, 5), (3, 3), (2, 0))
    assert achieved(store, KMap(k=2), judged) == [5, 3, 0]
    assert violating(store, KMap(k=4), judged) == {2, 3}
    assert worst(store, KMap(k=2), judged) == 0


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
@given(left=COUNTS, right=COUNTS, outside=st.sampled_from([[], [2]]), k=st.integers(1, 9))
def test_merging_classes_that_satisfy_them_gives_one_that_does(
    store: Store, left: tuple[int, int], right: tuple[int, int], outside: list[int], k: int
) -> None:
    models: list[PrivacyModel] = [KMap(k=k), DeltaPresence(delta_max=0.5), DeltaPresence(delta_max=0.6, delta_min=0.3)]
    both = (left[0] + right[0], left[1] + right[1])
    apart, together = described(store, left, right, outside=outside), described(store, both, outside=outside)
    for model in models:
        assert violating(store, model, apart) or not violating(store, model, together)
        assert model.monotone


def test_without_a_population_nothing_can_be_measured(store: Store) -> None:
    sizes = store.create_constant("sizes", {"equivalence_id": (int, [1]), "size": (int, [2])})
    for model in (KMap(k=2), DeltaPresence(delta_max=0.5)):
        with pytest.raises(UsageError, match="with a population, and none is given"):
            model.achieved(Classes(sizes))


@pytest.mark.parametrize("method", ["Mondrian", "Datafly", "Incognito", "Anatomy"])
def test_no_method_enforces_them(method: str) -> None:
    table = {"age": [1, 2], "illness": ["a", "b"]}
    declared = {"quasi_identifiers": ["age"], "hierarchies": {"age": [(1, "*"), (2, "*")]}, "sensitive": ["illness"]}
    for model in (KMap(k=2), DeltaPresence(delta_max=0.5)):
        with pytest.raises(UsageError, match=f"No method enforces {model.name}: it needs a population"):
            toolbox.anonymize(table, method=method, models=[model], **declared)


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", None])
def test_k_is_a_number_of_people(k: object) -> None:
    with pytest.raises(SettingError, match=r"^k is .*whole number of at least 1"):
        KMap(k=k)


@pytest.mark.parametrize("share", [0, -0.1, 1.1, math.nan, "0.5", None, True])
def test_delta_max_is_a_share(share: object) -> None:
    with pytest.raises(SettingError, match=r"^delta_max is .*above 0, at most 1"):
        DeltaPresence(delta_max=share)


@pytest.mark.parametrize("share", [-0.1, 0.6, math.nan, "0.5", None, True])
def test_delta_min_is_no_larger(share: object) -> None:
    with pytest.raises(SettingError, match=r"^delta_min is .*from 0 to delta_max, 0\.5"):
        DeltaPresence(delta_max=0.5, delta_min=share)
