"""What a plan requires, as privacy models of a data set."""

from __future__ import annotations

import pytest

from toolbox.config.model import Attribute, Column, Config, Output, QuasiIdentifier
from toolbox.errors import BadValueError, UnknownColumnError
from toolbox.experiments.plan.plan import Wish, build_required_models
from toolbox.experiments.plan.reader import _check_model_words
from toolbox.flows.session.variants import Declared

DECLARED = Declared(
    config=Config(
        source="test",
        path=None,
        input=None,
        output=Output(path=None),
        quasi_identifiers=(QuasiIdentifier(column=Column(index=None, name="age"), kind=None),),
        sensitive=(Attribute(column=Column(index=None, name="ill"), kind=None),),
    ),
    asks=False,
    kinds={},
    said=frozenset(),
    dates=(),
)


def test_numbers_and_models_become_models() -> None:
    written = {
        Wish(k=5): ["k-anonymity (k=5)"],
        Wish(k=5, t=0.25): ["k-anonymity (k=5)", "t-closeness (t=0.25) of ill"],
        Wish(models=("entropy l-diversity:l=2.5:attribute=ill",)): ["entropy l-diversity (l=2.5) of ill"],
    }
    for wish, expected in written.items():
        models = build_required_models(wish, DECLARED)
        assert [f"{str(model).split(' of ')[0]}" for model in models] == [text.split(" of ")[0] for text in expected]
        assert [model.attribute for model in models] == ["ill" if " of " in text else None for text in expected]


def test_a_model_of_a_column_that_is_not_sensitive_is_refused() -> None:
    with pytest.raises(UnknownColumnError):
        build_required_models(Wish(models=("distinct l-diversity:l=2:attribute=age",)), DECLARED)


def test_a_text_that_is_no_model_is_refused_with_what_to_write() -> None:
    for text, expected in (
        ("k-anonimity:k=5", "k-anonymity"),
        ("k-anonymity:k=1.5", ""),
        ("k-anonymity:k=0", "at least"),
        ("k-anonymity", "Write 'k-anonymity:k=..'."),
        ("k-anonymity:k=5:m=3", "It has: k."),
        ("t-closeness:t=0.2", "attribute=COLUMN"),
    ):
        with pytest.raises(BadValueError) as caught:
            _check_model_words(text)
        assert expected in caught.value.args[1], text
