"""The picture of a hierarchy in lines of text; what is left out of a wide one is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolbox.errors import shorten_text
from toolbox.hierarchy.outline import Outline
from toolbox.messages import format_count

WIDEST = 8
"""Labels or values of one label that are shown, unless all are wanted."""
_MOST_LINES = 60


@dataclass(frozen=True)
class Picture:
    r"""How much of an outline is drawn.

    Parameters
    ----------
    depth : int
        How many levels below the root.
    widest : int, optional
        How many labels or values below one label; None: all.
    lists_values : bool
        Whether values are shown, or counted only.

    Examples
    --------
    >>> styria = Outline("Styria", values=("Graz", "Leoben"))
    >>> tree = Outline("Austria", (styria, Outline("Vienna", values=("Wien",))))
    >>> print("\n".join(Picture(depth=1).lines(tree)))
    Austria  3 values
    ├── Styria  2 values
    └── Vienna  1 value
    >>> print("\n".join(Picture(depth=2, widest=1).lines(tree)))
    Austria  3 values
    ├── Styria  2 values: Graz and 1 more
    └── and 1 more: 1 value
    """

    depth: int
    widest: int | None = WIDEST
    lists_values: bool = True

    def lines(self, outline: Outline, records: dict[int, int] | None = None) -> list[str]:
        """Draw an outline.

        Parameters
        ----------
        records : dict, optional
            The records below each label, by its `id`.
        """
        sizes = dict(_count_values_below(outline))
        return list(self._lines(outline, self.depth, ("", ""), sizes, records))

    def _lines(
        self, node: Outline, depth: int, lead: tuple[str, str], sizes: dict[int, int], records: dict[int, int] | None
    ) -> Iterator[str]:
        first, rest = lead
        values = f": {self._listed(node.values)}" if depth and node.values and self.lists_values else ""
        yield f"{first}{escape_label(node.label)}{_format_amount([node], sizes, records)}{values}"
        if not depth:
            return
        shown, more = self._cut(node.children)
        for position, child in enumerate(shown, start=1):
            is_last = position == len(shown) and not more
            here, below = ("└── ", "    ") if is_last else ("├── ", "│   ")
            yield from self._lines(child, depth - 1, (rest + here, rest + below), sizes, records)
        if more:
            amount = _format_amount(more, sizes, records).strip()
            yield f"{rest}└── and {len(more):,} more{': ' if amount else ''}{amount}"

    def _cut(self, children: Sequence[Outline]) -> tuple[Sequence[Outline], Sequence[Outline]]:
        most = len(children) if self.widest is None else self.widest
        return children[:most], children[most:]

    def _listed(self, values: Sequence[str]) -> str:
        most = len(values) if self.widest is None else self.widest
        more = len(values) - most
        return ", ".join(map(escape_label, values[:most])) + (f" and {more:,} more" if more > 0 else "")


def choose_depth(outline: Outline) -> Picture:
    """Return the deepest picture that fits on a screen or two; one level is always shown."""
    for depth in range(outline.height, 1, -1):
        picture = Picture(depth)
        if len(picture.lines(outline)) <= _MOST_LINES:
            return picture
    return Picture(1)


def escape_label(text: str) -> str:
    """Escape texts that a terminal would run as commands, and cut very long ones."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in shorten_text(text))


def _count_values_below(outline: Outline) -> Iterator[tuple[int, int]]:
    """Yield the `id` of each label, with the values below it."""

    def size(node: Outline) -> int:
        found[id(node)] = len(node.values) + sum(map(size, node.children))
        return found[id(node)]

    found: dict[int, int] = {}
    size(outline)
    yield from found.items()


def _format_amount(nodes: Sequence[Outline], sizes: dict[int, int], records: dict[int, int] | None) -> str:
    """Say how many values, and how many records, are below labels; nothing where values are not listed."""
    values = sum(sizes[id(node)] for node in nodes)
    parts = [format_count(values, "value")] if values else []
    if records is not None:
        parts.append(format_count(sum(records[id(node)] for node in nodes), "record"))
    return "  " + ", ".join(parts) if parts else ""
