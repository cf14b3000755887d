"""The judge of hierarchies: children must cover their parent, and not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolbox.errors import Fault
from toolbox.hierarchy.hierarchy import CodeBook, Hierarchy, Interval, Node
from toolbox.messages import Phrase, join_said, mark, say, say_count

_MOST_NAMES: Final = 5
_APART: Final = mark("Let each begin where the one before it ends, as in [0:25) and [25:50].")

# The place where an interval starts or ends: just before a number (0) or just after it (1). Edges compare.
_Edge = tuple[float, int]


def find_root_faults(root: Node, book: CodeBook) -> list[Fault]:
    """Return a fault that names the categories which the root leaves out, if there are any."""
    covered = book.within(root.interval)
    missing = book.categories[: covered.start] + book.categories[covered.stop :]
    if not missing:
        return []
    whole = Interval(float(book.codes[0]), float(book.codes[-1]))
    found = say(
        "%(node)s leaves out %(categories)s of the map.", node=_show(root), categories=_format_categories(missing)
    )
    return [Fault(root.line, found, say("Write %(text)s, say.", text=str(whole)))]


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
            problem = say(
                "%(first)s and %(second)s, both below %(parent)s, overlap in %(common)s.",
                **{"first": _show(first), "second": _show(second), "parent": _show(parent), "common": str(common)},
            )
            faults.append(Fault(max(first.line, second.line), problem, say(_APART)))
    return faults


def find_shared_points(parent: Node, book: CodeBook | None = None) -> list[tuple[int, str]]:
    """Return each boundary that belongs to two children, as a line and a sentence. Such a boundary does no harm."""
    faults: list[tuple[int, str]] = []
    for first, second, common in _find_overlaps(parent, book):
        if _is_shared_point(first, second, common):
            winner, loser = sorted((first, second), key=parent.children.index)
            line = max(first.line, second.line)
            said = mark("%(common)s lies in both %(first)s and %(second)s; the first of them takes it.")
            faults.append((line, say(said, common=str(common), first=_show(winner), second=_show(loser))))
    return faults


def find_depth_faults(hierarchy: Hierarchy, method: str) -> list[Fault]:
    """Return a fault for each leaf that is less deep than the deepest one."""
    levels = hierarchy.height
    remedy = say(
        "Add nodes below it: %(method)s generalises whole columns, level by level. Mondrian does not need that.",
        method=method,
    )
    found = mark("The leaf %(leaf)s lies %(depth)s levels below the root, others %(others)s.")
    return [
        Fault(node.line, say(found, leaf=_show(node), depth=depth, others=levels - 1), remedy)
        for node, depth in hierarchy.root.walk()
        if not node.children and depth + 1 < levels
    ]


def _find_outside_children(parent: Node) -> Iterator[Fault]:
    for child in parent.children:
        if not parent.interval.covers(child.interval):
            problem = say(
                "%(child)s does not lie within %(parent)s, its parent.", child=_show(child), parent=_show(parent)
            )
            yield Fault(child.line, problem, say("Widen the parent, or narrow the child."))


def _number_gaps(parent: Node) -> Iterator[Fault]:
    reached = _start(parent.interval)
    remedy = join_said(" ", [say("The children of a node cover it without gaps."), say(_APART)])
    for child in _sort_children(parent):
        if _start(child.interval) > reached:
            gap = _make_interval_between(reached, _start(child.interval))
            yield Fault(child.line, _say_gap(gap, parent), remedy)
        reached = max(reached, _end(child.interval))
    if reached < _end(parent.interval):
        gap = _make_interval_between(reached, _end(parent.interval))
        yield Fault(parent.line, _say_gap(gap, parent), remedy)


def _say_gap(gap: Interval, parent: Node) -> Phrase:
    return say("%(gap)s lies in %(parent)s, but in no child of it.", gap=str(gap), parent=_show(parent))


def _find_category_gaps(parent: Node, book: CodeBook) -> Iterator[Fault]:
    covered: set[int] = set()
    for child in parent.children:
        positions = book.within(child.interval)
        covered.update(positions)
        if not positions:
            problem = say("%(child)s holds no code of the map.", child=_show(child))
            yield Fault(child.line, problem, say("Remove it, or correct its bounds."))
    missing = [book.categories[position] for position in book.within(parent.interval) if position not in covered]
    if missing:
        problem = say_count(
            "%(categories)s lies in %(parent)s, but in no child of it.",
            "%(categories)s lie in %(parent)s, but in no child of it.",
            len(missing),
            categories=_format_categories(missing),
            parent=_show(parent),
        )
        yield Fault(parent.line, problem, say("Add a child, or widen one."))


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


def _format_categories(categories: Sequence[str]) -> Phrase:
    shown = ", ".join(repr(name) for name in categories[:_MOST_NAMES])
    more = len(categories) - _MOST_NAMES
    names = say("%(names)s and %(count)s more", names=shown, count=more) if more > 0 else shown
    return say_count("the category %(names)s", "the categories %(names)s", len(categories), names=names)
