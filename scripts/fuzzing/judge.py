"""The judge of a release: counts and compares in plain Python, and never asks the toolbox."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fuzzing.cases import Told
from fuzzing.columns import Column
from fuzzing.covering import RANGE, ROOT, covers
from fuzzing.dialects import Cell, Line
from fuzzing.models import violated
from fuzzing.parquet import cells_of, names_of
from fuzzing.reader import UnreadableError, read, text_of

Cells = Sequence[Cell]
_WITH_K = ("Mondrian", "LocalRecoding", "Datafly", "Incognito_k", "PrioPrivacy", "Singletons")


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
        self._document = document
        self._kept_name = told.options.missing or "?"
        # A region of categories is one of their codes, as in 2010, and nobody else knows the codes.
        self._shows_codes = told.options.root.get("naming") == "regions"
        columns = list(enumerate(told.columns))
        self._quasi = [place for place, column in columns if column.role == "qid"]
        self._released = [place for place, column in columns if column.role != "id"]
        self._passed = [place for place, column in columns if column.role in ("sens", "other")]

    def faults(self) -> Iterator[str]:
        """Say what is wrong with the release, and with what the run says of it."""
        try:
            lines = self._lines()
        except UnreadableError as error:
            yield f"a release was made of an input that cannot be read: {error}"
            return
        yield from self._counts(lines)
        records = [line.cells for line in lines if line.kind == "record"]
        kept = [cells for cells in records if not self._is_skipped(cells)]
        try:
            parts = self._parts()
        except (UnreadableError, pa.ArrowException) as error:
            yield f"the release cannot be read: {error}"
            return
        yield from self._headers()
        if self._told.options.format == "anatomy":
            yield from self._anatomy(kept, *parts)
        else:
            yield from self._one_table(kept, parts[0])

    # The input

    def _lines(self) -> list[Line]:
        """Read the input, unless it is known what it holds."""
        if self._told.lines is not None:
            return list(self._told.lines)
        lines: list[Line] = []
        for name in self._told.inputs:
            data = (self._folder / name).read_bytes()
            dialect = self._told.dialect
            if dialect is None:
                try:
                    lines += [Line("record", cells) for cells in cells_of(data)]
                except (pa.ArrowException, OSError, UnicodeError) as error:
                    raise UnreadableError(str(error)) from error
                continue
            text = text_of(data, dialect.encoding)
            lines += read(text, dialect.separator, header=dialect.header).lines
        return lines

    def _counts(self, lines: Sequence[Line]) -> Iterator[str]:
        """Account for every line of the input."""
        found = Counter(line.kind for line in lines)
        said = self._document
        skipped = sum(line.kind == "record" and self._is_skipped(line.cells) for line in lines)
        expected = {"records_read": found["record"], "records_skipped": skipped, "lines_rejected": found["rejected"]}
        if "lines_blank" in said and self._told.dialect is not None:
            expected["lines_blank"] = found["blank"]
        for name, count in expected.items():
            if said[name] != count:
                yield f"{name} is {said[name]}, and the input has {count}"

    def _is_missing(self, column: Column, cell: Cell) -> bool:
        is_declared = column.kind == "category" and cell in column.generalisations.labels
        return cell is None or (cell in ("", self._told.options.missing) and not is_declared)

    def _is_skipped(self, cells: Cells) -> bool:
        if self._told.options.on_missing == "keep":
            return False
        columns = zip(self._told.columns, cells, strict=False)
        return any(column.role in ("qid", "sens") and self._is_missing(column, cell) for column, cell in columns)

    # The release

    def _parts(self) -> list[list[Cells]]:
        """Read the release: its one table, or both of anatomy."""
        return [[row for path in paths for row in self._rows(path)] for paths in self._paths()]

    def _paths(self) -> list[list[Path]]:
        paths = [self._folder / path for path in self._document["release"]]
        if self._told.options.format != "anatomy":
            return [paths]
        return [[path for path in paths if suffix in path.name] for suffix in ("_QIT", "_ST")]

    def _rows(self, path: Path) -> list[Cells]:
        if path.suffix == ".parquet":
            return list(cells_of(path.read_bytes()))
        text = text_of(path.read_bytes())
        reading = read(text, self._separator, header=self._has_header)
        if wrong := [line.kind for line in reading.lines if line.kind != "record"]:
            raise UnreadableError(f"{path.name} has {len(wrong)} lines that are no records, such as a {wrong[0]} one")
        return [line.cells for line in reading.lines]

    @property
    def _separator(self) -> str:
        return self._told.options.separator or (self._told.dialect.separator if self._told.dialect else ",")

    @property
    def _has_header(self) -> bool:
        return self._told.dialect is None or self._told.dialect.header

    def _headers(self) -> Iterator[str]:
        """Compare the header with that of the input, statistics left out."""
        path = self._paths()[0][0]
        if self._told.options.format == "anatomy" or path.suffix == ".parquet" or not self._has_header:
            return
        names = [self._told.columns[place].name for place in self._released]
        if self._told.lines is None:
            return
        shown = list(read(text_of(path.read_bytes()), self._separator, header=True).header or ())
        if self._told.options.format == "genValsDist":
            shown = list(self._without_statistics(shown))
        if shown != names:
            yield f"the header is {shown}, not {names}"

    def _without_statistics(self, row: Sequence[Any]) -> Sequence[Any]:
        cells = iter(row)
        left = []
        for place in self._released:
            left.append(next(cells, None))
            if place in self._quasi:
                next(cells, None)
        return left

    # The comparison

    def _one_table(self, kept: Sequence[Cells], rows: list[Cells]) -> Iterator[str]:
        """Compare record by record: in order, none twice, each value covering its original."""
        if self._told.options.format == "genValsDist":
            rows = [self._without_statistics(row) for row in rows]
        dropped = self._document["records_suppressed"] if self._told.options.suppressed == "drop" else 0
        if len(rows) != len(kept) - dropped or len(rows) != self._document["records_released"]:
            yield f"the release has {len(rows)} records, not {len(kept)} without {dropped} suppressed ones"
            return
        if wrong := next((row for row in rows if len(row) != len(self._released)), None):
            yield f"a record of the release has {len(wrong)} values, not {len(self._released)}"
            return
        matched: list[Cells] = []
        waiting = iter(kept)
        for number, row in enumerate(rows, start=1):
            # Only suppressed records may be passed over.
            candidates = waiting if dropped else [next(waiting)]
            found = next((cells for cells in candidates if not self._mismatch(row, cells)), None)
            if found is None:
                reason = "" if dropped else self._mismatch(row, kept[number - 1])
                yield f"record {number} of the release stands for none of the input in its place: {reason}"
                return
            matched.append(found)
        shown = [tuple(row[self._released.index(place)] for place in self._quasi) for row in rows]
        yield from self._models(shown, matched, kept)

    def _mismatch(self, row: Cells, cells: Cells) -> str:
        """Say in which column a released record does not stand for an original one; nothing if it does."""
        for shown, place in zip(row, self._released, strict=True):
            column, original = self._told.columns[place], cells[place]
            if place in self._quasi:
                if not self._covers(column, shown, original):
                    return f"column {place} shows {shown!r} for {original!r}"
            elif shown != original:
                return f"column {place} has {shown!r} instead of {original!r}"
        return ""

    def _covers(self, column: Column, shown: Cell, original: Cell) -> bool:
        if self._shows_codes and column.kind == "category" and RANGE.fullmatch(shown or ""):
            return True
        is_missing = self._is_missing(column, original)
        return covers(column, shown, self._kept_name if is_missing else original)

    def _models(self, shown: Sequence[tuple[Cell, ...]], matched: Sequence[Cells], kept: Sequence[Cells]) -> Iterator[str]:
        """Count every class; of all groups only one at the roots, of suppressed records, may be smaller than asked."""
        groups: dict[tuple[Cell, ...], list[Cells]] = defaultdict(list)
        for texts, cells in zip(shown, matched, strict=True):
            groups[texts].append(cells)
        yield from self._requirements()
        for texts, members in groups.items():
            if self._document["records_suppressed"] and self._is_root(texts, kept):
                continue
            yield from self._violations(members, kept)

    def _requirements(self) -> Iterator[str]:
        """Make sure that the run was asked for what the case asks for."""
        options = self._told.options
        if options.method in _WITH_K and "-k" not in options.arguments:
            asked = {"name": "k-anonymity", "attribute": None, "parameters": {"k": options.k}}
            if asked not in self._document["requirements"]:
                yield f"the requirements lack k = {options.k}: {self._document['requirements']}"

    def _violations(self, members: Sequence[Cells], kept: Sequence[Cells]) -> Iterator[str]:
        for model in self._document["requirements"]:
            place = self._sensitive(model["attribute"])
            here, everywhere = ([self._value(place, cells) for cells in some] for some in (members, kept))
            if violated(model["name"], model["parameters"], here, everywhere):
                yield f"a class of {len(members)} records violates {model['name']} {model['parameters']}"

    def _sensitive(self, attribute: str | None) -> int | None:
        """Find the column of an attribute, which cases name by its position."""
        return None if attribute is None else int(attribute.removeprefix("column "))

    def _value(self, place: int | None, cells: Cells) -> str:
        if place is None:
            return ""
        column, cell = self._told.columns[place], cells[place]
        text = self._kept_name if cell is None or self._is_missing(column, cell) else cell
        return str(float(text)) if column.kind == "number" and text != self._kept_name else text

    def _is_root(self, texts: Sequence[Cell], kept: Sequence[Cells]) -> bool:
        pairs = list(zip(self._quasi, texts, strict=True))
        return all(
            shown == ROOT or all(self._covers(self._told.columns[place], shown, cells[place]) for cells in kept)
            for place, shown in pairs
        )

    def _anatomy(self, kept: Sequence[Cells], quasi: list[Cells], rest: list[Cells]) -> Iterator[str]:
        """Compare both tables with the input: the same values, as often, and the same classes in both."""
        suppressed = self._document["records_suppressed"]
        dropped = suppressed if self._told.options.suppressed == "drop" else 0
        if not len(quasi) == len(rest) == len(kept) - dropped:
            yield f"anatomy has {len(quasi)} and {len(rest)} records, not {len(kept)} without {dropped} suppressed ones"
            return
        if Counter(row[-1] for row in quasi) != Counter(row[0] for row in rest):
            yield "the classes of both tables of anatomy differ in size"
        shown = Counter(tuple(row[:-1]) for row in quasi)
        originals = Counter(self._shown_quasi(cells) for cells in kept)
        missing = Counter({self._numbers(texts): 0 for texts in shown})
        for texts, count in shown.items():
            missing[self._numbers(texts)] += count
        if (missing - originals).total() > suppressed - dropped:
            yield "the first table of anatomy shows quasi-identifiers that the input has not, or not so often"
        passed = Counter(tuple(cells[place] for place in self._passed) for cells in kept)
        if (Counter(tuple(row[1:]) for row in rest) - passed).total():
            yield "the second table of anatomy shows records that the input has not, or not so often"
        yield from self._requirements()
        yield from self._groups(quasi, rest, kept)

    def _groups(self, quasi: Sequence[Cells], rest: Sequence[Cells], kept: Sequence[Cells]) -> Iterator[str]:
        at_root = {row[-1] for row in quasi if self._is_root(row[:-1], kept)} if self._document["records_suppressed"] else set()
        groups: dict[Cell, list[Cells]] = defaultdict(list)
        for row in rest:
            cells: list[Cell] = [None] * len(self._told.columns)
            for place, cell in zip(self._passed, row[1:], strict=True):
                cells[place] = cell
            groups[row[0]].append(cells)
        for name, members in groups.items():
            if name not in at_root:
                yield from self._violations(members, kept)

    def _shown_quasi(self, cells: Cells) -> tuple[Cell, ...]:
        columns = self._told.columns
        kept_name = self._kept_name
        texts = [kept_name if self._is_missing(columns[place], cells[place]) else cells[place] for place in self._quasi]
        return self._numbers(texts)

    def _numbers(self, texts: Sequence[Cell]) -> tuple[Cell, ...]:
        """Write the numbers among quasi-identifiers in one way."""
        kinds = [self._told.columns[place].kind for place in self._quasi]
        return tuple(_plain(text) if kind == "number" else text for text, kind in zip(texts, kinds, strict=True))


def _plain(text: Cell) -> Cell:
    try:
        return str(float(text or ""))
    except ValueError:
        return text
