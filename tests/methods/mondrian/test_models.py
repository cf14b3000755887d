"""Mondrian with l-diversity and t-closeness: a cut is allowable if both sides satisfy every model."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.beside_store import anonymize
from helpers.brute_mondrian import mondrian
from helpers.requirements import Columns, Requirement, all_of, requirements
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from toolbox.errors import UnsatisfiableError
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

# The same tables in every run. No shrinking: a failing table is small enough, and each attempt is a run of the toolbox.
RUNS = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


def partition(
    store: Store, frame: pd.DataFrame, names: Sequence[str], models: Sequence[PrivacyModel], **more: str
) -> pd.DataFrame:
    return anonymize(
        store,
        Mondrian(models=tuple(models), **more),
        frame,
        names,
        sensitive=["illness", "salary"],
        kinds={"illness": "category", "salary": "number"},
    ).release


def ages(illnesses: str, salaries: Sequence[float] | None = None) -> pd.DataFrame:
    """Write a table of people aged 1, 2, ..., with an illness each."""
    count = len(illnesses)
    return pd.DataFrame({"age": range(1, count + 1), "illness": list(illnesses), "salary": salaries or range(count)})


def shown(store: Store, illnesses: str, *models: PrivacyModel, salaries: Sequence[float] | None = None) -> str:
    """Return the released ages once each."""
    return " ".join(partition(store, ages(illnesses, salaries), ["age"], models)["age"].drop_duplicates())


# By hand: one column


@pytest.mark.slow
@pytest.mark.parametrize(
    ("illnesses", "l", "expected"),
    [
        ("abab", 2, "[1:2] [3:4]"),
        ("aabb", 2, "[1:4]"),
        ("abababab", 2, "[1:2] [3:4] [5:6] [7:8]"),
        ("aabaabab", 2, "[1:4] [5:6] [7:8]"),
        ("abcabc", 3, "[1:3] [4:6]"),
        ("abcacb", 2, "[1:3] [4:6]"),
        ("aaaa", 1, "1 2 3 4"),
    ],
)
def test_both_sides_have_l_different_values(store: Store, illnesses: str, l: int, expected: str) -> None:  # noqa: E741
    assert shown(store, illnesses, DistinctLDiversity(l=l, attribute="illness")) == expected


@pytest.mark.slow
def test_both_sides_have_the_entropy_of_l_values(store: Store) -> None:
    """Shares of 1/2, 1/4 and 1/4 have the entropy of 2.83 values, all eight together that of 2.95."""
    assert shown(store, "aabccbba", EntropyLDiversity(l=2.8, attribute="illness")) == "[1:4] [5:8]"
    assert shown(store, "aabccbba", EntropyLDiversity(l=2.9, attribute="illness")) == "[1:8]"
    assert shown(store, "abccba", EntropyLDiversity(l=3, attribute="illness")) == "[1:3] [4:6]"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("c", "l", "expected"),
    [
        # a half has counts of 2, 1, 1: 2 < c (1 + 1) for l = 2, 2 < c for l = 3; c b and b a have 1 < c for l = 2
        (1, 2, "[1:8]"),
        (1.1, 2, "[1:4] [5:6] [7:8]"),
        (2, 3, "[1:8]"),
        (2.1, 3, "[1:4] [5:8]"),
    ],
)
def test_both_sides_are_recursively_diverse(store: Store, c: float, l: float, expected: str) -> None:  # noqa: E741
    assert shown(store, "aabccbba", RecursiveLDiversity(c=c, l=l, attribute="illness")) == expected


@pytest.mark.slow
def test_both_sides_are_close_to_the_whole_table_not_to_the_part_that_is_cut(store: Store) -> None:
    """Of a a b b c c d d a half of a and b is 1/2 away; of a b c d c d a b each half is like the whole."""
    near = TCloseness(t=0.3, attribute="illness")
    assert shown(store, "aabbccdd", near) == "[1:8]"
    assert shown(store, "abcdcdab", near) == "[1:4] [5:8]"
    # quarters of a b, c d, c d, a b are as far from the whole as from their halves
    assert shown(store, "abcdcdab", TCloseness(t=0.5, attribute="illness")) == "[1:2] [3:4] [5:6] [7:8]"
    assert shown(store, "abcdcdab", TCloseness(t=0.499, attribute="illness")) == "[1:4] [5:8]"


@pytest.mark.slow
def test_numbers_are_compared_in_their_order(store: Store) -> None:
    """Of the salaries 1 2 3 4 the outer ones and the inner ones are close to all, the upper ones are not."""
    near = TCloseness(t=0.2, attribute="salary")
    assert shown(store, "xxxx", near, salaries=[1, 4, 2, 3]) == "[1:2] [3:4]"
    assert shown(store, "xxxx", near, salaries=[1, 2, 3, 4]) == "[1:4]"


@pytest.mark.slow
def test_every_model_must_be_satisfied(store: Store) -> None:
    two = DistinctLDiversity(l=2, attribute="illness")
    assert shown(store, "abababab", KAnonymity(k=3), two) == "[1:4] [5:8]"
    assert shown(store, "abababab", KAnonymity(k=2), two) == "[1:2] [3:4] [5:6] [7:8]"
    by_salary = DistinctLDiversity(l=2, attribute="salary")
    assert shown(store, "abababab", two, by_salary, salaries=[1, 1, 1, 2, 1, 1, 1, 2]) == "[1:4] [5:8]"


@pytest.mark.slow
def test_below_the_median_is_tried_where_up_to_it_is_not_allowable(store: Store) -> None:
    """Ages 1 1 2 2 2 2: up to 2 nobody is left; below 2 both sides have both illnesses, or not."""
    two = DistinctLDiversity(l=2, attribute="illness")
    for illnesses, expected in (("abaabb", "1 2"), ("aaabbb", "[1:2]")):
        frame = ages(illnesses).assign(age=[1, 1, 2, 2, 2, 2])
        result = partition(store, frame, ["age"], [two])
        assert " ".join(result["age"].drop_duplicates()) == expected
        assert set(partition(store, frame, ["age"], [two], cut="classic")["age"]) == {"[1:2]"}


@pytest.mark.slow
def test_a_column_whose_cut_is_not_diverse_gives_way_to_the_next(store: Store) -> None:
    """Both are equally wide, but a, the first, would put one illness on each side."""
    frame = pd.DataFrame({"a": [1, 1, 9, 9], "b": [1, 2, 1, 2], "illness": list("xxyy"), "salary": [1] * 4})
    result = partition(store, frame, ["a", "b"], [DistinctLDiversity(l=2, attribute="illness")])
    assert result[["a", "b"]].values.tolist() == [["[1:9]", "1"], ["[1:9]", "2"]] * 2


def test_what_even_the_whole_table_does_not_satisfy_is_refused(store: Store) -> None:
    with pytest.raises(UnsatisfiableError):
        shown(store, "aabb", DistinctLDiversity(l=3, attribute="illness"))
    with pytest.raises(UnsatisfiableError):
        shown(store, "aaab", EntropyLDiversity(l=2, attribute="illness"))


@pytest.mark.slow
def test_the_whole_table_is_always_close_to_itself(store: Store) -> None:
    assert shown(store, "aabb", TCloseness(t=0.01, attribute="illness")) == "[1:4]"


# Against the plain program

VALUES = st.tuples(st.integers(0, 9), st.sampled_from([-2.5, 0, 0.25, 1, 1000]), st.integers(0, 1))


@st.composite
def protected(draw: st.DrawFn) -> tuple[pd.DataFrame, Columns]:
    """Draw 1 to 50 records, mostly many, with three numbers and two sensitive values."""
    rows = draw(st.lists(VALUES, min_size=draw(st.sampled_from([1, 12, 25])), max_size=50))
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    illness = draw(st.lists(st.sampled_from("abcd"), min_size=len(rows), max_size=len(rows)))
    salary = draw(st.lists(st.sampled_from([-4, 1, 2.5, 3]), min_size=len(rows), max_size=len(rows)))
    return frame, {"illness": illness, "salary": salary}


@pytest.mark.slow
@settings(RUNS, max_examples=times(3, slow=60))
@given(
    protected(),
    st.lists(requirements(), min_size=1, max_size=2),
    st.sampled_from(["range", "distinct"]),
    st.sampled_from(["fallback", "classic"]),
)
def test_the_classes_are_those_of_a_plain_mondrian(
    store: Store, table: tuple[pd.DataFrame, Columns], required: list[Requirement], dimension: str, cut: str
) -> None:
    frame, columns = table
    given_models = [one.model for one in required]
    satisfies = all_of(required, columns)
    options = {"dimension": dimension, "cut": cut}
    if not satisfies(range(len(frame))):
        with pytest.raises(UnsatisfiableError):
            partition(store, frame.assign(**columns), list("abc"), given_models, **options)
        return
    result = partition(store, frame.assign(**columns), list("abc"), given_models, **options)
    rows = list(frame.itertuples(index=False, name=None))
    both = lambda left, right: satisfies(left) and satisfies(right)  # noqa: E731
    expected: dict[tuple[str, ...], set[int]] = {}
    for members in mondrian(rows, 1, allowable=both, **options):
        expected.setdefault(ends(rows, members), set()).update(members)
    found: dict[tuple[str, ...], set[int]] = {}
    for number, labels in enumerate(result[list("abc")].itertuples(index=False, name=None)):
        found.setdefault(tuple(map(span, labels)), set()).add(number)
    assert found == expected
    assert all(satisfies(sorted(members)) for members in found.values())


def ends(rows: Sequence[Sequence[float]], members: frozenset[int]) -> tuple[tuple[float, float], ...]:
    """Return the smallest and the largest value of a class in each column."""
    columns = zip(*(rows[number] for number in members), strict=True)
    return tuple((min(column), max(column)) for column in map(list, columns))


def span(label: str) -> tuple[float, float]:
    low, _, high = label.strip("[]").partition(":")
    return float(low), float(high or low)
