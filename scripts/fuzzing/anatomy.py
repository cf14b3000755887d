"""The judge of a release in two tables, which only the class connects."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from fuzzing.cases import Told
from fuzzing.dialects import Cell
from fuzzing.originals import Originals
from fuzzing.requirements import Requirements

Cells = Sequence[Cell]


def anatomy_faults(
    told: Told,
    originals: Originals,
    requirements: Requirements,
    quasi: Sequence[Cells],
    rest: Sequence[Cells],
    suppressed: int,
    is_suppressed: Callable[[Cells], bool],
) -> Iterator[str]:
    """Compare both tables with the input: the same values, as often, and the same classes in both.

    Parameters
    ----------
    quasi, rest : sequence of records
        The first table, whose last column is the class, and the second one, whose first column it is.
    suppressed : int
        How many records are suppressed.
    is_suppressed : callable
        Tells whether quasi-identifiers are those of a suppressed record.
    """
    dropped = suppressed if told.options.suppressed == "drop" else 0
    kept = originals.kept
    if not len(quasi) == len(rest) == len(kept) - dropped:
        yield f"anatomy has {len(quasi)} and {len(rest)} records, not {len(kept)} without {dropped} suppressed ones"
        return
    if Counter(row[-1] for row in quasi) != Counter(row[0] for row in rest):
        yield "the classes of both tables of anatomy differ in size"
    places = [position for position, column in enumerate(told.columns) if column.role == "qid"]
    passed = [position for position, column in enumerate(told.columns) if column.role in ("sens", "other")]

    def values(texts: Sequence[Cell]) -> tuple[str, ...]:
        pairs = zip(places, texts, strict=True)
        return tuple(_plain(originals.value(position, text), told.columns[position].kind) for position, text in pairs)

    shown = Counter(values(row[:-1]) for row in quasi)
    true = Counter(values([cells[position] for position in places]) for cells in kept)
    if (shown - true).total() > suppressed - dropped:
        yield "the first table of anatomy shows quasi-identifiers that the input has not, or not so often"
    expected = Counter(tuple(cells[position] for position in passed) for cells in kept)
    if (Counter(tuple(row[1:]) for row in rest) - expected).total():
        yield "the second table of anatomy shows records that the input has not, or not so often"
        return
    groups: dict[Hashable, list[Cells]] = defaultdict(list)
    for row in rest:
        cells: list[Cell] = [None] * len(told.columns)
        for position, cell in zip(passed, row[1:], strict=True):
            cells[position] = cell
        groups[row[0]].append(cells)
    hidden = {row[-1] for row in quasi if is_suppressed(row[:-1])} if suppressed else set()
    yield from requirements.faults(groups, hidden.__contains__)


def _plain(text: str, kind: str) -> str:
    """Write a number in one way."""
    try:
        return str(float(text)) if kind == "number" else text
    except ValueError:
        return text
