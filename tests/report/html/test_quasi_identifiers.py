"""Each quasi-identifier before and after."""

from dataclasses import replace

from helpers.findings import AGE, INTERNAL, PUBLIC, PUBLIC_AGE
from helpers.page_text import rows, words

from toolbox.loss.metric import Measure
from toolbox.report.html.findings import FindingsBar
from toolbox.report.html.page import render_quasi_identifiers


def test_before_and_after_are_told_in_words_and_in_a_table() -> None:
    page = render_quasi_identifiers(INTERNAL)
    assert rows(page)[1:] == [["21", "2", "2"], ["30", "1", "1"], ["31", "2", "1"], ["not told", "0", "1"]]
    assert "4 original values became 3 in the release. No record shows its exact value." in words(page)
    assert "1 record shows nothing at all here." in words(page)
    assert "Most frequent in the release: 20-29 (2); 30-39 (2); * (1)." in words(page)


def test_what_a_column_has_lost_is_told_where_it_was_measured() -> None:
    assert INTERNAL.losses is not None
    lost = replace(INTERNAL.losses, measures=(Measure("normalised certainty penalty", "age", 0.25, "share", "lower"),))
    assert "The column has lost 25.0%" in words(render_quasi_identifiers(replace(INTERNAL, losses=lost)))


def test_a_column_that_shows_one_value_could_be_left_out() -> None:
    same = replace(AGE, released_values=1)
    assert "you can leave it out" in words(render_quasi_identifiers(replace(INTERNAL, pictures=(same,))))


def test_a_public_page_shows_released_values_that_at_least_k_records_have() -> None:
    page = render_quasi_identifiers(PUBLIC)
    assert rows(page)[1:] == [["20-29", "2"], ["30-39", "2"]]
    assert "There are 3 values in the release. fewer than 2 records nothing" not in words(page)
    assert "fewer than 2 records show nothing at all here." in words(page)


def test_no_sum_of_a_public_page_tells_how_few_records_are_suppressed() -> None:
    """Of 60 records 3 are suppressed, and 10 others show the root of age as well."""
    bars = (FindingsBar("20-29", 30), FindingsBar("*", 13), FindingsBar("30-39", 9), FindingsBar("40-49", 8))
    picture = replace(PUBLIC_AGE, released_values=4, most_frequent=bars, not_told=13)
    counts = PUBLIC.counts._replace(records=60, suppressed=3)
    page = render_quasi_identifiers(replace(PUBLIC, k=9, counts=counts, pictures=(picture,)))
    assert rows(page)[1:] == [["20-29", "30"], ["30-39", "9"]]
    assert "Apart from the suppressed records, 10 records show nothing at all here." in words(page)
    assert "Another value is shown by fewer than 9 records." in words(page)
    fewer = replace(picture, not_told=4)  # one of them is not suppressed
    page = render_quasi_identifiers(replace(PUBLIC, k=9, counts=counts, pictures=(fewer,)))
    assert "Apart from the suppressed records, fewer than 9 records show nothing at all here." in words(page)


def test_every_exact_value_and_missing_ones_are_said() -> None:
    exact = replace(AGE, exact=5, most_frequent=(FindingsBar(None, 5),))
    said = words(render_quasi_identifiers(replace(INTERNAL, pictures=(exact,))))
    assert "Every record shows its exact value." in said
    assert "Most frequent in the release: missing (5)." in said


def test_hostile_names_are_only_text() -> None:
    evil = replace(PUBLIC_AGE, name="</style><script>", most_frequent=(FindingsBar("<img src=x>" + "y" * 10_000, 5),))
    page = render_quasi_identifiers(replace(PUBLIC, pictures=(evil,)))
    assert "<script" not in page
    assert "<img" not in page
    assert len(page) < 10_000
