"""A state of a project, in texts: what undo goes back to, and what another process makes the same project of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Snapshot:
    """The texts of a project at one moment.

    Examples
    --------
    >>> Snapshot("<config/>") == Snapshot("<config/>", {"hierarchies/town.csv": "Graz;Styria"})
    False
    """

    xml: str
    """The configuration."""
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """The text of each hierarchy file that was edited, by its name in the configuration."""
