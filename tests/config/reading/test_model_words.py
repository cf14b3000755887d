"""The words of a privacy model on the command line."""

from __future__ import annotations

import pytest

from toolbox.config.reading.declarations import parse_model_words
from toolbox.errors import BadValueError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k-map:k=5", {"name": "k-map", "k": "5"}),
        ("recursive (c,l)-diversity:c=2:l=3", {"name": "recursive (c,l)-diversity", "c": "2", "l": "3"}),
        ('t-closeness:t=0.2:attribute="a:b, ""c"""', {"name": "t-closeness", "t": "0.2", "attribute": 'a:b, "c"'}),
        ("t-closeness:attribute=a=b", {"name": "t-closeness", "attribute": "a=b"}),
        ("k-anonymity", {"name": "k-anonymity"}),
    ],
)
def test_a_model_has_a_name_and_parameters_between_colons(text: str, words: dict[str, str]) -> None:
    assert parse_model_words(text) == words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not begin with the name of a model"),
        ("k=5", "does not begin with the name of a model"),
        ("k-anonymity:5", "has '5' where a parameter goes"),
        ("k-anonymity:", "has '' where a parameter goes"),
        ("k-anonymity:k=5:k=6", "says k twice"),
        ('k-anonymity:k="5', "has a quote that does not close"),
    ],
)
def test_what_is_no_model_is_said(text: str, said: str) -> None:
    with pytest.raises(BadValueError) as caught:
        parse_model_words(text)
    assert caught.value.args[0] == said
