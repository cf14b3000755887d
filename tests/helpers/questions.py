"""Questions about columns with names, as a call asks them."""

from __future__ import annotations

from typing import Any

from toolbox.flows.asking import TableDescription, by_description
from toolbox.flows.question import Question


def question(*names: str, **said: Any) -> Question:
    """Ask about quasi-identifiers with these names."""
    return by_description("test", TableDescription(quasi_identifiers=names, **said))
