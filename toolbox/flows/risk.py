"""The flow of `risk`: who is still at risk, by class, among a population, and by the records that fit a person."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from numbers import Integral, Real

from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.earlier import assess_earlier, key_column, require_link
from toolbox.flows.question import Question
from toolbox.flows.tables import JudgedTables, TableSource, judging_store
from toolbox.messages import either
from toolbox.published.tables import Comparison
from toolbox.report.risk import RiskReport
from toolbox.risks.matching.figures import Attack, MatchingRisk
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
    if attack is not None:
        _require_people(question, attack, is_anybody_named=original is not None or population is not None)
    linked_by = require_link(question, has_earlier=earlier is not None, has_original=original is not None, link=link)
    with judging_store(question, release, original, population, earlier) as store:
        with steps.step("read"):
            tables = JudgedTables(question, store, release, original, key=key_column(linked_by))
            beside = None if original is None else tables.beside_original(pairs=attack is not None)
            among = None if population is None else tables.beside_population(population)
        with steps.step("measure"):
            risk = measure_risk(
                (beside or among or tables).release,
                original=beside,
                population=among,
                threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
                k=smallest,
            )
        joint = None
        if earlier is not None:
            with steps.step("compare"):
                joint = assess_earlier(question, store, tables, earlier, beside=beside, link=linked_by, k=int(smallest))
        matching = None
        if attack is not None and (people := beside or among) is not None:
            with steps.step("match"):
                matching = _matched(question, people, int(smallest), attack)
    return RiskReport(
        risk=risk,
        matching=matching,
        joint=joint,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
        readings=tables.notes,
    )


def attack_of(matching: bool, known: Sequence[str], insiders: float | None) -> Attack | None:
    """Describe an attacker who matches everybody at once; None without one.

    Raises
    ------
    SettingError
        If the share of insiders is no share.
    UsageError
        If something is said of an attacker who is not asked for.
    """
    if not matching:
        if known or insiders is not None:
            remedy = either("--matching", python="matching=True")
            raise UsageError(f"Known columns and insiders are those of an attacker who matches. Also write {remedy}.")
        return None
    share = 0.0 if insiders is None else insiders
    if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= share < 1:
        raise SettingError("insiders", insiders, "a share of at least 0 and below 1, such as 0.05")
    return Attack(known=tuple(map(str, known)), insiders=float(share))


def _require_people(question: Question, attack: Attack, *, is_anybody_named: bool) -> None:
    """Stop where nobody is there whom an attacker could match, before anything is read.

    Raises
    ------
    UsageError
    """
    from toolbox.risks.matching.assignment import require_scipy

    require_scipy()
    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    for name in attack.known:
        if name not in names:
            raise UnknownColumnError(name, "The list of quasi-identifiers", names)
    if not is_anybody_named:
        people = either("--original FILE or --population FILE", python="original= or population=")
        raise UsageError(f"The risk from matching compares with people, and none are named. Write {people}.")


def _matched(question: Question, people: Comparison, k: int, attack: Attack) -> MatchingRisk:
    from toolbox.risks.matching.matching import matching_risk
    from toolbox.risks.matching.reading import read_graph

    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    graph, held = read_graph(people, [names.index(name) for name in attack.known])
    return matching_risk(graph, k, attack, held)
