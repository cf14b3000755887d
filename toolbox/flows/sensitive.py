"""The part of `risk` about sensitive values: what the class of a person tells of them."""

from __future__ import annotations

from collections.abc import Sequence
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


def beliefs_of(question: Question, above: float | Sequence[float] | None) -> list[float]:
    """Return the beliefs above which people are counted, too: one, several or none.

    Raises
    ------
    SettingError
    UsageError
    """
    if above is None:
        return []
    beliefs = list(above) if isinstance(above, Sequence) and not isinstance(above, str) else [above]
    for belief in beliefs:
        if not isinstance(belief, Real) or isinstance(belief, bool) or not 0 < belief < 1:
            raise SettingError("above", belief, "a probability above 0 and below 1, such as 0.75")
    if beliefs and not question.sensitive:
        sensitive = either("--sensitive NAMES", python="sensitive=")
        raise UsageError(f"A belief is one in sensitive values, and none are named. Also write {sensitive}.")
    return [float(belief) for belief in beliefs]


def assess_sensitive(
    question: Question, store: Store, release: Release, above: Sequence[float] = ()
) -> tuple[SensitiveRisk, ...]:
    """Measure what classes, or the groups of an anatomy, tell of each sensitive attribute; none of no class.

    Parameters
    ----------
    above : sequence of float
        Beliefs above which people are counted, too.
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
        found.append(sensitive_risk(store, attribute, above=above))
    return tuple(risk for risk in found if risk is not None)
