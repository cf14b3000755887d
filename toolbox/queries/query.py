"""The type of a query as a value: a select of any columns, not yet run."""

from typing import Any, TypeAlias

from sqlalchemy import Select

Query: TypeAlias = Select[*tuple[Any, ...]]
