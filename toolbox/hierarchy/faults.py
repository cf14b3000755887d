"""The judge of hierarchies: children must cover their parent, and not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolbox.errors import Fault
from toolbox.hierarchy.hierarchy import CodeBook, Hierarchy, Interval, Node

_MOST_NAMES: Final = 5
_APART: Final = "Let each begin where the one before it ends, as in [0:25) and [25:50]."

# The place where an interval starts or ends: just before a number (0) or just after it (1). Edges compare.
_Edge = tuple[float, int]


def find_root_faults(root: Node, book: CodeBook) -> list[Fault]:
    """Return a fault that names the categories which the root leaves out, if there are any."""
    covered = book.within(root.interval)
    missing = book.categories[: covered.start] + book.categories[covered.stop :]
    if not missing:
        return []
    whole = Interval(float(book.codes[0]), float(book.codes[-1]))
    return [
        Fault(root.line, f"{_show(root)} leaves out {_format_categories(missing)} of the map.", f"Write {whole}, say.")
    ]


def find_family_faults(parent: Node, book: CodeBook | None = None, *, has_gaps: bool = False) -> list[Fault]:
    """Return what is wrong with the children of one node.

    Parameters
    ----------
    parent : Node
    book : CodeBook, optional
        The codes of the categories; without it, every number within the bounds must be covered.
    has_gaps : bool
        Whether what no child covers does no harm.
    """
    if not parent.children:
        return []
    faults = list(_find_outside_children(parent))
    if not has_gaps:
        faults += _number_gaps(parent) if book is None else _find_category_gaps(parent, book)
    for first, second, common in _find_overlaps(parent, book):
        if not _is_shared_point(first, second, common):
            problem = f"{_show(first)} and {_show(second)}, both below {_show(parent)}, overlap in {common}."
            faults.append(Fault(max(first.line, second.line), problem, _APART))
    return faults


def find_shared_points(parent: Node, book: CodeBook | None = None) -> list[tuple[int, str]]:
    """Return each boundary that belongs to two children, as a line and a sentence. Such a boundary does no harm."""
    faults = []
    for first, second, common in _find_overlaps(parent, book):
        if _is_shared_point(first, second, common):
            winner, loser = sorted((first, second), key=parent.children.index)
            line = max(first.line, second.line)
            faults.append(
                (line, f"{common} lies in both {_show(winner)} and {_show(loser)}; the first of them takes it.")
            )
    return faults


def find_depth_faults(hierarchy: Hierarchy, method: str) -> list[Fault]:
    """Return a fault for each leaf that is less deep than the deepest one."""
    levels = hierarchy.height
    remedy = f"Add nodes below it: {method} generalises whole columns, level by level. Mondrian does not need that."
    return [
        Fault(
            node.line,
            f"The leaf {_show(node)} lies {depth} levels below the root, others {levels - 1}.",
            remedy,
        )
        for node, depth in hierarchy.root.walk()
        if not node.children and depth + 1 < levels
    ]


def _find_outside_children(parent: Node) -> Iterator[Fault]:
    for child in parent.children:
        if not parent.interval.covers(child.interval):
            problem = f"{_show(child)} does not lie within {_show(parent)}, its parent."
            yield Fault(child.line, problem, "Widen the parent, or narrow the child.")


def _number_gaps(parent: Node) -> Iterator[Fault]:
    reached = _start(parent.interval)
    remedy = f"The children of a node cover it without gaps. {_APART}"
    for child in _sort_children(parent):
        if _start(child.interval) > reached:
            gap = _make_interval_between(reached, _start(child.interval))
            yield Fault(child.line, f"{gap} lies in {_show(parent)}, but in no child of it.", remedy)
        reached = max(reached, _end(child.interval))
    if reached < _end(parent.interval):
        gap = _make_interval_between(reached, _end(parent.interval))
        yield Fault(parent.line, f"{gap} lies in {_show(parent)}, but in no child of it.", remedy)


def _find_category_gaps(parent: Node, book: CodeBook) -> Iterator[Fault]:
    covered: set[int] = set()
    for child in parent.children:
        positions = book.within(child.interval)
        covered.update(positions)
        if not positions:
            yield Fault(child.line, f"{_show(child)} holds no code of the map.", "Remove it, or correct its bounds.")
    missing = [book.categories[position] for position in book.within(parent.interval) if position not in covered]
    if missing:
        lie = "lies" if len(missing) == 1 else "lie"
        problem = f"{_format_categories(missing)} {lie} in {_show(parent)}, but in no child of it."
        yield Fault(parent.line, problem, "Add a child, or widen one.")


def _find_overlaps(parent: Node, book: CodeBook | None) -> Iterator[tuple[Node, Node, Interval]]:
    """Yield each child that overlaps an earlier child, with that child and what they have in common."""
    furthest: Node | None = None
    for child in _sort_children(parent):
        if furthest is not None:
            start, end = _start(child.interval), min(_end(child.interval), _end(furthest.interval))
            if start < end and (book is None or book.within(_make_interval_between(start, end))):
                yield furthest, child, _make_interval_between(start, end)
        if furthest is None or _end(child.interval) > _end(furthest.interval):
            furthest = child


def _is_shared_point(first: Node, second: Node, common: Interval) -> bool:
    return common.low == common.high and first.interval != second.interval


def _sort_children(parent: Node) -> list[Node]:
    return sorted(parent.children, key=lambda child: (_start(child.interval), _end(child.interval)))


def _start(interval: Interval) -> _Edge:
    return interval.low, 0 if interval.low_closed else 1


def _end(interval: Interval) -> _Edge:
    return interval.high, 1 if interval.high_closed else 0


def _make_interval_between(start: _Edge, end: _Edge) -> Interval:
    return Interval(start[0], end[0], low_closed=start[1] == 0, high_closed=end[1] == 1)


def _show(node: Node) -> str:
    return node.text.strip() or str(node.interval)


def _format_categories(categories: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in categories[:_MOST_NAMES])
    more = len(categories) - _MOST_NAMES
    noun = "the category" if len(categories) == 1 else "the categories"
    return f"{noun} {shown}{f' and {more} more' if more > 0 else ''}"
