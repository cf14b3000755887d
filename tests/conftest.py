"""What every test may use: the flag ``--slow``, the real data, and pyCANON as an independent judge."""

from __future__ import annotations

import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from helpers import amounts, browser, children
from helpers.pycanon import Judge, UnavailableError, install_early, judge_python
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

# The same examples in every run, so that a test fails for a change and not by chance; the other profile looks for more.
# A machine that is busy with other work is no fault of a test.
_BUSY = [HealthCheck.too_slow]
settings.register_profile("repeatable", derandomize=True, max_examples=25, deadline=None, suppress_health_check=_BUSY)
settings.register_profile("search", derandomize=False, print_blob=True, max_examples=200, suppress_health_check=_BUSY)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def key_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the key that seals journals out of the tester's home; what tests start inherits the place."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow: minutes or gigabytes")


def pytest_configure(config: pytest.Config) -> None:
    children.prepare()
    # Where Python is told to write none, each worker of each run would write the assertions of all tests anew, which
    # takes it eight seconds.
    sys.dont_write_bytecode = False
    if config.getoption("--slow"):
        amounts.be_thorough()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Let neighbours, which share what a module has prepared, run in one worker, and idle workers help the others."""
    return WorkStealingScheduling(config, log)


def pytest_report_header(config: pytest.Config) -> str | None:
    return None if config.getoption("--slow") else "tests that are marked slow are left out; --slow adds them"


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Make nothing of a slow test that would be left out, unless it is asked for by its name: there are thousands."""
    config = collector.config
    is_slow = inspect.isfunction(obj) and any(mark.name == "slow" for mark in getattr(obj, "pytestmark", ()))
    return [] if is_slow and not config.getoption("--slow") and not any("::" in word for word in config.args) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Last what pyCANON judges, which is installed meanwhile; what shares a browser stands together.
    items.sort(key=lambda item: (_is_judged(item), _uses(item, "chromium")))
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow; run with --slow"))
    items[:] = amounts.sampled(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    # The thousands of tests outlive all collections of garbage, which need not look at them each time, nor so often.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    if any(map(_is_judged, session.items)) and not session.config.option.collectonly:
        Thread(target=install_early, daemon=True).start()


def _is_judged(item: pytest.Item) -> bool:
    return _uses(item, "pycanon")


def _uses(item: pytest.Item | None, fixture: str) -> bool:
    return fixture in getattr(item, "fixturenames", ())


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if not _uses(nextitem, "chromium"):
        browser.close()


@pytest.fixture(autouse=True)
def children_end_with_their_test() -> Iterator[None]:
    """End what a test has started, also where it fails or is interrupted."""
    yield
    children.end_all()


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
def pycanon() -> Iterator[Judge]:
    """Return a process of pyCANON, the independent judge."""
    try:
        judge = Judge(judge_python())
    except UnavailableError as error:
        pytest.skip(str(error))
    yield judge
    judge.close()


@pytest.fixture(scope="session")
def pycanon_k(pycanon: Judge) -> Callable[..., int]:
    """Return a function of a release with a header, its quasi-identifiers and its separator to k, as pyCANON counts it."""
    return pycanon.k_anonymity


@pytest.fixture
def chromium(request: pytest.FixtureRequest) -> Any:
    """Return a browser without a window, which tests that stand together share."""
    # What was prepared before it may need a loop of asyncio to end.
    request.session.addfinalizer(browser.close)
    return browser.opened()[0]
