"""What a column holds: as the configuration says, as the input says, or as its texts look."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from toolbox.config.model import Attribute, Kind
from toolbox.queries.numbers import PLAIN, Figures, is_code, is_no_number
from toolbox.queries.query import Query
from toolbox.queries.scale import Scale
from toolbox.store.store import Store


@dataclass(frozen=True)
class Nature:
    """What a column holds, and how its values are written."""

    kind: Kind
    scale: Scale = PLAIN
    notes: tuple[str, ...] = ()
    """What was found out, and what to write where it is not meant."""


def nature_of(
    store: Store,
    attribute: Attribute,
    texts: Query,
    *,
    said: Kind | None,
    figures: Figures = PLAIN,
    presumed: Kind | None = None,
) -> Nature:
    """Find out what a column holds.

    Parameters
    ----------
    texts : Select
        ``text``: its distinct texts.
    said : {'number', 'category'}, optional
        What the input says of it; None for plain text.
    figures : Figures
        How the input writes numbers where it is text.
    presumed : {'number', 'category'}, optional
        What it is taken for where nobody says it and its values are no codes; None: numbers if all of its texts are.
    """
    scale = PLAIN if said == "number" else figures
    known = attribute.kind or said
    if known is not None:
        return Nature(known, scale)
    given = texts.subquery()
    counted = select(func.count_if(is_code(given.c.text)), func.count_if(is_no_number(given.c.text, scale)))
    codes, words = map(int, store.row(counted))
    if codes:
        return Nature("category", scale, (_code_note(attribute, codes),))
    return Nature(presumed or ("category" if words else "number"), scale)


def _code_note(attribute: Attribute, codes: int) -> str:
    values = "1 value has a leading zero" if codes == 1 else f"{codes:,} values have leading zeros"
    return (
        f"{attribute.column}: {values}, as codes have, so that all are taken for categories. "
        "Write type='number' if they are numbers."
    )
