"""Columns that nobody declared."""

from __future__ import annotations

from toolbox.config.model import Config
from toolbox.errors import UsageError
from toolbox.messages import either
from toolbox.report.columns import listed
from toolbox.store.layout import Layout


def require_declared(config: Config, layout: Layout) -> None:
    """Stop where a column is not declared, if the configuration asks for it.

    Raises
    ------
    UsageError
    """
    if config.undeclared == "fail" and layout.undeclared:
        names = [layout.names[position] for position in layout.undeclared]
        raise UsageError(
            either(
                f"undeclared='fail', and nobody declared {listed(names)}. Declare each column, as an identifier, a "
                "quasi-identifier or sensitive, or write undeclared='drop' to leave them out.",
                options=f"Nobody declared {listed(names)}. Declare each column: --id drops it, --qi generalises it, "
                "--sensitive releases it as it is. Or write --undeclared drop to leave them out, or --undeclared pass "
                "to release them as they are.",
            )
        )
