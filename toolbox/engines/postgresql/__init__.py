"""PostgreSQL as an engine."""

from toolbox.engines.postgresql.engine import PostgreSQL

__all__ = ["PostgreSQL"]
