"""Telephone numbers by country and area."""

import pytest
from helpers.built import assert_is_hierarchy, assert_is_stable, built, wrong
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError


@pytest.mark.parametrize(
    ("number", "labels"),
    [
        ("+43 316 123456", ("+43 3161..", "+43 31..", "+43 ..")),
        ("0043 (0)316/12-34-56", ("+43 3161..", "+43 31..", "+43 ..")),
        ("+1 (212) 555-0100", ("+1 2125..", "+1 21..", "+1 ..")),
        ("+355 4 123456", ("+355 4123..", "+355 41..", "+355 ..")),
        ("+44 12", ("+44 12", "+44 12", "+44 ..")),
        ("+7 495 123 45 67", ("+7 4951..", "+7 49..", "+7 ..")),
        ("+420 222 123 456", ("+420 2221..", "+420 22..", "+420 ..")),
        ("+39 06 1234", ("+39 0612..", "+39 06..", "+39 ..")),
    ],
)
def test_a_number_is_that_of_a_country_and_an_area(number, labels):
    assert built("telephone").rows([number]) == [(number, *labels, "*")]


@pytest.mark.parametrize(
    ("country", "number", "label"),
    [
        ("43", "0316 123456", "+43 3161.."), ("+43", "316 123456", "+43 3161.."), ("0039", "06 1234567", "+39 0612.."),
        ("1", "(212) 555-0100", "+1 2125.."), ("1", "1 212 555 0100", "+1 2125.."), ("7", "8 495 123 45 67", "+7 4951.."),
    ],
)  # fmt: skip
def test_a_national_number_is_that_of_the_country_that_is_named(country, number, label):
    assert built(f"telephone:country={country}").rows([number])[0][1] == label


@pytest.mark.parametrize(
    "text", ["0316 123456", "no number", "+43", "12", "+0 123456", "+43 316 x5", "+431234567890123456"]
)
def test_what_is_no_number_of_a_country_has_no_place(text):
    with pytest.raises(BuilderError, match="Write country='43', say, if they have no country code"):
        built("telephone").rows(["+43 316 123456", text])


def test_what_is_wrong_is_told_at_once():
    assert wrong("telephone:2,4:country=999999") == [
        "country='999999' is no country code. Write one, such as 43 or +43.",
        "keep= has 4 after 2, so that nothing more is hidden. Write fewer digits on each level, such as 4,2.",
    ]


@given(st.lists(st.from_regex(r"\+[1-9][0-9 ]{3,12}", fullmatch=True), min_size=1, max_size=15))
@example(["+43 1", "+43 12", "+43 123", "+43 1234", "+43 12345"])
def test_every_number_has_its_place(values):
    build = built("telephone:other=root")
    known = [value for value in values if build.naming({})(value)]  # type: ignore[attr-defined]
    if known:
        assert_is_hierarchy(build.rows(known), known)
        assert_is_stable(lambda: build, known[:4], known[4:])
