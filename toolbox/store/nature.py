"""The nature of a column: as the configuration declares it, as the input says, or as its texts look."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy import FromClause, and_, func, select

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
_OTHER_FIGURES: Final = (
    PLAIN,
    Figures(","),
    *(Figures(",", mark) for mark in (".", " ", "'", "\u00a0", "\u202f", "’")),
    *(Figures(".", mark) for mark in (",", " ", "'", "\u00a0", "\u202f", "’")),
)
"""How tables write numbers, in many countries."""
_FIRST_TEXTS: Final = 1_000
"""Texts that tell of most columns that they hold no numbers in any way."""


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
            notes = _date_notes(store, attribute, texts)
            is_open = attribute.kind is None and attribute.hierarchy is None and attribute.categories is None
            return Nature(
                "category", scale, (*notes, *(_figures_notes(store, attribute, texts, scale) if is_open else ()))
            )
    if codes := int(store.scalar(select(count_where(is_code(texts.c.text))))):
        return Nature("category", scale, (_code_note(attribute, codes),))
    is_presumed = clues.presumed == "number" and not decides
    is_number = is_presumed or not store.scalar(select(count_where(is_no_number(texts.c.text, scale))))
    if is_number:
        return Nature("number", scale)
    return Nature("category", scale, _figures_notes(store, attribute, texts, scale))


def other_figures(store: Store, texts: FromClause, usual: Figures = PLAIN) -> tuple[Figures, ...]:
    """Return the other ways to write numbers in which each text of a column is one; none where the usual way will do.

    Two ways are returned if nothing tells decimals from thousands, as in ``1,234``. A mark that no text needs is not
    among them.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts.
    """
    ways = [figures for figures in _OTHER_FIGURES if figures != usual]
    strange = 0
    for part in (_first(texts), texts):
        strange, *counts = store.row(
            select(*(count_where(is_no_number(part.c.text, figures)) for figures in (usual, *ways)))
        )
        ways = [figures for figures, count in zip(ways, counts, strict=True) if not count]
        if not ways:
            return ()
    return tuple(way for way in ways if not _simpler(way) & set(ways)) if strange else ()


def _simpler(way: Figures) -> set[Figures]:
    """Return the ways that have fewer marks, or the usual one before decimals, and so are enough where they fit."""
    simpler = {Figures(way.decimal), Figures(".", way.thousands)} if way.thousands else set()
    return simpler - {way}


def figures_setting(figures: Figures) -> str:
    """Return how it is said that an input writes numbers so."""
    marks = {"decimal": figures.decimal, "thousands": figures.thousands}
    said = [(name, mark) for name, mark in marks.items() if mark and (figures == PLAIN or mark != ".")]
    if figures.decimal == "," and figures.thousands == ".":
        said = list(marks.items())
    written = [f"{name}={mark!r}" for name, mark in said]
    options = " ".join(f"--{name} {mark!r}" for name, mark in said)
    return either(f"{' '.join(written)} at the input", python=", ".join(written), options=options)


def figures_note(store: Store, column: object, texts: FromClause, usual: Figures = PLAIN) -> str | None:
    """Return the note that a column of categories would hold numbers if these were written in another way.

    Parameters
    ----------
    column : object
        What messages call it.
    texts : FromClause
        ``text``: its distinct texts.
    usual : Figures
        How the input is said to write numbers.
    """
    ways = other_figures(store, texts, usual)
    settings = " or ".join(map(figures_setting, ways))
    if len(ways) > 1:
        return (
            f"{column}: its values would be numbers, but nothing tells whether their marks stand before decimals or "
            f"between thousands. They are taken for categories. Write {settings} if they are numbers."
        )
    if ways:
        python = f"If they are numbers, make some of them, or write {settings} where a file is read"
        remedy = either(f"Write {settings} if they are numbers", python=python)
        return (
            f"{column}: its values would be numbers with {marks_of(ways[0])}, and are taken for categories. {remedy}."
        )
    if _is_mixed(store, texts):
        return (
            f"{column}: its values would be numbers, but not all have the same mark before their decimals. They are "
            "taken for categories. If they are numbers, write all of them in one way."
        )
    return None


def _first(texts: FromClause) -> FromClause:
    return select(texts.c.text).where(texts.c.text.is_not(None)).limit(_FIRST_TEXTS).subquery()


def _is_mixed(store: Store, texts: FromClause) -> bool:
    """Return whether all texts are numbers, some with a point and others with a comma before their decimals."""
    no_points = no_commas = 0
    for part in (_first(texts), texts):
        no_point = and_(is_no_number(part.c.text), is_no_number(part.c.text, Figures(".", ",")))
        no_comma = and_(is_no_number(part.c.text, Figures(",")), is_no_number(part.c.text, Figures(",", ".")))
        neither, no_points, no_commas = store.row(
            select(*map(count_where, (and_(no_point, no_comma), no_point, no_comma)))
        )
        if neither:
            return False
    return no_points > 0 and no_commas > 0


def marks_of(figures: Figures) -> str:
    """Return what is unusual about a way to write numbers."""
    if not figures.thousands:
        return "decimal commas" if figures.decimal == "," else "decimal points"
    between = f"{figures.thousands!r} between thousands"
    return f"decimal commas and {between}" if figures.decimal == "," else between


def _figures_notes(store: Store, attribute: Attribute, texts: FromClause, scale: Scale) -> tuple[str, ...]:
    note = figures_note(store, attribute.column, texts, scale if isinstance(scale, Figures) else PLAIN)
    return () if note is None else (note,)


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
