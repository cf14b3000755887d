"""Hierarchies that tests draw or write out: rows of a value and its labels, in which each label has one parent."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from toolbox.hierarchy.outline import Outline, build_row_outline
from toolbox.hierarchy.rows import Row

ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
PLAIN = st.text("abcxyz0189 .-", min_size=1, max_size=3).map(lambda text: f"v{text}v")


def outline_of(*rows: Sequence[str] | str) -> Outline:
    """Make the outline of rows, each a sequence of fields, or a text with blanks between them."""
    fields = [tuple(row.split()) if isinstance(row, str) else tuple(row) for row in rows]
    return build_row_outline([Row(line, row) for line, row in enumerate(fields, start=1)])


@st.composite
def outlines(draw: DrawFn, texts: st.SearchStrategy[str] = ANY, *, marks_levels: bool = False) -> Outline:
    """Draw an outline.

    Parameters
    ----------
    marks_levels : bool
        Whether each label says its level, so that no text stands for two nodes.
    """
    values = draw(st.lists(texts, min_size=1, max_size=7, unique=True))
    paths = [[value] for value in values]
    for level in range(1, draw(st.integers(1, 4)) + 1):
        drawn = draw(st.lists(texts, min_size=1, max_size=4))
        pool = [f"{label}/{level}" if marks_levels else label for label in drawn]
        below = dict.fromkeys(path[-1] for path in paths)
        above = {label: draw(st.sampled_from(pool)) for label in below}
        for path in paths:
            path.append(above[path[-1]])
    return outline_of(*paths)


def without_repeats(path: Sequence[str]) -> list[str]:
    """Return a path with a text that stands on several levels once."""
    return [text for index, text in enumerate(path) if not index or path[index - 1] != text]
