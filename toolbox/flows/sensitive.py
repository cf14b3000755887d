"""The part of `risk` about sensitive values: what the class of a person tells of them."""

from __future__ import annotations

from numbers import Real

from toolbox.errors import SettingError, UsageError
from toolbox.flows.check import classes_by_attribute
from toolbox.flows.groups import groups_of
from toolbox.flows.question import Question
from toolbox.messages import either
from toolbox.published.tables import Release
from toolbox.risks.sensitive.figures import SensitiveRisk
from toolbox.risks.sensitive.learned import AttributeInClasses, sensitive_risk
from toolbox.store.store import Store


def require_belief(question: Question, above: float | None) -> None:
    """Stop where people are to be counted by a belief that is none, or that is in nothing.

    Raises
    ------
    SettingError
    UsageError
    """
    if above is None:
        return
    if not isinstance(above, Real) or isinstance(above, bool) or not 0 < above < 1:
        raise SettingError("above", above, "a probability above 0 and below 1, such as 0.75")
    if not question.sensitive:
        sensitive = either("--sensitive NAMES", python="sensitive=")
        raise UsageError(f"A belief is one in sensitive values, and none are named. Also write {sensitive}.")


def assess_sensitive(
    question: Question, store: Store, release: Release, above: float | None = None
) -> tuple[SensitiveRisk, ...]:
    """Measure what classes, or the groups of an anatomy, tell of each sensitive attribute; none of no class.

    Parameters
    ----------
    above : float, optional
        A belief above which people are counted, too.
    """
    if not question.sensitive:
        return ()
    shown = groups_of(question, store) if question.is_anatomy else release
    found = []
    for name, classes in classes_by_attribute(shown, question, harmonised=False).items():
        histogram, overall = classes.judged
        attribute = AttributeInClasses(
            name=name,
            sizes=classes.sizes,
            histogram=histogram,
            overall=overall,
            is_number=classes.kind == "number",
            tree=classes.tree,
        )
        found.append(sensitive_risk(store, attribute, above=() if above is None else [float(above)]))
    return tuple(risk for risk in found if risk is not None)
