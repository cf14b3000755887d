"""Formats of dates: what they take, and what they lack."""

import re

import pytest

from toolbox.hierarchy.date_formats import build_format_shape, find_unknown_directive, is_complete, list_usual_formats


@pytest.mark.parametrize(
    ("form", "text", "fits"),
    [
        ("%d.%m.%Y", "24.01.1971", True),
        ("%d.%m.%Y", "4.1.1971", True),
        ("%d.%m.%Y", "24.01.71", False),
        ("%d.%m.%Y", "24/01/1971", False),
        ("%d.%m.%Y", "24.01.1971 ", False),
        ("%d.%m.%y", "24.01.71", True),
        ("%Y%m%d", "19710124", True),
        ("%d %b %Y", "24 Jan 1971", True),
        ("%I:%M %p", "02:30 PM", True),
        ("100%% %d", "100% 4", True),
    ],
)
def test_a_format_takes_texts_of_its_shape(form: str, text: str, fits: bool) -> None:
    assert (re.fullmatch(build_format_shape(form), text) is not None) is fits


@pytest.mark.parametrize(("form", "unknown"), [("%d.%m.%Y", None), ("%d.%q", "%q"), ("%Y-%j", "%j"), ("%Y-%", "%")])
def test_what_stands_for_nothing_is_found(form: str, unknown: str | None) -> None:
    assert find_unknown_directive(form) == unknown


@pytest.mark.parametrize(
    ("form", "day", "time"),
    [
        ("%d.%m.%Y", True, False),
        ("%m/%Y", False, False),
        ("%d %b %y %H:%M", True, True),
        ("%d.%m.%Y %I:%M", True, False),
        ("%d.%m.%Y %I:%M %p", True, True),
    ],
)
def test_a_format_says_the_day_and_the_time(form: str, day: bool, time: bool) -> None:
    assert (is_complete(form, with_time=False), is_complete(form, with_time=True)) == (day, time)


@pytest.mark.parametrize("with_time", [False, True])
def test_the_usual_formats_are_complete(with_time: bool) -> None:
    assert all(is_complete(form, with_time=with_time) for form in list_usual_formats(with_time=with_time))
