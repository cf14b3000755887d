"""Columns that clearly identify, by their names or their values, so that `detect` need not elect them."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.store.source import Source
from toolbox.store.store import Store


def clearly_identifying(store: Store, source: Source, positions: Sequence[int]) -> dict[int, str]:
    """Find columns that name or reach a person, or hold free text; say why for each.

    A column in which all records differ is none of them: that is found and told by the search itself.

    Parameters
    ----------
    store : Store
    source : Source
    positions : sequence of int
        The columns that are looked at.
    """
    from toolbox.suggestions.drawn import Drawn
    from toolbox.suggestions.profile import profiles_of
    from toolbox.suggestions.roles import guessed_role

    drawn = Drawn(store, source)
    names = source.headers or [f"column {index}" for index in range(drawn.width)]
    profiles = profiles_of(drawn, names[: drawn.width], source.kinds[: drawn.width], are_own=source.headers is not None)
    drawn.drop()
    found = {}
    for column in profiles.columns:
        guess = guessed_role(column)
        is_unique = column.alone == column.records
        if column.position in positions and guess.role == "identifier" and guess.sureness == "sure" and not is_unique:
            found[column.position] = guess.why
    return found
