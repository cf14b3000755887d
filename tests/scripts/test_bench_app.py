"""The figures of the application as a table."""

from __future__ import annotations

import pytest
from bench_app import Figure, installed


def test_a_figure_that_is_too_large_is_marked() -> None:
    assert Figure("next page", 37.4, "ms", 100).row() == "| next page | 37 ms | 100 ms |"
    assert Figure("start", 1.62, "s", 1.5).row() == "| start | 1.6 s **more** | 1.5 s |"


def test_the_extra_is_as_small_as_promised() -> None:
    pytest.importorskip("starlette", reason="the extra app is not installed")
    assert all(figure.value <= figure.most for figure in installed())
