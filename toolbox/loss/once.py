"""Questions that many metrics ask of one comparison, and that are answered once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from toolbox.published.tables import Comparison

P = ParamSpec("P")
T = TypeVar("T")


def once(ask: Callable[Concatenate[Comparison, P], T]) -> Callable[Concatenate[Comparison, P], T]:
    """Keep what a function has found out about a comparison, whose tables never change."""

    @wraps(ask)
    def answer(comparison: Comparison, /, *args: P.args, **kwargs: P.kwargs) -> T:
        question = ask, args, tuple(sorted(kwargs.items()))
        if question not in comparison.known:
            comparison.known[question] = ask(comparison, *args, **kwargs)
        found: Any = comparison.known[question]
        return found  # type: ignore[no-any-return]

    return answer
