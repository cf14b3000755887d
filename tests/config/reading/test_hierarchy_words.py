"""The words of a hierarchy on the command line."""

from __future__ import annotations

import pytest

from toolbox.config.reading.declarations import parse_hierarchy_words
from toolbox.errors import BadValueError


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("zip.csv", {"file": "zip.csv"}),
        ("zip.csv:header=yes:other=root", {"file": "zip.csv", "header": "yes", "other": "root"}),
        ("a:b.csv", {"file": "a:b.csv"}),
        ("./auto", {"file": "./auto"}),
        ("autos.csv", {"file": "autos.csv"}),
        ("towns", {"file": "towns"}),
        ("intervals:5,10,20:top=90", {"build": "intervals", "width": "5,10,20", "top": "90"}),
        ("prefix:3,1:other=root", {"build": "prefix", "keep": "3,1", "other": "root"}),
        ("ages:2026-01-01:width=5,10", {"build": "ages", "at": "2026-01-01", "width": "5,10"}),
        ("cuts:18,30,45,65/18,65", {"build": "cuts", "at": "18,30,45,65/18,65"}),
        ("icd10", {"build": "icd10"}),
        ("tree:places.csv", {"build": "tree", "file": "places.csv"}),
    ],
)
def test_it_is_a_file_or_a_builder_with_its_values(text: str, attributes: dict[str, str]) -> None:
    assert parse_hierarchy_words(text) == attributes


@pytest.mark.parametrize("text", ["", " ", "intervals:5:width=10", "interval:5", "autto"])
def test_what_is_neither_or_says_something_twice_is_refused(text: str) -> None:
    with pytest.raises(BadValueError):
        parse_hierarchy_words(text)
