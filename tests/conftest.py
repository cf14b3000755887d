"""What every test may use: the flag ``--slow``, the real data, and pyCANON as an independent judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from helpers import pycanon
from hypothesis import settings

# The same examples in every run, so that a test fails for a change and not by chance; the other profile looks for more.
settings.register_profile("repeatable", derandomize=True, max_examples=40)
settings.register_profile("search", derandomize=False, print_blob=True, max_examples=200)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def key_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the key that seals journals out of the tester's home; what tests start inherits the place."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow: minutes or gigabytes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow; run with --slow"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the real data: ``data/``, ``fixtures/``; tests that use it are marked ``real``."""
    given = os.environ.get("TOOLBOX_DATA")
    folder = Path(given) if given else Path(__file__).parents[2] / "shared"
    for needed in (folder, folder / "data", folder / "fixtures"):
        if not needed.is_dir():
            pytest.skip(f"There is no folder {needed}. Put the real data there, or name its folder in $TOOLBOX_DATA.")
    return folder


@pytest.fixture(scope="session")
def pycanon_k() -> Callable[..., int]:
    """Return a function of a release with a header, its quasi-identifiers and its separator to k, as pyCANON counts it."""
    try:
        python = pycanon.judge_python()
    except pycanon.UnavailableError as error:
        pytest.skip(str(error))
    return partial(pycanon.k_anonymity, python)
