"""The recorded runs of the original toolbox: what a configuration declares, and what its release says."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

from helpers.releases import TextTable, partition, read_text_table

Groups = list[tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]
"""The groups of an anatomy release, without their numbers: the rows of each in QIT, and in ST."""


def recorded_names() -> list[str]:
    """List the folders of recorded runs when tests are collected; none where the real data is not at hand."""
    given = os.environ.get("TOOLBOX_DATA")
    folder = (Path(given) if given else Path(__file__).parents[3] / "shared") / "fixtures" / "utd"
    return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []


def anatomy_groups(folder: Path) -> Groups:
    """Read what each group of ``out_QIT.data`` and ``out_ST.data`` holds, whatever its number and order."""
    qit: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    st: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for *values, group in read_text_table(folder / "out_QIT.data", header=False).rows:
        qit[group].append(tuple(values))
    for group, *values in read_text_table(folder / "out_ST.data", header=False).rows:
        st[group].append(tuple(values))
    assert qit.keys() == st.keys()
    return sorted((sorted(rows), sorted(st[group])) for group, rows in qit.items())


@dataclass(frozen=True)
class RecordedRun:
    """One folder of recorded runs; the larger ones share an input that lies elsewhere."""

    folder: Path
    census: Path

    @cached_property
    def _root(self) -> ElementTree.Element:
        return ElementTree.parse(self.folder / "config.xml").getroot()

    @property
    def method(self) -> str:
        return self._root.get("method", "Mondrian")

    @property
    def k(self) -> int:
        return int(self._root.get("k", "10"))

    @property
    def format(self) -> str:
        output = self._root.find("output")
        return "genVals" if output is None else output.get("format", "genVals")

    @property
    def arguments(self) -> list[str]:
        return (self.folder / "args").read_text(encoding="utf-8").split()

    @cached_property
    def identifiers(self) -> list[int]:
        return [int(att.get("index", "")) for att in self._root.iterfind("id/att")]

    @cached_property
    def quasi_identifiers(self) -> list[int]:
        return [int(att.get("index", "")) for att in self._root.iterfind("qid/att")]

    @property
    def maps(self) -> list[dict[str, str]]:
        """For each quasi-identifier the category of each code, empty for numbers."""
        return [
            {entry.get("int", ""): entry.get("cat", "") for entry in att.iterfind("map/entry")}
            for att in self._root.iterfind("qid/att")
        ]

    @property
    def input(self) -> TextTable:
        return read_text_table(self._input_path, header=False)

    @property
    def _input_path(self) -> Path:
        own = self.folder / "in.data"
        return own if own.exists() else self.census

    def released_place(self, column: int) -> int:
        """Return where a column of the input stands in a release, from which the identifiers are dropped."""
        return column - sum(dropped < column for dropped in self.identifiers)

    def shown(self, release: TextTable) -> list[tuple[str, ...]]:
        """Return what a genVals release shows of each record's quasi-identifiers, in configuration order."""
        places = [self.released_place(column) for column in self.quasi_identifiers]
        return [tuple(row[place] for place in places) for row in release.rows]

    def passed_through(self, table: TextTable, *, is_input: bool = False) -> list[tuple[str, ...]]:
        """Return all that is neither identifier nor quasi-identifier, of an input or of a release."""
        kept = [
            column
            for column in range(len(self.input.rows[0]))
            if column not in self.identifiers and column not in self.quasi_identifiers
        ]
        places = kept if is_input else [self.released_place(column) for column in kept]
        return [tuple(row[place] for place in places) for row in table.rows]

    @property
    def release(self) -> TextTable:
        return read_text_table(self.folder / "out.data", header=False)

    @property
    def groups(self) -> TextTable:
        """The QIT of an anatomy run, in which the class is the last column."""
        return read_text_table(self.folder / "out_QIT.data", header=False)

    @property
    def partition(self) -> set[frozenset[int]]:
        """The classes, as sets of row numbers: recorded files keep the order of the input."""
        if self.format == "anatomy":
            return partition([row[-1:] for row in self.groups.rows])
        return partition(self.shown(self.release))

    def copy_to(self, folder: Path) -> Path:
        """Copy what the run needs into a folder; return its configuration, which releases ``out.data`` beside it."""
        shutil.copy(self._input_path, folder / "in.data")
        return Path(shutil.copy(self.folder / "config.xml", folder))
