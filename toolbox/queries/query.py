"""The types of a query and of a table as values: what a statement is made of, not yet run."""

from typing import Any, TypeAlias

from sqlalchemy import Select, TableClause

Query: TypeAlias = Select[*tuple[Any, ...]]
"""A select of any columns."""
Table: TypeAlias = TableClause
"""A table or a view of the store. SQLAlchemy's own ``Table`` would know of keys, constraints and events as well, and
making those takes a twelfth of a small run."""
