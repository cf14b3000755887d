"""From the distinct texts of a column to its values: numbers, category codes, and what is wrong with the rest."""

from collections.abc import Mapping, Sequence

import pytest
from sqlalchemy import select

from toolbox.config.model import Column, Kind, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.store.engine.store import Store
from toolbox.store.values.column_type import MISSING_NUMBER, NO_CATEGORY, NOT_A_NUMBER, OUTSIDE, TOO_PRECISE, is_within
from toolbox.store.values.column_type import read_domain as read


def values(
    store: Store,
    texts: Sequence[str],
    kind: Kind,
    *,
    kept_missing: str | None = None,
    categories: Mapping[str, int] | None = None,
    hierarchy: str | None = None,
    listed: tuple[float, ...] | None = None,
) -> dict[str, float | str]:
    """Return the value of each text, or its problem."""
    root = None if hierarchy is None else Hierarchy(Node(Interval.parse(hierarchy), hierarchy))
    column = Column(index=0, name="a")
    attribute = QuasiIdentifier(column=column, kind=kind, categories=categories, hierarchy=root, listed=listed)
    given = store.create_constant("given", {"text": (str, texts)})
    texts_of = select(given.c.text)
    domain = read(store, attribute, position=0, texts=texts_of, all_texts=texts_of, kept_missing=kept_missing)
    rows = store.rows(select(domain.texts.c.text, domain.texts.c.value, domain.texts.c.problem))
    return {text: value if problem is None else problem for text, value, problem in rows}


def test_numbers_are_read_however_they_are_written(store: Store) -> None:
    written = {"1": 1.0, "1.0": 1.0, " 2 ": 2.0, "-3.5": -3.5, "+4": 4.0, "1e3": 1000.0, "007": 7.0, ".5": 0.5}
    assert values(store, list(written), "number") == written


def test_minus_zero_is_zero(store: Store) -> None:
    found = values(store, ["0", "-0", "-0.0"], "number")
    assert {str(value) for value in found.values()} == {"0.0"}


def test_the_largest_and_the_smallest_numbers_are_numbers(store: Store) -> None:
    assert values(store, ["1e308", "-1e308", "5e-324"], "number") == {
        "1e308": 1e308,
        "-1e308": -1e308,
        "5e-324": 5e-324,
    }


@pytest.mark.sampled(10)
@pytest.mark.parametrize("text", ["x", "", "1,5", "1 2", "0x1F", "nan", "inf", "-Infinity", "1e400", "12a", "--1"])
def test_what_is_no_finite_number_is_a_problem(store: Store, text: str) -> None:
    assert values(store, ["1", text], "number") == {"1": 1.0, text: NOT_A_NUMBER}


@pytest.mark.parametrize("zero", ["0e9999999999999999999", "-0e-9999999999999999999", "0." + "0" * 5000])
def test_zero_is_one_number_whatever_its_exponent(store: Store, zero: str) -> None:
    assert values(store, ["0", zero, "1"], "number") == {"0": 0.0, zero: 0.0, "1": 1.0}


def test_what_is_smaller_than_any_number_would_become_zero(store: Store) -> None:
    tiny = "1e-9999999999999999999"
    assert values(store, ["0", tiny], "number") == {"0": TOO_PRECISE, tiny: TOO_PRECISE}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12345678901234567", "12345678901234568"),
        ("0.1", "0.10000000000000001"),
        ("1000000000000000000000001", "1000000000000000000000002"),
        ("0.1234567890123456789", "0.1234567890123456788"),
    ],
)
def test_two_numbers_that_would_become_one_are_a_problem(store: Store, one: str, other: str) -> None:
    assert float(one) == float(other)
    assert values(store, ["7", one, other], "number") == {"7": 7.0, one: TOO_PRECISE, other: TOO_PRECISE}


def test_one_number_written_in_several_ways_is_no_problem(store: Store) -> None:
    written = ["0.1", "0.10", "1e-1", "12345678901234567", "12345678901234567.0"]
    assert set(values(store, written, "number").values()) == {0.1, float("12345678901234567")}


