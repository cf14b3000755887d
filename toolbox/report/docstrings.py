"""The parts of a docstring in the style of numpydoc: parameters and references."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

_UNDERLINED = re.compile(r"^(\w[\w ]*)\n-{3,}$", flags=re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*?)(?: : (.+))?$")


class Described(NamedTuple):
    """One parameter as the docstring describes it."""

    kind: str
    """Such as ``int, >= 1``."""
    meaning: str


def summary(documented: type) -> str:
    """Return the first line."""
    return _text(documented).split("\n")[0]


def parameters(documented: type) -> dict[str, Described]:
    """Return what the section Parameters says, by name.

    Examples
    --------
    >>> class Model:
    ...     '''Something.
    ...
    ...     Parameters
    ...     ----------
    ...     low, high : float, > 0
    ...         The bounds,
    ...         both included.
    ...     '''
    >>> parameters(Model)["high"]
    Described(kind='float, > 0', meaning='The bounds, both included.')
    """
    described: dict[str, Described] = {}
    names: list[str] = []
    for line in section(documented, "Parameters").splitlines():
        if line.startswith(" "):
            for name in names:
                kind, meaning = described[name]
                described[name] = Described(kind, f"{meaning} {line.strip()}".strip())
        elif entry := _ENTRY.match(line):
            names = entry[1].split(", ")
            described |= {name: Described(entry[2] or "", "") for name in names}
    return described


def section(documented: type, title: str) -> str:
    """Return the text below a title; empty if there is none."""
    parts = _UNDERLINED.split(_text(documented))
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "").strip("\n")


def _text(documented: type) -> str:
    # Only the docstring of the class itself: that of a base class describes something else.
    return inspect.cleandoc(documented.__doc__ or "")
