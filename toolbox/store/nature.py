"""What a column holds: as the configuration says, as the input says, or as its texts look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import func, select

from toolbox.config.model import Attribute, Kind
from toolbox.queries.numbers import PLAIN, Figures, is_code, is_no_number
from toolbox.queries.query import Query
from toolbox.queries.scale import Scale
from toolbox.store.calendars import calendar_of, date_kind
from toolbox.store.store import Store


@dataclass(frozen=True)
class Nature:
    """What a column holds, and how its values are written."""

    kind: Literal["number", "category"]
    """Dates are numbers."""
    scale: Scale = PLAIN
    notes: tuple[str, ...] = ()
    """What was found out, and what to write where it is not meant."""


def nature_of(
    store: Store,
    attribute: Attribute,
    texts: Query,
    *,
    said: Kind | None,
    zone: str | None = None,
    figures: Figures = PLAIN,
    presumed: Kind | None = None,
) -> Nature:
    """Find out what a column holds.

    Parameters
    ----------
    texts : Select
        ``text``: its distinct texts.
    said : {'number', 'category', 'date', 'timestamp'}, optional
        What the input says of it; None for plain text.
    zone : str, optional
        The zone of timestamps, where the input says it.
    figures : Figures
        How the input writes numbers where it is text.
    presumed : {'number', 'category'}, optional
        What it is taken for where nobody says it and its values are no codes; None: numbers if all of its texts are.

    Raises
    ------
    InputError
        If it holds dates that may be read in several ways.
    """
    scale = PLAIN if said == "number" else figures
    known = attribute.kind or said
    match known:
        case "date" | "timestamp":
            given = store.create("distinct", texts)
            found = calendar_of(store, attribute, given, known, zone=zone, is_typed=said == known)
            store.drop(given)
            return Nature("number", found.calendar, () if found.note is None else (found.note,))
        case "number":
            return Nature("number", scale)
        case "category":
            return Nature("category", scale, _date_notes(store, attribute, texts))
    text = texts.subquery().c.text
    counted = select(func.count_if(is_code(text)), func.count_if(is_no_number(text, scale)))
    codes, words = map(int, store.row(counted))
    if codes:
        return Nature("category", scale, (_code_note(attribute, codes),))
    if words and presumed != "number":
        return Nature("category", scale, _date_notes(store, attribute, texts))
    return Nature("number", scale)


def _date_notes(store: Store, attribute: Attribute, texts: Query) -> tuple[str, ...]:
    """Say that categories look like dates, unless somebody has said that they are none."""
    if attribute.kind is not None or (unit := date_kind(store, texts.subquery())) is None:
        return ()
    return (
        f"{attribute.column}: its values are {unit}s as texts, and are taken for categories. "
        f"Declare type='{unit}' to have them generalised as {unit}s.",
    )


def _code_note(attribute: Attribute, codes: int) -> str:
    values = "1 value has a leading zero" if codes == 1 else f"{codes:,} values have leading zeros"
    return (
        f"{attribute.column}: {values}, as codes have, so that all are taken for categories. "
        "Write type='number' if they are numbers."
    )
