"""Each method and each model has its words, and there are no words for what is not there."""

from __future__ import annotations

from toolbox.app.pages.protection import METHODS, MODELS
from toolbox.methods.anonymizer import installed_methods
from toolbox.privacy.registry import installed_models


def test_the_words_are_those_of_what_is_installed() -> None:
    assert set(METHODS) == {method.name for method in installed_methods().values()}
    assert set(MODELS) == {model.name for model in installed_models()}
