"""Every installed method keeps the contract, plugins included."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toolbox.methods.registry import installed_methods

from .checks import CHECKS, Method

NAMES = sorted({method.name for method in installed_methods().values()})


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__ for check in CHECKS])
@pytest.mark.parametrize("name", NAMES)
def test_contract(name: str, check: Callable[[Method], None]) -> None:
    check(Method(name))


def test_the_methods_of_the_original_that_are_done_are_installed() -> None:
    assert {"Datafly", "Mondrian"} <= set(NAMES)
