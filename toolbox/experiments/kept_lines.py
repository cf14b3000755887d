"""What a line of kept results says. Anybody may have written it: what is no result is left out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args, get_type_hints

from toolbox.config.values import LARGEST_INTEGER
from toolbox.experiments.rows import COLUMNS, Row

_KINDS = ("loss", "risk", "size", "utility")
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"kind": _KINDS, "direction": ("lower", "higher", ""), "status": ("done", "not measured", "failed")}
)
_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    # A number of the type float may be a whole one.
    {
        name: tuple({*(get_args(hint) or (hint,)), *((int,) if float in get_args(hint) else ())})
        for name, hint in get_type_hints(Row).items()
    }
)


def read_line(line: bytes) -> dict[str, Sequence[Row]] | None:
    """Return the rows of tasks by their digests, without tasks of which something failed; None if it is no such line.

    Examples
    --------
    >>> read_line(b'{"a": []}'), read_line(b"[1, 2]")
    ({'a': []}, None)
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not all(map(_are_rows, found.values())):
        return None
    return {digest: rows for digest, rows in found.items() if is_lasting(rows)}


def is_lasting(rows: Sequence[Row]) -> bool:
    """Return whether the next run may use the rows of a task again: none of them has failed."""
    return all(row["status"] != "failed" for row in rows)


def _are_rows(found: object) -> bool:
    if not isinstance(found, list) or not all(map(_is_row, found)):
        return False
    places = {(row["kind"], row["metric"], row["learner"], row["split"]) for row in found}
    return len(places) == len(found)


def _is_row(found: object) -> bool:
    if not isinstance(found, dict) or set(found) != set(COLUMNS):
        return False
    if not all(_is_value(name, value) for name, value in found.items()):
        return False
    return (found["status"] == "done") is (found["value"] is not None)


def _is_value(name: str, value: Any) -> bool:
    if not isinstance(value, _TYPES[name]) or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return value in _WORDS.get(name, (value,)) and value.encode(errors="replace").decode() == value
    if isinstance(value, int):
        return abs(value) <= LARGEST_INTEGER
    return not isinstance(value, float) or math.isfinite(value)
