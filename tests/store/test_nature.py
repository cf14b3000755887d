"""What a column holds, where its texts must tell."""

from collections.abc import Sequence

from toolbox.config.model import Column, Kind, QuasiIdentifier
from toolbox.queries.numbers import PLAIN, Figures
from toolbox.store.nature import Clues, Nature, nature_of
from toolbox.store.store import Store


def nature(
    store: Store,
    texts: Sequence[str | None],
    *,
    kind: Kind | None = None,
    said: Kind | None = None,
    presumed: Kind | None = None,
    figures: Figures = PLAIN,
) -> Nature:
    """Find out what a column called zip holds."""
    given = store.create_constant("given", {"text": (str, texts)})
    attribute = QuasiIdentifier(column=Column(index=0, name="zip"), kind=kind)
    return nature_of(store, attribute, given, Clues(said=said, figures=figures, presumed=presumed))


def test_a_column_with_leading_zeros_holds_codes_and_a_note_says_so(store: Store) -> None:
    found = nature(store, ["01067", "1010", "04109"], presumed="number")
    assert found.kind == "category"
    assert found.notes == (
        "zip: 2 values have leading zeros, as codes have, so that all are taken for categories. "
        "Write type='number' if they are numbers.",
    )


def test_whoever_says_that_they_are_numbers_is_believed(store: Store) -> None:
    assert nature(store, ["01067", "1010"], kind="number") == Nature("number")
    assert nature(store, ["01067", "1010"], said="number") == Nature("number")


def test_numbers_are_numbers(store: Store) -> None:
    assert nature(store, ["0", "10", "0.5", None]) == Nature("number")


def test_words_are_categories_unless_numbers_are_presumed(store: Store) -> None:
    assert nature(store, ["1", "flu"]).kind == "category"
    assert nature(store, ["1", "flu"], presumed="number").kind == "number"


def test_decimal_commas_make_numbers_of_a_text(store: Store) -> None:
    assert nature(store, ["1,5", "2"]).kind == "category"
    assert nature(store, ["1,5", "2"], figures=Figures(",")).kind == "number"


def test_typed_numbers_are_not_written_as_the_text_of_the_input(store: Store) -> None:
    assert nature(store, ["1.5"], said="number", figures=Figures(",")).scale == PLAIN
