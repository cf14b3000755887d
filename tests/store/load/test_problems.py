"""Messages on values that do not fit: column, pattern, first places, remedy, and never a cell."""

from pathlib import Path

import pytest
from helpers.small_tables import declared, load, quasi_identifier
from helpers.workbooks import sheet, xlsx
from hypothesis import given
from hypothesis import strategies as st

from toolbox import anonymize
from toolbox.config.model import Attribute, Column
from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.load.problems import describe_pattern


def message(store: Store, table: str, config) -> str:
    with pytest.raises(InputError) as caught:
        load(store, table, config)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("12 Main St.", "'99 aaaa aa.'"),
        ("-3.5", "'-9.9'"),
        ("", "an empty value"),
        ("Ñandú_7", "'aaaaa_9'"),
        ("²٣", "'99'"),
        ("abcdefghij0123456789", "'aaaaaaaaaa9999999999'"),
        ("abcdefghij0123456789x", "'aaaaaaaaaa9999999999...'"),
        ("it's\n", '"aa\'a\\n"'),
    ],
)
def test_a_pattern_shows_digits_as_9_and_letters_as_a(text: str, shape: str) -> None:
    assert describe_pattern(text) == shape


@given(st.text(min_size=1))
def test_a_pattern_holds_no_letter_and_no_digit_of_the_value(text: str) -> None:
    shown = describe_pattern(text)
    assert {letter for letter in shown if letter.isalnum()} <= set("a9") | set("nrtxuU0123456789bcdef")
    assert len(shown) <= 20 * 10 + len("'...'")


def test_a_text_in_a_column_of_numbers_is_shown_as_its_pattern_with_its_places(store: Store) -> None:
    ages = declared([quasi_identifier("age", kind="number")])
    assert message(store, "age x\n31 a\nn/a b\n29 c\nN.A. d\n", ages) == (
        "the table: values that do not fit their column\n"
        "  column age: pattern 'A.A.', 'a/a' (rows 2, 4) is no number. "
        "Correct it, name it in missing=, or write type='category' if the column holds no numbers.\n"
        "  In a pattern 9 stands for a digit and a for a letter."
    ).replace("'A.A.'", "'a.a.'")


def test_of_many_wrong_values_three_are_shown_and_five_places(store: Store) -> None:
    ages = declared([quasi_identifier("age", kind="number")])
    text = message(store, "age\n" + "\n".join(["1", "a", "bb", "ccc", "dddd", "e5", "f-"]), ages)
    assert "'a', 'aa', 'aaa', ... (rows 2, 3, 4, 5, 6) is no number" in text


def test_values_outside_a_hierarchy_are_reported_per_column_in_one_run(store: Store) -> None:
    config = declared("age sex", hierarchies={"age": "1 * \n2 *", "sex": "F *\nM *"})
    assert message(store, "age sex\n1 F\n3 X\n2 M\n", config) == (
        "the table: values that do not fit their column\n"
        "  column age: pattern '9' (row 2) is outside the hierarchy. Widen the hierarchy or correct the value. "
        "Or say other='root' beside the hierarchy.\n"
        "  column sex: 'X' (row 2) is no declared category. Declare it, correct it, or name it in missing=. "
        "Or say other='root' beside the hierarchy.\n"
        "  In a pattern 9 stands for a digit and a for a letter."
    )


def test_a_sensitive_category_that_is_not_declared_is_shown_as_its_pattern_only(store: Store) -> None:
    illness = Attribute(column=Column(index=None, name="illness"), kind="category", categories={"flu": 0})
    text = message(store, "age illness\n1 flu\n1 cancer\n", declared("age", sensitive=[illness]))
    assert text.splitlines()[1].startswith("  column illness: pattern 'aaaaaa' (row 2) is no declared category.")
    assert "cancer" not in text


def test_a_wrong_value_of_a_skipped_record_does_not_count(store: Store) -> None:
    illness = Attribute(column=Column(index=None, name="illness"), kind=None)
    ages = declared([quasi_identifier("age", kind="number")], sensitive=[illness])
    loaded = load(store, "age illness\n1 flu\nold ?\n1 flu\n", ages)
    assert (loaded.records_read, loaded.records_skipped) == (3, 1)
    assert "(row 3) is no number" in message(store, "age illness\n1 flu\nold ?\nyoung flu\n", ages)


def test_missing_values_that_must_not_be_are_listed_by_column(store: Store) -> None:
    config = declared("age zip", on_missing="fail")
    assert message(store, "age zip\n1 a\n? b\n2 ?\n3 ?\n", config) == (
        "the table: values are missing\n"
        "  column age: missing (row 2)\n"
        "  column zip: missing (rows 3, 4)\n"
        "  Complete them, or write onMissing='skip' or 'keep' on input."
    )


def test_an_empty_field_is_missing_and_no_place_of_another_problem(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "a.xlsx", {"A": sheet([["age", "x"], ["31", 1], [None, 2], ["old", 3], ["29", 4]])})
    with pytest.raises(InputError, match=r"pattern 'aaa' \(row 3\) is no number"):
        anonymize(book, quasi_identifiers=["age"], sensitive=["x"], kinds={"age": "number"}, k=2)


@pytest.mark.parametrize(
    ("prices", "remedy"),
    [
        ("1,5 2,5", "write decimal=',' at the input. Correct it"),
        ("1.234,5 2,5", "write decimal=',' thousands='.' at the input. Correct it"),
        ("1,5 x", "is no number. Correct it"),
    ],
)
def test_decimal_commas_are_recognised(store: Store, prices: str, remedy: str) -> None:
    config = declared([quasi_identifier("price", kind="number")])
    assert remedy in message(store, "price\n" + prices.replace(" ", "\n"), config)