def test_numbers_lie_within_the_root_of_their_hierarchy(store: Store) -> None:
    found = values(store, ["0", "0.5", "99.9", "100", "-1"], "number", hierarchy="(0:100)")
    assert found == {"0": OUTSIDE, "0.5": 0.5, "99.9": 99.9, "100": OUTSIDE, "-1": OUTSIDE}


def test_a_hierarchy_file_lists_its_numbers(store: Store) -> None:
    found = values(store, ["1", "1.0", "2", "1.5"], "number", hierarchy="[1:3]", listed=(1.0, 2.0, 3.0))
    assert found == {"1": 1.0, "1.0": 1.0, "2": 2.0, "1.5": OUTSIDE}


def test_numbers_have_no_category_for_what_is_missing(store: Store) -> None:
    assert values(store, ["1", "?"], "number", kept_missing="?") == {"1": 1.0, "?": MISSING_NUMBER}


def test_undeclared_categories_are_numbered_in_the_order_of_their_texts(store: Store) -> None:
    assert values(store, ["b", "a", "B", "ä", "?"], "category", kept_missing="?") == {
        "?": 0.0,
        "B": 1.0,
        "a": 2.0,
        "b": 3.0,
        "ä": 4.0,
    }


def test_declared_categories_have_their_codes_and_all_others_none(store: Store) -> None:
    found = values(store, ["Male", "Female", "male", ""], "category", categories={"Female": -2, "Male": 7})
    assert found == {"Male": 7.0, "Female": -2.0, "male": NO_CATEGORY, "": NO_CATEGORY}


def test_names_with_quotes_percents_and_signs_are_categories_like_others(store: Store) -> None:
    names = ["50%", "it's", '"x"', "a:b", ":name", "\\", "Île 🦆", " blank "]
    assert values(store, names, "category", categories={name: code for code, name in enumerate(names)}) == {
        name: float(code) for code, name in enumerate(names)
    }


@pytest.mark.parametrize("codes", [{"x": 0, "y": 4}, {"x": -2, "y": -1}, {"x": -3}])
def test_kept_missing_is_a_category_after_all_others(store: Store, codes: dict[str, int]) -> None:
    found = values(store, [*codes, "?"], "category", categories=codes, kept_missing="?")
    assert found == {**codes, "?": max(codes.values()) + 1.0}


def test_a_mark_that_is_declared_keeps_its_code(store: Store) -> None:
    codes = {"x": 0, "?": 1, "y": 2}
    assert values(store, list(codes), "category", categories=codes, kept_missing="?") == codes


@pytest.mark.parametrize("text", ["[0:2]", "[0:2)", "(0:2]", "(0:2)", "[1]"])
def test_within_takes_the_bounds_that_belong_to_the_interval(store: Store, text: str) -> None:
    numbers = [-1.0, 0.0, 1.0, 2.0, 3.0]
    given = store.create_constant("given", {"n": (float, numbers)})
    interval = Interval.parse(text)
    found = store.rows(select(given.c.n).where(is_within(given.c.n, interval)))
    assert [n for (n,) in found] == [n for n in numbers if n in interval]


def test_one_number_may_be_spelled_in_many_ways(store: Store) -> None:
    one = ["1", "01", "1.", "1.0", "+1.00", " 1 ", "1e0", "10e-1"]
    zero = ["0", "-0", "0.0", "00", "0e5"]
    assert values(store, [*one, *zero], "number") == dict.fromkeys(one, 1.0) | dict.fromkeys(zero, 0.0)


@pytest.mark.parametrize(
    "texts",
    [
        ("9007199254740992", "9007199254740993"),
        ("9007199254740992.0", "09007199254740993"),
        ("0.1", "0.10000000000000000001"),
        ("-1e20", "-100000000000000000001"),
    ],
)
def test_two_numbers_that_a_double_cannot_tell_apart_are_refused(store: Store, texts: tuple[str, str]) -> None:
    found = values(store, ["5", "5.0", *texts], "number")
    assert found == {"5": 5.0, "5.0": 5.0, **dict.fromkeys(texts, TOO_PRECISE)}
