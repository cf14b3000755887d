"""The names of the columns of a query, and of a file."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.queries.query import Query


def headed(rows: Query, headers: Sequence[str]) -> Query:
    """Rename the columns of a query to their headers, without changing its order."""
    labelled = (column.label(header) for column, header in zip(rows.selected_columns, headers, strict=True))
    return rows.with_only_columns(*labelled, maintain_column_froms=True)


def writable_headers(headers: Sequence[str]) -> list[str]:
    """Make headers distinct to the engine, which ignores case, and name columns that have no name."""
    taken: set[str] = set()
    result = []
    for position, header in enumerate(headers):
        name, count = header or f"column_{position}", 1
        while name.casefold() in taken:
            count += 1
            name = f"{header}_{count}"
        taken.add(name.casefold())
        result.append(name)
    return result
