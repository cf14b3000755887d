"""What a session keeps in its engine."""

from __future__ import annotations

from sqlalchemy import func, select

from toolbox.store.engine.store import Store


def in_engine(store: Store) -> tuple[int, int, int]:
    """Count the tables, views and types of a store that are not the engine's own, asking the engine itself."""
    return tuple(_count(store, kind) for kind in ("tables", "views", "types"))  # type: ignore[return-value]


def _count(store: Store, kind: str) -> int:
    catalogue = getattr(func, f"duckdb_{kind}")().table_valued("internal")
    return int(store.scalar(select(func.count()).select_from(catalogue).where(~catalogue.c.internal)))
