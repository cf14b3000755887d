"""Profiles of columns as tests write them: what is not said is unremarkable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from toolbox.knowledge.meanings import MEANINGS
from toolbox.knowledge.name_words import find_name_meaning
from toolbox.knowledge.texts import Content
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.suggestions.plan import RolePlan, suggest_columns
from toolbox.suggestions.profile import Numbers, Profile, Profiles, profile_columns
from toolbox.suggestions.texts import Drawn

PLAIN = Profile(
    position=0, name="x", by_name=None, content=None, kind="category", records=1000, there=1000, different=5, alone=0,
    share_most=0.3, longest=6,
)  # fmt: skip
WHOLE = Numbers(0, 100, 5, 95, is_whole=True)


def column(name: str = "x", *, looks_like: str | None = None, share: float = 1.0, **facts: Any) -> Profile:
    """Return the profile of a column of a thousand records; its name means what it means."""
    content = None if looks_like is None else Content(MEANINGS[looks_like], share)
    kind = "number" if facts.get("numbers") else facts.pop("kind", "category")
    return replace(PLAIN, name=name, by_name=find_name_meaning(name), content=content, kind=kind, **facts)


def drawn_of(store: Store, table: Mapping[str, Sequence[object]]) -> Drawn:
    return Drawn(store, open_arrow_source(store, pa.table({name: list(values) for name, values in table.items()})))


def profiled(store: Store, table: Mapping[str, Sequence[object]]) -> Profiles:
    """Return the profiles of a table of texts, as if it came from a file without types."""
    drawn = drawn_of(store, table)
    return profile_columns(drawn, list(table), [None] * len(table))


def planned(store: Store, table: Mapping[str, Sequence[object]]) -> RolePlan:
    """Return the plan for a table of texts."""
    drawn = drawn_of(store, table)
    profiles = profile_columns(drawn, list(table), [None] * len(table))
    return RolePlan(
        columns=suggest_columns(drawn, profiles),
        headers=tuple(table),
        records=drawn.records,
        notation=profiles.notation,
        is_sample=profiles.is_sample,
        absent=drawn.absent(profiles.notation.mark),
    )
