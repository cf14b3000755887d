"""What a column holds, where its texts must tell."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from helpers.built import built
from helpers.small_tables import quasi_identifier

from toolbox.config.built_columns import declare_builder
from toolbox.config.model import Column, Kind, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.queries.scales import PLAIN, Figures
from toolbox.store.engine.store import Store
from toolbox.store.values.column_type import ColumnType, TypeHints, find_nature, find_other_figures


def nature(
    store: Store,
    texts: Sequence[str | None],
    *,
    kind: Kind | None = None,
    said: Kind | None = None,
    presumed: Kind | None = None,
    figures: Figures = PLAIN,
) -> ColumnType:
    """Find out what a column called zip holds."""
    attribute = QuasiIdentifier(column=Column(index=0, name="zip"), kind=kind)
    clues = TypeHints(said=said, figures=figures, presumed=presumed)
    return find_nature(store, attribute, store.create_constant("given", {"text": (str, texts)}), clues)


YEAR = quasi_identifier("year")


@pytest.mark.parametrize(
    ("declared", "said", "holds"),
    [
        (declare_builder(YEAR, built("ages:2026-01-01")), "number", "holds numbers, and its hierarchy 'ages' takes dates. "),
        (declare_builder(YEAR, built("dates:month")), "number", "holds numbers, and its hierarchy 'dates' takes dates. "),
        (replace(YEAR, periods=("month", "year")), None, "holds numbers, and its hierarchy 'month,year' takes dates. "),
        (replace(YEAR, periods=("year",)), "category", "holds categories, and its hierarchy 'year' takes dates. "),
    ],
)  # fmt: skip
def test_a_hierarchy_of_dates_needs_dates(store: Store, declared: QuasiIdentifier, said: Kind, holds: str) -> None:
    given = store.create_constant("given", {"text": (str, ["1970", "1971"])})
    with pytest.raises(UsageError) as caught:
        find_nature(store, declared, given, TypeHints(said=said))
    remedy = "Write type='date' if they are dates, or choose another hierarchy."
    assert str(caught.value) == f"year {holds}{remedy}"
    nobody = store.create_constant("nobody", {"text": (str, [None])})
    assert find_nature(store, replace(YEAR, periods=("year",)), nobody, TypeHints(said="number")) == ColumnType(
        "number"
    )


def test_a_column_with_leading_zeros_holds_codes_and_a_note_says_so(store: Store) -> None:
    found = nature(store, ["01067", "1010", "04109"], presumed="number")
    assert found.kind == "category"
    assert found.notes == (
        "zip: 2 values have leading zeros, as codes have, so that all are taken for categories. "
        "Write type='number' if they are numbers.",
    )


def test_whoever_says_that_they_are_numbers_is_believed(store: Store) -> None:
    assert nature(store, ["01067", "1010"], kind="number") == ColumnType("number")
    assert nature(store, ["01067", "1010"], said="number") == ColumnType("number")


def test_numbers_are_numbers(store: Store) -> None:
    assert nature(store, ["0", "10", "0.5", None]) == ColumnType("number")


def test_words_are_categories_unless_numbers_are_presumed(store: Store) -> None:
    assert nature(store, ["1", "flu"]).kind == "category"
    assert nature(store, ["1", "flu"], presumed="number").kind == "number"


def test_decimal_commas_make_numbers_of_a_text(store: Store) -> None:
    assert nature(store, ["1,5", "2"]).kind == "category"
    assert nature(store, ["1,5", "2"], figures=Figures(",")).kind == "number"


def test_typed_numbers_are_not_written_as_the_text_of_the_input(store: Store) -> None:
    assert nature(store, ["1.5"], said="number", figures=Figures(",")).scale == PLAIN


COMMA, SWISS = Figures(","), "'"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("texts", "ways"),
    [
        (["1,5", "2"], [COMMA]),
        (["1.234,56", "7"], [Figures(",", ".")]),
        (["1 234,5"], [Figures(",", " ")]),
        (["1,234,567"], [Figures(".", ",")]),
        (["1,234.5", "7"], [Figures(".", ",")]),
        (["1'234.5", "12"], [Figures(".", SWISS)]),
        (["1 234", "5"], [Figures(".", " ")]),
        # A thousand, or one and a bit.
        (["1,234", "2,500"], [COMMA, Figures(".", ",")]),
        # What is a number as it stands, and what is none in any way.
        (["1.5", "2", None], []),
        (["1.5", "2,5"], []),
        (["flu", "1,5"], []),
        ([None], []),
    ],
)
def test_texts_that_would_be_numbers_tell_in_which_way(
    store: Store, texts: list[str | None], ways: list[Figures]
) -> None:
    given = store.create_constant("given", {"text": (str, texts)})
    assert list(find_other_figures(store, given)) == ways


@pytest.mark.slow
def test_the_way_that_is_declared_is_not_the_other_one(store: Store) -> None:
    given = store.create_constant("given", {"text": (str, ["1,5", "2"])})
    assert find_other_figures(store, given, COMMA) == ()
    given = store.create_constant("given", {"text": (str, ["1.5", "2"])})
    assert find_other_figures(store, given, COMMA) == (PLAIN,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (["1,5", "2"], "decimal commas, and are taken for categories. Write decimal=',' at the input if they are"),
        (["1.234,5"], "Write decimal=',' thousands='.' at the input if they are numbers."),
        (["1,234"], "nothing tells whether their marks stand before decimals or between thousands. They are taken for"),
        (["1.5", "2,5"], "not all have the same mark before their decimals. They are taken for categories."),
        (["12.5", "1.234,5"], "not all have the same mark before their decimals. They are taken for categories."),
    ],
)
@pytest.mark.parametrize("said", [None, "category"])
def test_categories_that_would_be_numbers_are_named_with_what_to_write(
    store: Store, texts: list[str], note: str, said: Kind | None
) -> None:
    found = nature(store, texts, said=said)
    assert (found.kind, len(found.notes)) == ("category", 1)
    assert found.notes[0].startswith("zip: its values would be numbers")
    assert note in found.notes[0]
    # Whoever says that they are categories is believed.
    assert nature(store, texts, kind="category").notes == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "texts", [["flu", "1,5"], ["a,b", "c"], ["1", "2"], ["1.5"], ["12.03.2020"], ["1,5;2"], [None]]
)
def test_of_other_categories_no_number_is_spoken(store: Store, texts: list[str | None]) -> None:
    assert [note for note in nature(store, texts, said="category").notes if "numbers" in note] == []
