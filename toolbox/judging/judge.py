"""Judge a release before it is published: is it anonymous, what did it cost, and who is still at risk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from toolbox.errors import UsageError
from toolbox.judging.question import Question
from toolbox.judging.tables import Given, JudgedTables
from toolbox.report.judgement import RiskReport
from toolbox.risk.risk import DEFAULT_THRESHOLD, measure_risk
from toolbox.steps import Steps, Watcher
from toolbox.store.room import file_errors
from toolbox.store.store import Store

DEFAULT_K = 5


@contextmanager
def _store(question: Question) -> Iterator[Store]:
    with Store(question.config.limits.temp_dir, question.config.limits) as store, file_errors(store.folder):
        yield store


def assess_risk(
    question: Question,
    release: Given,
    *,
    original: Given | None = None,
    population: Given | None = None,
    threshold: float | None = None,
    k: int | None = None,
    watcher: Watcher | None = None,
) -> RiskReport:
    """Measure who is still at risk; `toolbox.risk` explains the arguments.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    steps = Steps(watcher)
    smallest = k or question.smallest_class or DEFAULT_K
    if smallest < 1:
        raise UsageError(f"k is {k}. Write a whole number of at least 1.")
    with _store(question) as store:
        with steps.step("read"):
            tables = JudgedTables(question, store, release, original)
            beside = None if original is None else tables.beside_original(pairs=False)
            among = None if population is None else tables.beside_population(population)
        with steps.step("measure"):
            risk = measure_risk(
                tables.release,
                original=beside,
                population=among,
                threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
                k=smallest,
            )
    return RiskReport(risk=risk, timings=steps.timings(), toolbox_version=version("anonymisation-toolbox"))
