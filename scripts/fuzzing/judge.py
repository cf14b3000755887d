"""The judge of a release: counts and compares in plain Python, and never asks the toolbox."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fuzzing.anatomy import anatomy_faults
from fuzzing.cases import Told
from fuzzing.covering import ROOT, covers, shows_codes
from fuzzing.dialects import Cell
from fuzzing.originals import Originals
from fuzzing.reader import UnreadableError
from fuzzing.released import Released
from fuzzing.requirements import Requirements

Cells = Sequence[Cell]


class Judge:
    """Judges one release.

    Parameters
    ----------
    told : Told
        How the case was made.
    folder : Path
        Where its files and the release are.
    document : mapping
        What the run has said of itself.
    """

    def __init__(self, told: Told, folder: Path, document: Mapping[str, Any]) -> None:
        self._told = told
        self._folder = folder
        self._said = document
        is_dropping = told.options.suppressed == "drop"
        self._suppressed = int(document["records_suppressed"])
        self._dropped = self._suppressed if is_dropping else 0

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the release, and with what the run reports about it."""
        try:
            self._originals = Originals(self._told, self._folder)
        except UnreadableError as error:
            yield f"a release was made of an input that cannot be read: {error}"
            return
        yield from self._counts()
        try:
            self._release = Released(
                self._told, [self._folder / path for path in self._said["release"]], self._originals.width
            )
        except (UnreadableError, pa.ArrowException) as error:
            yield f"the release cannot be read: {error}"
            return
        self._requirements = Requirements(self._told, self._originals, self._said["requirements"])
        if self._told.options.format == "anatomy":
            quasi, rest = self._release.rows("_QIT"), self._release.rows("_ST")
            is_root = self._is_suppressed
            yield from anatomy_faults(
                self._told, self._originals, self._requirements, quasi, rest, self._suppressed, is_root
            )
        else:
            yield from self._one_table()

    def _counts(self) -> Iterator[str]:
        """Account for every line of the input."""
        counts = Counter(line.kind for line in self._originals.lines)
        expected = {
            "records_read": counts["record"],
            "records_skipped": self._originals.skipped,
            "lines_rejected": counts["rejected"],
        }
        if self._told.dialect is not None:
            expected["lines_blank"] = counts["blank"]
        for name, count in expected.items():
            if self._said[name] != count:
                yield f"{name} is {self._said[name]}, and the input has {count}"
        if counts["rejected"] > self._allowed(counts["record"] + counts["rejected"]):
            yield f"{counts['rejected']} lines are rejected, more than is allowed"

    def _allowed(self, lines: int) -> int:
        """Return how many lines may be rejected."""
        limit = self._told.options.max_rejects
        if limit is None:
            return max(10, lines // 100)
        return lines * int(limit[:-1]) // 100 if limit.endswith("%") else int(limit)

    def _one_table(self) -> Iterator[str]:
        """Compare record by record: in order, none twice, each value covering its original."""
        names = [self._told.columns[position].name for position in self._release.places]
        if self._told.lines is not None and (header := self._release.header()) not in (None, names):
            yield f"the header is {header}, not {names}"
        rows, kept = self._release.rows(), self._originals.kept
        if len(rows) != len(kept) - self._dropped or len(rows) != self._said["records_released"]:
            yield f"the release has {len(rows)} records, not {len(kept)} without {self._dropped} suppressed ones"
            return
        groups: dict[Hashable, list[Cells]] = defaultdict(list)
        waiting = iter(kept)
        for index, row in enumerate(rows, start=1):
            # Only suppressed records may be passed over.
            candidates = waiting if self._dropped else [next(waiting)]
            reasons = ((self._mismatch(row, cells), cells) for cells in candidates)
            reason, original = next(
                ((reason, cells) for reason, cells in reasons if not (reason and self._dropped)), ("", None)
            )
            if reason or original is None:
                yield f"record {index} of the release stands for none of the input in its place: {reason}"
                return
            shown = (row[self._release.places.index(position)] for position in self._release.quasi)
            groups[tuple(shown)].append(original)
        yield from self._requirements.faults(groups, self._is_suppressed)

    def _mismatch(self, row: Cells, cells: Cells) -> str:
        """Return in which column a released record does not stand for an original one; empty if it does."""
        if len(row) != len(self._release.places):
            return f"it has {len(row)} values, not {len(self._release.places)}"
        for shown, position in zip(row, self._release.places, strict=True):
            if position in self._release.quasi:
                if not self._covers(position, shown, cells[position]):
                    return f"column {position} shows {shown!r} for {cells[position]!r}"
            elif shown != cells[position]:
                return f"column {position} has {shown!r} instead of {cells[position]!r}"
        return ""

    def _covers(self, position: int, shown: Cell, original: Cell) -> bool:
        column = self._told.columns[position]
        # A region of categories with a hierarchy, which numbers them, is one of their codes, as in 2010.
        is_coded = column.kind == "category" and column.has_hierarchy
        is_region = is_coded and self._told.options.root.get("naming") == "regions"
        value = self._originals.value(position, original)
        if (is_region and shows_codes(shown)) or covers(column, shown, value):
            return True
        # A kept missing value lies below the root, which is called after the others.
        is_kept = value == self._originals.kept_name and column.has_hierarchy
        return is_kept and all(covers(column, shown, value_) for value_ in column.generalisations.labels)

    def _is_suppressed(self, texts: Any) -> bool:
        """Return whether the quasi-identifiers of a class are all at their roots, and records are suppressed."""
        return self._suppressed > 0 and all(
            shown == ROOT or all(self._covers(position, shown, cells[position]) for cells in self._originals.kept)
            for position, shown in zip(self._release.quasi, texts, strict=True)
        )
