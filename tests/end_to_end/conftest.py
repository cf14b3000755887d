"""Fixtures of the tests with hostile input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.hostile import Release, Run, configuration, run_here, write


@pytest.fixture
def anonymised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[Run, bytes]]:
    """Return a function that anonymises bytes with k = 2 and returns the run with the bytes of the release."""

    def run(data: str | bytes, config: str | None = None, *arguments: str) -> tuple[Run, bytes]:
        write(tmp_path / "in.csv", data)
        path = write(tmp_path / "c.xml", configuration() if config is None else config)
        done = run_here(["-config", path, "--json", *arguments], capsys)
        assert done.status == 0, done.err
        return done, (tmp_path / "out.csv").read_bytes()

    return run


@pytest.fixture
def release(anonymised: Callable[..., tuple[Run, bytes]]) -> Release:
    """Return a function that anonymises bytes with k = 2 and returns the bytes of the release."""
    return lambda *given: anonymised(*given)[1]
