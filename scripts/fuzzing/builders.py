"""Hierarchies that the toolbox builds itself, and what the judge may expect of them by the rules of the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from xml.sax.saxutils import quoteattr

from fuzzing.draw import Draw
from fuzzing.hierarchies import Generalisations


def built_of_numbers(draw: Draw, values: Sequence[str]) -> Generalisations:
    """Draw a builder of intervals; their labels say themselves what they cover."""
    name, settings = draw.choice(
        (
            ("intervals", {"width": draw.choice(("5", "5,10", "0.5,10", "1,3,9"))}),
            ("intervals", {"width": "5,20", "bottom": "0", "top": "25"}),
            ("cuts", {"at": draw.choice(("10", "0,10,20/10", "-3,0.5,100000"))}),
            ("quantiles", {"classes": draw.choice(("2", "4,2", "9,3"))}),
            ("auto", {"levels": draw.choice(("1", "3"))}),
        )
    )
    if draw.wrong("a builder of numbers with a wrong setting", 0.1):
        settings |= draw.choice(({"widht": "5"}, {"other": "maybe"}, {"width": "5,7"}, {"at": "3,1"}, {"levels": "0"}))
    return _built(name, settings, {value: frozenset() for value in values})


def built_of_categories(draw: Draw, values: Sequence[str]) -> Generalisations:
    """Draw a builder of texts, with the labels that its page promises."""
    match draw.whole(0, 3):
        # A star of a text could be taken for one of a mask, which then looks otherwise.
        case 0 if not any("*" in value for value in values):
            return _masked(draw, values)
        case 1 if all(value.isprintable() for value in values):
            return _ordered(draw, values)
        case 2:
            # None of the values is an address, so that all go to the root.
            return _built("email", {"other": "root"}, {value: frozenset() for value in values})
        case _:
            return _alphabetical(draw, values)


def _masked(draw: Draw, values: Sequence[str]) -> Generalisations:
    kept, is_prefix = draw.choice(((1,), (2,), (3, 1))), draw.chance(0.7)

    def mask(text: str, keep: int) -> str:
        stars = "*" * (len(text) - keep)
        stays = text[:keep] if is_prefix else text[len(stars) :]
        # What stays stands in quotes where its outer end has one already.
        if (stays.startswith if is_prefix else stays.endswith)('"'):
            stays = '"' + stays.replace('"', '""') + '"'
        return stays + stars if is_prefix else stars + stays

    labels = {value: frozenset(mask(value, keep) for keep in kept) for value in values}
    return _built("prefix" if is_prefix else "suffix", {"keep": ",".join(map(str, kept))}, labels)


def _ordered(draw: Draw, values: Sequence[str]) -> Generalisations:
    """List the values in some order; one that is not listed is an error, or goes to the root."""
    listed = draw.shuffled(values)
    settings = {}
    if draw.chance(0.3):
        listed, settings = listed[1:] or listed, {"other": "root"}
    elif draw.wrong("a value lacks in the list of a builder", 0.1):
        listed = listed[1:] or listed
    labels: dict[str, set[str]] = {value: set() for value in values}
    for size in (2, 4):
        for first in range(0, len(listed), size):
            neighbours = listed[first : first + size]
            for value in neighbours:
                # One that has no neighbour stays as it is, unless it needs quotes.
                labels[value] |= {_range(neighbours)} - {value}
    quoted = ",".join(map(_quoted, listed))
    every = {value: frozenset(labels_above) for value, labels_above in labels.items()}
    return _built("order", {"values": quoted, "size": "2,4", **settings}, every, listed=frozenset(listed))


def _alphabetical(draw: Draw, values: Sequence[str]) -> Generalisations:
    """Let the toolbox choose: a label names the first and the last of some neighbours in the alphabet."""
    alphabet = sorted(values, key=lambda value: (value.casefold(), value))
    places = {value: place for place, value in enumerate(alphabet)}
    labels = {
        value: frozenset(
            _range([first, last][: 1 + (first != last)])
            for first, last in product(alphabet[: place + 1], alphabet[place:])
        )
        - {value}
        for value, place in places.items()
    }
    return _built("auto", {"levels": draw.choice(("1", "2", "3"))}, labels)


def _range(neighbours: Sequence[str]) -> str:
    """Name neighbours by the first and the last; quotes stand around what could be read in two ways."""
    if len(neighbours) == 1:
        (alone,) = neighbours
        return _quoted(alone) if ".." in alone or alone.startswith('"') else alone
    ends = neighbours[0], neighbours[-1]
    is_odd = (".." in end or end.startswith((".", '"')) or end.endswith(".") for end in ends)
    return "..".join(_quoted(end) if odd else end for end, odd in zip(ends, is_odd, strict=True))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _built(
    name: str,
    settings: dict[str, str],
    labels: dict[str, frozenset[str]],
    *,
    listed: frozenset[str] = frozenset(),
) -> Generalisations:
    attributes = "".join(f" {option}={quoteattr(value)}" for option, value in settings.items())
    main, *others = settings.items()
    # The command line writes the main setting without its name; an e-mail address has none.
    first = f":{main[1]}" if main[0] != "other" else ""
    rest = "".join(f":{option}={value}" for option, value in (others if first else settings.items()))
    return Generalisations(f"<vgh build='{name}'{attributes}/>", {}, labels, f"{name}{first}{rest}", listed)
