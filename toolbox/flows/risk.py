"""The flow of `risk`: who is still at risk, by class, among a population, and by the records that fit a person."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from numbers import Integral

from toolbox.errors import SettingError
from toolbox.flows.attacking import attackers_of, learned
from toolbox.flows.question import Question
from toolbox.flows.sensitive import assess_sensitive, beliefs_of
from toolbox.flows.statistics import assess_statistics
from toolbox.flows.tables import JudgedTables, TableSource, judging_store
from toolbox.methods.registry import find_method
from toolbox.published.comparing import as_shown
from toolbox.report.minimality import Minimality, minimality_of
from toolbox.report.risk import RiskReport
from toolbox.risks.coarser import below_k
from toolbox.risks.matching.figures import Attack
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
    attack: Attack | None = None,
    earlier: TableSource | None = None,
    link: str | None = None,
    above: float | Sequence[float] | None = None,
    watcher: Watcher | None = None,
) -> RiskReport:
    """Measure who is still at risk; `toolbox.risk` explains the arguments.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    steps, smallest = Steps(watcher), _fewest(question, k)
    beliefs = beliefs_of(question, above)
    attackers = attackers_of(
        question, attack=attack, earlier=earlier, link=link, original=original, population=population
    )
    with judging_store(question, release, original, population, earlier) as store:
        with steps.step("read"):
            tables = JudgedTables(question, store, release, original, key=attackers.key, with_statistics=True)
            among = None if population is None else tables.beside_population(population)
            beside = None if original is None else tables.beside_original(pairs=attack is not None, among=among)
            question = tables.question
        with steps.step("measure"):
            few = tables.few_people(smallest)
            shown = as_shown(tables.release, beside, among)
            highest = DEFAULT_THRESHOLD if threshold is None else threshold
            risk = measure_risk(shown, original=beside, population=among, threshold=highest, k=smallest)
            # Anatomy hides what is sensitive, and not who somebody is.
            below = None if question.is_anatomy else below_k(shown, smallest, beside or among)
            statistics, sensitive = assess_statistics(tables, beside), assess_sensitive(question, store, shown, beliefs)
        found = learned(question, tables, attackers, beside=beside, people=beside or among, k=smallest, steps=steps)
    return RiskReport(
        risk=risk,
        matching=found.matching,
        joint=found.joint,
        below=below,
        statistics=statistics,
        sensitive=sensitive,
        minimality=_minimality(question),
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
        readings=(*few, *tables.notes),
    )


def _fewest(question: Question, k: int | None) -> int:
    """Return the fewest records that a person should hide among."""
    fewest = (question.smallest_class or DEFAULT_K) if k is None else k
    if not isinstance(fewest, Integral) or isinstance(fewest, bool) or fewest < 1:
        raise SettingError("k", k, "a whole number of at least 1")
    return int(fewest)


def _minimality(question: Question) -> Minimality | None:
    """Return what the method gives away, where a configuration says which one made the release."""
    return None if question.by_name else minimality_of(find_method(question.config.method), question.models)
