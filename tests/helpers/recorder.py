"""A flow that runs nothing: it keeps what it is given, and answers with a report made by hand."""

from __future__ import annotations

from typing import Any


class Recorder:
    """Stands for a function, and keeps the arguments of its last call."""

    def __init__(self, answer: object) -> None:
        self._answer = answer
        self.parts: tuple[Any, ...] = ()
        self.named: dict[str, Any] = {}

    def __call__(self, *parts: Any, **named: Any) -> Any:
        self.parts, self.named = parts, named
        return self._answer
