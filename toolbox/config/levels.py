"""The levels between which a release must keep a quasi-identifier."""

from __future__ import annotations

from toolbox.config.model import QuasiIdentifier


def levels_fault(attribute: QuasiIdentifier, height: int | None = None) -> tuple[str, str] | None:
    """Return what is wrong with the levels of a column, and what to do; None if nothing is.

    Parameters
    ----------
    height : int, optional
        The level of its root, where no declared hierarchy says it.
    """
    low, high = attribute.min_level, attribute.max_level
    if attribute.hierarchy is not None:
        height = attribute.hierarchy.height
    if high is not None and low > high:
        return f"{attribute.column} has {low} for its lowest level, and {high} for its highest.", "Exchange them."
    most = max(low, high or 0)
    if height is not None and most > height:
        problem = f"{attribute.column} has no level {most}: the root of its hierarchy is level {height}."
        return problem, f"Write a level from 0 to {height}."
    return None
