"""Every installed method passes every shipped check, for every privacy model that it supports; plugins included."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.amounts import some, times

from toolbox.checks import CHECKS, Check, supported_models
from toolbox.checks.tables import TABLES
from toolbox.methods.anonymizer import Anonymizer, list_installed_methods
from toolbox.privacy.registry import list_installed_models

METHODS = sorted(set(list_installed_methods().values()), key=lambda method: method.name)


# All other checks look at the same releases, which are made once.
OF_MORE_RELEASES = {"same_seed_same_result", "order_of_rows_does_not_matter", "formats_agree"}


# Each check with some method, and each method with some check.
@pytest.mark.sampled(14)
@pytest.mark.parametrize("check", CHECKS, ids=str)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_contract(method: type[Anonymizer], check: Check) -> None:
    """By default a method is tried with its first model on every eighth table, and with some of the others on one.

    The next methods take the tables between. Checks that need releases of their own take one.
    """
    first, *others = supported_models(method)
    turn = METHODS.index(method)
    turns = some(TABLES, every=8, start=turn)
    tables = tuple(table for table in check.tables if table in turns) or check.tables[:1]
    fewest = times(1, slow=len(tables)) if str(check) in OF_MORE_RELEASES else len(tables)
    replace(check, tables=tables[:fewest])(method, models=first)
    if not check.any_model:
        general = tuple(table for table in check.tables if table.for_every_model)
        fewer = tuple(some(general, every=4, start=turn)) or check.tables[:1]
        for models in some(others, every=16, start=turn):
            replace(check, tables=fewer)(method, models=models)


def test_the_methods_of_the_original_are_installed() -> None:
    original = {"datafly", "mondrian", "incognito_k", "incognito_l", "incognito_t", "anatomy"}
    assert original <= set(list_installed_methods())


def test_every_privacy_model_of_ours_is_tried_with_some_method() -> None:
    tried = {type(model) for method in METHODS for models in supported_models(method) for model in models}
    ours = {model for model in list_installed_models() if model.__module__.startswith("toolbox.")}
    assert tried == {
        model for model in ours if not model.needs_population
    }  # which tests/contract/test_populations.py tries
