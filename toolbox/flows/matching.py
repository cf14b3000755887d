"""The part of `risk` about an attacker who matches everybody at once."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments import listed
from toolbox.flows.question import Question
from toolbox.messages import either
from toolbox.published.tables import Comparison
from toolbox.risks.matching.figures import Attack, MatchingRisk


def attack_of(matching: bool, known: Sequence[str], insiders: float | None) -> Attack | None:
    """Describe an attacker who matches everybody at once; None without one.

    Raises
    ------
    SettingError
        If the share of insiders is no share.
    UsageError
        If something is said of an attacker who is not asked for.
    """
    names = listed("known", known, "of columns")
    if not matching:
        if names or insiders is not None:
            said = either("--known" if names else "--insiders", python="known=" if names else "insiders=")
            remedy = either("--matching", python="matching=True")
            raise UsageError(f"{said} describes an attacker who matches, and none is asked for. Also write {remedy}.")
        return None
    share = 0.0 if insiders is None else insiders
    if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= share < 1:
        raise SettingError("insiders", insiders, "a share of at least 0 and below 1, such as 0.05")
    return Attack(known=tuple(map(str, names)), insiders=float(share))


def require_people(question: Question, attack: Attack | None, *, is_anybody_named: bool) -> None:
    """Stop where nobody is there whom an attacker could match, if one does, before anything is read.

    Raises
    ------
    UsageError
    """
    if attack is None:
        return
    from toolbox.risks.matching.assignment import require_scipy

    require_scipy()
    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    for name in attack.known:
        if name not in names:
            raise UnknownColumnError(name, "The list of quasi-identifiers", names)
    if not is_anybody_named:
        people = either("--original FILE or --population FILE", python="original= or population=")
        raise UsageError(f"The risk from matching compares with people, and none are named. Write {people}.")


def assess_matching(question: Question, people: Comparison, k: int, attack: Attack) -> MatchingRisk:
    """Match everybody at once with the rows of a release."""
    from toolbox.risks.matching.matching import matching_risk
    from toolbox.risks.matching.reading import read_graph

    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    graph, held = read_graph(people, [names.index(name) for name in attack.known])
    return matching_risk(graph, k, attack, held)
