"""Incognito: every minimal node of the lattice that satisfies the models, and of these the one with most classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pandas as pd
import pytest
from helpers import in_order
from helpers.beside_store import anonymize
from helpers.brute_incognito import breadth_first
from helpers.small_tables import declared
from sqlalchemy import func, select

import toolbox
from toolbox import Limits, Result, UnsatisfiableError, UsageError
from toolbox.config.formats import AS_IN_2010, OUR_OWN
from toolbox.methods.lattice.incognito import Incognito
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(3)

# Figures 1 and 2 of LeFevre, DeWitt and Ramakrishnan (2005)
PATIENTS = pd.DataFrame(
    [
        ("1/21/76", "Male", "53715", "flu"),
        ("4/13/86", "Female", "53715", "hepatitis"),
        ("2/28/76", "Male", "53703", "bronchitis"),
        ("1/21/76", "Male", "53703", "broken arm"),
        ("4/13/86", "Female", "53706", "sprained ankle"),
        ("2/28/76", "Female", "53706", "hang nail"),
    ],
    columns=["born", "sex", "zip", "disease"],
)
BORN = [(day, "*") for day in ("1/21/76", "2/28/76", "4/13/86")]
SEX = [("Male", "person"), ("Female", "person")]
ZIP = [
    ("53715", "5371*", "537**"),
    ("53710", "5371*", "537**"),
    ("53706", "5370*", "537**"),
    ("53703", "5370*", "537**"),
]
LETTERS = [("x", "*"), ("y", "*")]
HIERARCHIES = {"born": BORN, "sex": SEX, "zip": ZIP, "a": LETTERS, "b": LETTERS, "c": LETTERS}


def incognito(frame: pd.DataFrame, names: str, method: str = "Incognito", **more: object) -> Result:
    """Run Incognito, by default without suppression."""
    chosen = {"hierarchies": {name: HIERARCHIES[name] for name in names.split()}, "suppression_threshold": 0} | more
    return in_order.anonymize(
        frame,
        quasi_identifiers=names.split(),
        kinds=dict.fromkeys(names.split(), "category"),
        method=method,
        limits=Limits(threads=1),
        **chosen,
    )


def minimal(result: Result) -> dict[tuple[int, ...], int]:
    """Return the minimal nodes, each with its number of released classes."""
    nodes = result.summary.minimal_nodes
    found = {tuple(node.levels): node.released for node in nodes}
    assert len(found) == len(nodes), "a node is listed twice"
    listed = [{**node._asdict(), "levels": list(node.levels)} for node in nodes]
    assert result.summary.document()["minimal_nodes"] == listed
    return found


def chosen(result: Result) -> tuple[int | None, ...]:
    return tuple(one.level for one in result.summary.quasi_identifiers)


# The paper's example


@pytest.mark.slow
def test_the_patients_of_the_paper_have_three_minimal_2_anonymous_generalisations() -> None:
    """<B1,S1,Z0> keeps three zip codes, <B1,S0,Z2> two sexes, <B0,S1,Z2> three days; the first is the lowest."""
    result = incognito(PATIENTS, "born sex zip", k=2)
    assert minimal(result) == {(1, 1, 0): 3, (1, 0, 2): 2, (0, 1, 2): 3}
    assert chosen(result) == (1, 1, 0)
    assert result.release["zip"].tolist() == PATIENTS["zip"].tolist()
    assert set(result.release["born"]) == {"*"}
    assert set(result.release["sex"]) == {"person"}


@pytest.mark.slow
def test_of_nodes_with_equally_many_classes_the_lowest_is_chosen() -> None:
    """Both have three classes, but zip has to go up two levels."""
    result = incognito(PATIENTS, "zip born", k=2)
    assert minimal(result) == {(0, 1): 3, (2, 0): 3}
    assert chosen(result) == (0, 1)


def test_most_classes_count_more_than_a_low_node() -> None:
    frame = pd.DataFrame([(born, code) for born in ("1/21/76", "2/28/76", "4/13/86") for code in ("53715", "53706")])
    result = incognito(frame.set_axis(["born", "zip"], axis=1), "born zip", k=2)
    assert minimal(result) == {(1, 0): 2, (0, 2): 3}
    assert chosen(result) == (0, 2)


CUBE = pd.DataFrame([(a, b, c) for a in "xy" for b in "xy" for c in "xy"], columns=["a", "b", "c"])


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "names", ["a b c", *(pytest.param(names, marks=pytest.mark.slow) for names in ("c b a", "b c a"))]
)
@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, {(0, 0, 0): 8}),
        (2, {(1, 0, 0): 4, (0, 1, 0): 4, (0, 0, 1): 4}),
        (3, {(1, 1, 0): 2, (1, 0, 1): 2, (0, 1, 1): 2}),
        (4, {(1, 1, 0): 2, (1, 0, 1): 2, (0, 1, 1): 2}),
        (5, {(1, 1, 1): 1}),
    ],
)
def test_of_equally_good_nodes_the_one_that_raises_the_first_attributes_is_chosen(
    names: str, k: int, expected: dict[tuple[int, ...], int]
) -> None:
    result = incognito(CUBE, names, k=k)
    assert minimal(result) == expected
    assert chosen(result) == next(iter(expected))


def test_the_walk_of_the_oracle_raises_the_first_attribute_first() -> None:
    assert list(breadth_first([2, 1])) == [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (2, 1)]
    assert list(breadth_first([1, 1, 1]))[4:7] == [(1, 1, 0), (1, 0, 1), (0, 1, 1)]


# Suppression


@pytest.fixture(scope="module")
def two_suppressed() -> Result:
    """A release of the patients from which as many may be suppressed as k says, which is the usual threshold."""
    return incognito(PATIENTS, "born sex zip", k=2, suppression_threshold=None)


@pytest.mark.slow
def test_as_many_records_as_the_threshold_may_be_suppressed_in_small_classes(two_suppressed: Result) -> None:
    """With all days hidden, two of the patients are alone; with one suppressed record that is one too many."""
    assert minimal(two_suppressed) == {(1, 0, 0): 2, (0, 0, 2): 2}
    assert [(node.classes, node.suppressed) for node in two_suppressed.summary.minimal_nodes] == [(4, 2), (4, 2)]
    fewer = incognito(PATIENTS, "born sex zip", k=2, suppression_threshold=1)
    assert minimal(fewer) == {(1, 1, 0): 3, (1, 0, 2): 2, (0, 1, 2): 3}


@pytest.mark.slow
def test_a_node_that_releases_more_classes_is_chosen_over_the_minimal_ones(two_suppressed: Result) -> None:
    """<B1,S0,Z0> has two classes of two and two of one; with the sexes hidden too there are three classes of two."""
    assert chosen(two_suppressed) == (1, 1, 0)
    proof = two_suppressed.summary.proof
    assert (proof.records_suppressed, proof.classes, proof.smallest_class) == (0, 3, 2)
    assert any("releases 3 classes and suppresses 0 records" in note for note in two_suppressed.summary.notes)


@pytest.mark.parametrize("more", [{"objective": "lm"}, {"levels": {"zip": (0, 1)}}])
def test_where_classes_are_not_counted_a_note_says_so(more: dict[str, object]) -> None:
    notes = incognito(PATIENTS, "born sex zip", k=2, suppression_threshold=2, counted="all", **more).summary.notes
    assert sum(note.startswith("counted='all' is ignored: ") for note in notes) == 1


@pytest.mark.slow
def test_in_compatibility_suppressed_classes_count_too() -> None:
    for compatibility, counted in ((AS_IN_2010, "all"), (OUR_OWN, "released")):
        config = replace(declared("born sex zip"), compatibility=compatibility)
        assert Incognito.configured(config, (KAnonymity(k=2),)).counted == counted
    result = incognito(PATIENTS, "born sex zip", k=2, suppression_threshold=2, counted="all")
    assert minimal(result) == {(1, 0, 0): 2, (0, 0, 2): 2}
    assert chosen(result) == (1, 0, 0)
    assert (result.summary.proof.records_suppressed, result.summary.proof.classes) == (2, 2)
    assert result.release.drop(columns="disease").values.tolist() == [
        ["*", "person", "537**"],
        ["*", "person", "537**"],
        ["*", "Male", "53703"],
        ["*", "Male", "53703"],
        ["*", "Female", "53706"],
        ["*", "Female", "53706"],
    ]


@pytest.mark.slow
def test_of_nodes_that_release_equally_many_classes_the_one_that_suppresses_fewer_is_chosen() -> None:
    """Three men and a woman in one code, two men in another: raising the sex saves the woman, and merges nothing."""
    rows = [("Male", "53715"), ("Male", "53715"), ("Male", "53715"), ("Female", "53715"), *[("Male", "53703")] * 2]
    result = incognito(pd.DataFrame(rows, columns=["sex", "zip"]), "sex zip", k=2, suppression_threshold=1)
    assert minimal(result) == {(0, 0): 2}
    assert chosen(result) == (1, 0)
    assert result.summary.proof.records_suppressed == 0


@pytest.mark.slow
def test_where_a_model_looks_at_sensitive_values_nothing_is_suppressed() -> None:
    models = [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="disease")]
    result = incognito(PATIENTS, "born sex zip", k=2, sensitive=["disease"], models=models, suppression_threshold=None)
    assert minimal(result) == {(1, 1, 0): 3, (1, 0, 2): 2, (0, 1, 2): 3}
    assert result.summary.proof.records_suppressed == 0


# The three classical names

EIGHT = pd.DataFrame(
    {
        "born": ["1/21/76"] * 4 + ["4/13/86"] * 4,
        "disease": ["flu", "flu", "cold", "hiv", "flu", "cold", "hiv", "hep"],
        "salary": [3, 4, 5, 6, 7, 8, 9, 10],
    }
)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["incognito_K", "Incognito_k", "INCOGNITO_K", "incognito"])
def test_incognito_k_asks_for_k_anonymity(name: str) -> None:
    assert chosen(incognito(EIGHT, "born", name, k=4)) == (0,)
    assert chosen(incognito(EIGHT, "born", name, k=5)) == (1,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("l", "c", "level"),
    [
        # entropies of the shares 1/2 1/4 1/4, 1/4 x 4 and, of all, 3/8 1/4 1/4 1/8: exp 2.83, 4 and 3.75
        (2.83, None, 1),
        (2.82, None, 0),
        (3.74, None, 1),
        (3, 2.01, 0),
        (2, 2, 0),
        (2, 1, 1),
        (2.5, 2, 0),
        (3, 2, 1),
    ],
)
def test_incognito_l_asks_for_entropy_or_with_c_for_recursive_l_diversity(
    l: float,  # noqa: E741
    c: float | None,
    level: int,
) -> None:
    assert chosen(incognito(EIGHT, "born", "Incognito_l", sensitive=["disease"], l=l, c=c)) == (level,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attribute", "t", "level"),
    [
        ("disease", 0.125, 0),
        ("disease", 0.124, 1),
        # of eight salaries the lower four run ahead by 1, 2, 3, 4, 3, 2, 1 eighths, over 7 steps
        ("salary", 0.286, 0),
        ("salary", 0.285, 1),
    ],
)
def test_incognito_t_asks_for_t_closeness_with_an_order_for_numbers(attribute: str, t: float, level: int) -> None:
    assert chosen(incognito(EIGHT, "born", "Incognito_t", sensitive=[attribute], t=t)) == (level,)


@pytest.mark.slow
def test_the_proof_says_what_the_worst_class_achieves() -> None:
    models = [
        KAnonymity(k=2),
        EntropyLDiversity(l=2, attribute="disease"),
        RecursiveLDiversity(c=3, l=2, attribute="disease"),
        TCloseness(t=0.3, attribute="salary"),
    ]
    result = incognito(EIGHT, "born", sensitive=["disease", "salary"], models=models)
    assert [one.achieved for one in result.summary.proof.models] == pytest.approx([4, 8**0.5, 1, 2 / 7])
    assert all(one.holds for one in result.summary.proof.models)


# What cannot be done


@pytest.mark.slow
@pytest.mark.parametrize("more", [{"l": 5}, {"l": 3.8}, {"l": 4, "c": 3}, {"l": 2, "c": 0.6}, {"l": 9}])
def test_what_even_all_records_together_do_not_satisfy_is_refused(more: dict[str, float]) -> None:
    """Counts 3, 2, 2, 1: four values of entropy ln 3.75; 3 / 1 and 3 / 5 are the ratios of l = 4 and l = 2."""
    with pytest.raises(UnsatisfiableError):
        incognito(EIGHT, "born", "Incognito_l", sensitive=["disease"], **more)


def test_more_records_to_a_class_than_there_are_is_refused() -> None:
    with pytest.raises(UnsatisfiableError):
        incognito(EIGHT, "born", k=9)


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("Incognito_l", {"l": 2}),
        ("Incognito_t", {"t": 0.2}),
        ("Incognito_t", {"t": 0.2, "sensitive": ["disease", "salary"]}),
        ("Incognito_t", {"t": 0, "sensitive": ["disease"]}),
        ("Incognito_t", {"t": 1, "sensitive": ["disease"]}),
        ("Incognito_l", {"l": 0, "sensitive": ["disease"]}),
        ("Incognito_l", {"l": -1, "sensitive": ["disease"]}),
        ("Incognito_k", {"k": 0}),
        ("Incognito", {"models": [TCloseness(t=0.2, attribute="disease")]}),
        ("Incognito", {"hierarchies": {}, "k": 2}),
    ],
)
def test_wrong_arguments_are_refused(method: str, more: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        incognito(EIGHT, "born", method, **more)


@pytest.mark.slow
def test_a_table_that_a_model_of_sizes_can_never_satisfy_is_refused(store: Store) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Even(PrivacyModel):
        """Every class has an even number of records, and so has a table that is made of such classes."""

        name: ClassVar[str] = "evenness"
        monotone: ClassVar[bool] = True
        suppression_helps: ClassVar[bool] = False
        required: ClassVar[float] = 0
        least_records: ClassVar[int] = 2

        def achieved(self, classes):
            return select(classes.sizes.c.equivalence_id, (classes.sizes.c.size % 2).label("achieved"))

        def holds(self, achieved):
            return achieved == 0

        def worst(self, achieved):
            return func.max(achieved)

    rows = [[age, "young" if age < 30 else "old", "*"] for age in (21, 22, 34, 35)]
    method = Incognito(models=(Even(),), suppression_threshold=0)

    def levels(ages: list[int]) -> tuple[int, ...]:
        result = anonymize(store, method, pd.DataFrame({"age": ages}), ["age"], hierarchies={"age": rows})
        return result.tables.minimal_nodes[0].levels

    assert levels([21, 21, 34, 34]) == (0,)
    assert levels([21, 22, 34, 35]) == (1,)
    assert levels([21, 34, 35, 34]) == (2,)
    with pytest.raises(toolbox.UnsatisfiableError, match="No release can satisfy evenness"):
        levels([21, 22, 34])
