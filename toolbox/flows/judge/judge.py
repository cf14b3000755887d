"""One judgement: the tables of a question are read once, and all that is wanted is measured on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import JudgedTables, TableSource, open_judging_store
from toolbox.published.comparing import as_shown
from toolbox.published.tables import Comparison, Release
from toolbox.steps import Steps
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class TablesToJudge:
    """The tables of a judgement, before they are read."""

    release: TableSource
    original: TableSource | None = None
    """The records that it was made from."""
    population: TableSource | None = None
    """All people who could be in it."""
    earlier: TableSource | None = None
    """An earlier release of the same people."""
    key: str | None = None
    """The column that links the rows of both releases, if one does."""
    is_reordered: bool = False
    """Whether the release was made of the original a moment ago, in another order."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a measure looks at: the tables as they were read."""

    tables: JudgedTables
    beside: Comparison | None = None
    """The release beside the original records."""
    among: Comparison | None = None
    """The release beside the population."""

    @property
    def question(self) -> Question:
        """What is asked, with what reading the tables has told."""
        return self.tables.question

    @property
    def store(self) -> Store:
        """Where all tables are."""
        return self.tables.store

    @property
    def people(self) -> Comparison | None:
        """The release beside the people whom an attacker may know: those in it, or else the population."""
        return self.beside or self.among

    @cached_property
    def shown(self) -> Release:
        """The release for who looks at its classes, and knows what is beside them; by person, if that is asked."""
        return as_shown(self.tables.by_person or self.tables.release, self.beside, self.among)


class Wanted(NamedTuple):
    """One thing that is measured under the name that a report has for it, and what must be read for it."""

    find: Callable[[Judged], Any]
    step: str = "measure"
    """The step that it is a part of."""
    needs_pairs: bool = False
    """Whether each original record is put beside its released one, if that can be told."""
    needs_statistics: bool = False
    """Whether the statistics of classes are read."""
    counts_values: bool = False
    """Whether it counts the values that original records may have; then what only the population has is none."""


class Judgement(NamedTuple):
    """What was measured."""

    found: dict[str, Any]
    """By the names of what was wanted."""
    readings: tuple[str, ...]
    """How the tables were read, where that is not certain."""


def judge(
    question: Question, tables: TablesToJudge, wanted: Mapping[str, Wanted], steps: Steps | None = None
) -> Judgement:
    """Read the tables once, and measure all that is wanted on them.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    steps, found = steps or Steps(), dict[str, Any]()
    with open_judging_store(question, tables.release, tables.original, tables.population, tables.earlier) as store:
        with steps.step("read"):
            judged = _read_tables(question, store, tables, wanted)
        for step, measures in groupby(wanted.items(), lambda item: item[1].step):
            with steps.step(step):
                found |= {name: measure.find(judged) for name, measure in measures}
        return Judgement(found, judged.tables.notes)


def _read_tables(question: Question, store: Store, tables: TablesToJudge, wanted: Mapping[str, Wanted]) -> Judged:
    """Read the tables, as far as what is wanted needs it."""
    measures = wanted.values()
    read = JudgedTables(
        question,
        store,
        tables.release,
        tables.original,
        key=tables.key,
        with_statistics=any(measure.needs_statistics for measure in measures),
        is_reordered=tables.is_reordered,
    )
    among = beside = None
    if tables.population is not None:
        among = read.compare_with_population(tables.population)
    if tables.original is not None:
        others = None if any(measure.counts_values for measure in measures) else among
        beside = read.compare_with_original(pairs=any(measure.needs_pairs for measure in measures), among=others)
    return Judged(tables=read, beside=beside, among=among)
