"""Texts that stand for files which are not written yet, such as hierarchies that somebody is still editing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType

_HELD: ContextVar[Mapping[str, str]] = ContextVar("held_texts", default=MappingProxyType({}))


@contextmanager
def holding(texts: Mapping[Path, str]) -> Iterator[None]:
    """Give readers of these files a text instead, while the block runs.

    Examples
    --------
    >>> with holding({Path("towns.csv"): "Graz;Styria"}):
    ...     held_text(Path("./towns.csv"))
    'Graz;Styria'
    >>> held_text(Path("towns.csv")) is None
    True
    """
    token = _HELD.set({_key(path): text for path, text in texts.items()})
    try:
        yield
    finally:
        _HELD.reset(token)


def held_text(path: Path) -> str | None:
    """Return the text that stands for a file; None if the file itself is to be read."""
    held = _HELD.get()
    return held.get(_key(path)) if held else None


def _key(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - a link to a file is a file of its own
