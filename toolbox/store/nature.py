"""The nature of a column: as the configuration declares it, as the input says, or as its texts look."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy import FromClause, func, select

from toolbox.config.model import Attribute, Kind, QuasiIdentifier
from toolbox.errors import InputError
from toolbox.messages import either
from toolbox.queries.dialect import count_where
from toolbox.queries.numbers import PLAIN, Figures, is_code, is_no_number
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


@dataclass(frozen=True)
class Clues:
    """What is known about a column besides its declaration."""

    said: Kind | None = None
    """What the input says of it; None for plain text."""
    zone: str | None = None
    """The zone of timestamps, where the input says it."""
    figures: Figures = PLAIN
    """How the input writes numbers where it is text."""
    presumed: Kind | None = None
    """What it is taken for where nobody says it and its values are no codes; None: numbers if all its texts are."""


NO_CLUES: Final = Clues()


def nature_of(store: Store, attribute: Attribute, texts: FromClause, clues: Clues) -> Nature:
    """Find out what a column holds.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts.

    Raises
    ------
    InputError
        If it holds dates that may be read in several ways.
    """
    kind = clues.said
    scale = PLAIN if kind == "number" else clues.figures
    known = attribute.kind or _built_kind(store, attribute, texts, kind)
    decides = attribute.builder is not None and attribute.builder.takes == "anything"
    match known:
        case "date" | "timestamp":
            dates = calendar_of(store, attribute, texts, known, zone=clues.zone, is_typed=kind == known)
            return Nature("number", dates.calendar, () if dates.note is None else (dates.note,))
        case "number":
            return Nature("number", scale)
        case "category":
            return Nature("category", scale, _date_notes(store, attribute, texts))
    if codes := int(store.scalar(select(count_where(is_code(texts.c.text))))):
        return Nature("category", scale, (_code_note(attribute, codes),))
    is_presumed = clues.presumed == "number" and not decides
    is_number = is_presumed or not store.scalar(select(count_where(is_no_number(texts.c.text, scale))))
    return Nature("number" if is_number else "category", scale)


def own_scale(store: Store, attribute: Attribute, texts: FromClause, clues: Clues) -> Scale | None:
    """Return the scale of categories that are numbers or dates, which a hierarchy lists in any order; None otherwise.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts; a missing one plays no part.
    """
    if attribute.ordered or not attribute.has_hierarchy or not store.scalar(select(func.count(texts.c.text))):
        return None
    if (unit := date_kind(store, texts)) is not None:
        plain = replace(attribute, kind=None, categories=None, hierarchy=None, builder=None)
        with suppress(InputError):
            scale: Scale = calendar_of(store, plain, texts, unit, zone=None, is_typed=False).calendar
            lacking = scale.value(texts.c.text).is_(None) & texts.c.text.is_not(None)
            return None if store.scalar(select(count_where(lacking))) else scale
        return None
    others = is_code(texts.c.text) | is_no_number(texts.c.text, clues.figures)
    return None if store.scalar(select(count_where(others))) else clues.figures


def _built_kind(store: Store, attribute: Attribute, texts: FromClause, said: Kind | None) -> Kind | None:
    """Return what the input says of a column; or what its builder takes, where that is dates, or anything."""
    if attribute.builder is None or said in ("date", "timestamp", "number"):
        return said
    if attribute.builder.takes == "dates":
        return "date"
    return (date_kind(store, texts) or said) if attribute.builder.takes == "anything" else said


def _date_notes(store: Store, attribute: Attribute, texts: FromClause) -> tuple[str, ...]:
    """Return a note if categories look like dates and nobody has declared them as categories."""
    is_open = attribute.kind is None and isinstance(attribute, QuasiIdentifier)
    if not is_open or (unit := date_kind(store, texts)) is None:
        return ()
    return (
        f"{attribute.column}: its values are {unit}s as texts, and are taken for categories. "
        f"Write {_setting(attribute, unit)} to have them generalised as {unit}s.",
    )


def _code_note(attribute: Attribute, codes: int) -> str:
    values = "1 value has a leading zero" if codes == 1 else f"{codes:,} values have leading zeros"
    return (
        f"{attribute.column}: {values}, as codes have, so that all are taken for categories. "
        f"Write {_setting(attribute, 'number')} if they are numbers."
    )


def _setting(attribute: Attribute, kind: Kind) -> str:
    """Return the name of the setting that declares the kind of a column."""
    return either(
        f"type='{kind}'",
        python=f"kinds={{{str(attribute.column)!r}: '{kind}'}}",
        options=f"--kind {attribute.column}={kind}",
    )
