"""Every privacy model measured without a requirement: the strictest parameter that a table satisfies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from helpers.amounts import times
from helpers.model_classes import classes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.privacy.classes import Classes
from toolbox.privacy.measures import MeasuredParameter, measure_all
from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, KAnonymity, KMAnonymity
from toolbox.privacy.registry import list_installed_models
from toolbox.privacy.results import judge_classes
from toolbox.store.engine.store import Store
from toolbox.store.load.sensitive import create_tree

RUNS = settings(
    max_examples=times(5, slow=10), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def by_name(measured: tuple[MeasuredParameter, ...]) -> Mapping[tuple[object, ...], float | None]:
    return {(one.name, one.parameter, *one.given.values()): one.achieved for one in measured}


def with_everything(store: Store) -> Classes:
    """Two classes of a, a, b and a, b, c, c; a and b are alike, c is not; five and eight people."""
    read = read_hierarchy_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")], "ill")
    judged = classes(store, "aab", "abcc")
    people = store.create_constant("people", {"equivalence_id": (int, [1, 2]), "size": (int, [5, 8])})
    tree = create_tree(store, read.hierarchy, [(0, 0), (1, 1), (2, 2)])
    return replace(judged, tree=tree, population=people)


def test_every_model_by_hand(store: Store) -> None:
    """Shares in all: 3/7, 2/7, 2/7; in the first class 2/3, 1/3, 0, in the second 1/4, 1/4, 1/2."""
    found = by_name(measure_all(store, with_everything(store), "ill"))
    assert found == {
        ("k-anonymity", "k"): 3,
        ("k-map", "k"): 5,
        ("delta-presence", "delta_max"): 0.6,
        ("(alpha,k)-anonymity", "alpha", 3): 2 / 3,
        ("p-sensitive k-anonymity", "p", 3): 2,
        ("distinct l-diversity", "l"): 2,
        ("entropy l-diversity", "l"): pytest.approx(3 / 4 ** (1 / 3)),  # ln 3 - 2/3 ln 2
        ("recursive (c,l)-diversity", "c", 2): 2,  # 2 of 1; 2 of 1 + 1 is less
        ("t-closeness", "t", "equal"): pytest.approx(2 / 7),
        ("t-closeness", "t", "ordered"): pytest.approx((5 / 21 + 2 / 7) / 2),
        ("t-closeness", "t", "hierarchical"): pytest.approx(2 / 7),  # all that is missing of c comes from a and b
        ("delta-disclosure", "delta", "ignored"): pytest.approx(math.log(7 / 4)),  # c rises from 2/7 to 1/2
        ("delta-disclosure", "delta", "infinite"): math.inf,
        ("basic beta-likeness", "beta"): pytest.approx(3 / 4),  # c rises from 2/7 to 1/2
        ("enhanced beta-likeness", "beta"): pytest.approx(3 / 4),
    }


def test_documents_list_the_models_in_an_order_that_stays(store: Store) -> None:
    names = [one.name for one in measure_all(store, with_everything(store), "ill")]
    assert list(dict.fromkeys(names)) == [
        "k-anonymity",
        "k-map",
        "delta-presence",
        "(alpha,k)-anonymity",
        "p-sensitive k-anonymity",
        "distinct l-diversity",
        "entropy l-diversity",
        "recursive (c,l)-diversity",
        "t-closeness",
        "delta-disclosure",
        "basic beta-likeness",
        "enhanced beta-likeness",
    ]


def test_no_model_of_ours_is_left_out(store: Store) -> None:
    ours = {
        model.name
        for model in list_installed_models()
        if model.__module__.startswith("toolbox.") and not model.of_release  # which are judged where they are asked for
    }
    # They are measured where they are asked for: there are as many figures as sets of columns or of rows.
    ours -= {FewColumnsKAnonymity.name, KMAnonymity.name}
    assert {one.name for one in measure_all(store, with_everything(store), "ill")} == ours


def test_recursive_diversity_is_also_measured_at_the_l_of_the_table(store: Store) -> None:
    found = by_name(measure_all(store, classes(store, "aaabbc", "aabc"), "ill"))
    assert found["recursive (c,l)-diversity", "c", 2] == 1
    assert found["recursive (c,l)-diversity", "c", 3] == 3


def test_what_no_parameter_allows_is_infinite(store: Store) -> None:
    found = by_name(measure_all(store, classes(store, "aa", "bc"), "ill"))
    assert found["recursive (c,l)-diversity", "c", 2] == math.inf
    assert found["enhanced beta-likeness", "beta"] == math.inf


def test_without_a_sensitive_attribute_sizes_alone_are_measured(store: Store) -> None:
    sizes = classes(store, "aab", "cc").sizes
    assert by_name(measure_all(store, Classes(sizes))) == {("k-anonymity", "k"): 2}


def test_categories_without_a_hierarchy_have_no_order(store: Store) -> None:
    distances = [one.given.get("distance") for one in measure_all(store, classes(store, "ab"), "ill")]
    assert [one for one in distances if one] == ["equal"]
    numbers = [one.given.get("distance") for one in measure_all(store, classes(store, [1, 2], kind="number"), "ill")]
    assert [one for one in numbers if one] == ["equal", "ordered"]


def test_where_there_is_no_class_nothing_is_achieved(store: Store) -> None:
    sizes = store.create_constant("sizes", {"equivalence_id": (int, []), "size": (int, [])})
    (only,) = measure_all(store, Classes(sizes))
    assert only.achieved is None
    result = judge_classes(store, Classes(sizes), KAnonymity(k=2))
    assert (result.achieved, result.holds) == (None, True)


WHOLE = ("k-anonymity", "p-sensitive k-anonymity", "distinct l-diversity")
LOWER = (*WHOLE, "entropy l-diversity")


def near(one: MeasuredParameter, *, stricter: bool) -> float:
    """Return a parameter next to the one measured."""
    assert one.achieved is not None
    if one.name in WHOLE:
        return one.achieved + stricter
    step = 1e-3 if stricter else -1e-9
    return one.achieved * (1 + step if one.name in LOWER else 1 - step)


@pytest.mark.slow
@RUNS
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), min_size=1, max_size=5))
def test_what_is_measured_holds_and_nothing_stricter_does(store: Store, given_classes: list[list[str]]) -> None:
    """Each model is made with a parameter just looser and one just stricter, if there is such a parameter."""
    judged = classes(store, *given_classes)
    models = {model.name: model for model in list_installed_models()}
    for one in measure_all(store, judged, "ill"):
        for stricter in (False, True):
            parameter = {one.parameter: near(one, stricter=stricter)}
            with suppress(SettingError):  # beyond what can be asked for
                model = models[one.name](attribute=one.attribute, **one.given, **parameter)
                assert judge_classes(store, judged, model).holds is not stricter
