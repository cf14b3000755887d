"""The flow of `risk`: who is still at risk, by class, among a population, and by the records that fit a person."""

from __future__ import annotations

from importlib.metadata import version
from numbers import Integral

from toolbox.errors import SettingError
from toolbox.flows.question import Question
from toolbox.flows.tables import JudgedTables, TableSource, judging_store
from toolbox.report.risk import RiskReport
from toolbox.risks.risk import DEFAULT_THRESHOLD, measure_risk
from toolbox.steps import Steps, Watcher

DEFAULT_K = 5


def assess_risk(
    question: Question,
    release: TableSource,
    *,
    original: TableSource | None = None,
    population: TableSource | None = None,
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
    smallest = (question.smallest_class or DEFAULT_K) if k is None else k
    if not isinstance(smallest, Integral) or isinstance(smallest, bool) or smallest < 1:
        raise SettingError("k", k, "a whole number of at least 1")
    with judging_store(question, release, original, population) as store:
        with steps.step("read"):
            tables = JudgedTables(question, store, release, original)
            beside = None if original is None else tables.beside_original(pairs=False)
            among = None if population is None else tables.beside_population(population)
        with steps.step("measure"):
            risk = measure_risk(
                (beside or among or tables).release,
                original=beside,
                population=among,
                threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
                k=smallest,
            )
    return RiskReport(
        risk=risk,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
        readings=tables.notes,
    )
