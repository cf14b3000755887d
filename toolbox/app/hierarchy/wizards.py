"""The rules that make hierarchies, as forms: what each asks, and the words that its answers are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["number", "category", "date"]


@dataclass(frozen=True)
class WizardField:
    """One field of a form."""

    name: str
    """Of the setting."""
    label: str
    hint: str = ""
    first: str = ""
    """What stands in the field at first."""
    is_main: bool = False
    """Whether the words have it without its name."""
    wants: Literal["text", "number", "date"] = "text"


@dataclass(frozen=True)
class Wizard:
    """A builder that people can choose."""

    name: str
    """Of the builder."""
    title: str
    sentence: str
    kinds: tuple[Kind, ...]
    """What a column holds for which it is meant."""
    questions: tuple[WizardField, ...] = ()

    def words(self, answers: Mapping[str, str]) -> str:
        """Write the answers as the command line does.

        Examples
        --------
        >>> WIZARDS["intervals"].words({"width": "5,10", "top": "90", "bottom": ""})
        'intervals:5,10:top=90'
        """
        given = {one: answers.get(one.name, "").strip() for one in self.questions}
        main = [text for one, text in given.items() if one.is_main and text]
        others = [f"{one.name}={text}" for one, text in given.items() if not one.is_main and text]
        return ":".join([self.name, *main, *others])


_BOUNDS = (
    WizardField("bottom", "One interval for all below", "Leave it out if there is none.", wants="number"),
    WizardField("top", "One interval for all from", "90 makes “90 or older” one.", wants="number"),
)
_KEEP = "On each level, the most first: 4,2 keeps four, then two. Empty: one less on each level."
_MASK = WizardField("mask", "What stands for a hidden character", "Several characters hide the length, too.", "*")
_ALL: Final = (
    Wizard(
        "intervals",
        "Intervals of equal width",
        "20 to 25, then 20 to 30, and so on.",
        ("number",),
        (
            WizardField("width", "Widths, the narrowest first", "Each a multiple of the one before.", "5,10,20", True),
            *_BOUNDS,
            WizardField("origin", "Where an interval begins", wants="number"),
        ),
    ),
    Wizard(
        "cuts",
        "Intervals between numbers that you name",
        "Below 18, 18 to 65, 65 and more.",
        ("number",),
        (
            WizardField(
                "at", "Where it is cut", "Commas between the numbers, a slash between levels.", "18,65/65", True
            ),
        ),
    ),
    Wizard(
        "quantiles",
        "Intervals with as many records each",
        "A fourth of the records in each, then a half.",
        ("number",),
        (WizardField("classes", "How many on each level", "Each a multiple of the next.", "8,4,2", True),),
    ),
    Wizard(
        "dates",
        "Months, years, decades",
        "5 March 1971, then March 1971, 1971, the 1970s.",
        ("date",),
        (
            WizardField(
                "periods",
                "Periods, the shortest first",
                "hour, day, week, month, quarter, year, decade",
                "month,year,decade",
                True,
            ),
        ),
    ),
    Wizard(
        "ages",
        "Ages of dates of birth",
        "In completed years on one day, then in intervals.",
        ("date",),
        (
            WizardField("at", "On which day", "Nobody is born after it.", is_main=True, wants="date"),
            WizardField(
                "width", "Widths in years, the narrowest first", "Each a multiple of the one before.", "1,5,10"
            ),
            *_BOUNDS,
        ),
    ),
    Wizard(
        "prefix",
        "Hide the last characters",
        "24700, then 2470*, 247**; for postcodes and other codes.",
        ("category",),
        (WizardField("keep", "First characters that stay", _KEEP, "", True), _MASK),
    ),
    Wizard(
        "suffix",
        "Hide the first characters",
        "A-17, then **17.",
        ("category",),
        (WizardField("keep", "Last characters that stay", _KEEP, "", True), _MASK),
    ),
    Wizard(
        "order",
        "Neighbours of an order",
        "Low and mid, then all; for values that have an order.",
        ("category",),
        (
            WizardField("values", "All values in their order", "Commas between them.", "", True),
            WizardField("size", "Neighbours that become one, on each level", "Empty: 2, 4, 8 and so on.", ""),
        ),
    ),
    Wizard("icd10", "Diagnoses of ICD-10", "E11.9, then E11, its block and its chapter.", ("category",)),
    Wizard(
        "telephone",
        "Telephone numbers",
        "Areas, then countries.",
        ("category",),
        (
            WizardField(
                "keep", "Digits after the country code that stay", "On each level, the most first.", "4,2", True
            ),
            WizardField("country", "Country code of numbers without one", "43, say.", wants="number"),
        ),
    ),
    Wizard("ip", "Addresses of the internet", "192.0.2.17, then its networks.", ("category",)),
    Wizard("email", "Addresses of e-mail", "The domain, then its end.", ("category",)),
    Wizard(
        "auto",
        "Halves of halves",
        "From the data alone, with about as many records each.",
        ("number", "category", "date"),
        (WizardField("levels", "Levels below the root", "", "3", True, "number"),),
    ),
)
WIZARDS: Final[Mapping[str, Wizard]] = {wizard.name: wizard for wizard in _ALL}


def list_fitting_wizards(kind: str | None) -> tuple[list[Wizard], list[Wizard]]:
    """Return the wizards that are meant for what a column holds, and all others.

    Examples
    --------
    >>> [wizard.name for wizard in fitting("date %d.%m.%Y")[0]]
    ['dates', 'ages', 'auto']
    """
    meant = [wizard for wizard in _ALL if _find_plain_kind(kind or "category") in wizard.kinds]
    return meant, [wizard for wizard in _ALL if wizard not in meant]


def find_needed_kind(wizard: Wizard, kind: str | None, looks: str | None) -> str | None:
    """Return what a column must be declared to hold for a builder; None: that may stay as it is.

    Examples
    --------
    >>> kind_for(WIZARDS["prefix"], "number", "number"), kind_for(WIZARDS["dates"], "category", "date %d.%m.%Y")
    ('category', 'date %d.%m.%Y')
    """
    if kind is None or _find_plain_kind(kind) in wizard.kinds:
        return None
    return looks if looks is not None and _find_plain_kind(looks) in wizard.kinds else wizard.kinds[0]


def _find_plain_kind(kind: str) -> str:
    found = kind.partition(" ")[0]
    return {"timestamp": "date"}.get(found, found)


def parse_answers(words: str) -> tuple[str, dict[str, str]]:
    """Read the words of a builder back into the answers of its form.

    Examples
    --------
    >>> answered("intervals:5,10:top=90")
    ('intervals', {'width': '5,10', 'top': '90'})
    """
    name, *parts = words.split(":")
    known = {one.name for one in WIZARDS[name].questions} if name in WIZARDS else set()
    main = next((one.name for one in WIZARDS[name].questions if one.is_main), "") if name in WIZARDS else ""
    answers: dict[str, str] = {}
    last = main
    for part in parts:
        option, is_option, text = part.partition("=")
        if is_option and option in known:
            answers[option], last = text, option
        elif last:
            answers[last] = f"{answers[last]}:{part}" if last in answers else part
    return name, answers
