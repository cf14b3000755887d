"""Each method and each model has its words, and there are no words for what is not there."""

from __future__ import annotations

from toolbox.app.pages.protection import METHODS, MODELS
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.privacy.registry import list_installed_models


def test_the_words_are_those_of_what_is_installed() -> None:
    assert set(METHODS) == {method.name for method in list_installed_methods().values()}
    assert set(MODELS) == {model.name for model in list_installed_models()}
