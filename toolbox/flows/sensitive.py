"""The part of `risk` about sensitive values: what the class of a person tells of them."""

from __future__ import annotations

from toolbox.flows.check import classes_by_attribute
from toolbox.flows.groups import groups_of
from toolbox.flows.question import Question
from toolbox.published.tables import Release
from toolbox.risks.sensitive.figures import SensitiveRisk
from toolbox.risks.sensitive.learned import AttributeInClasses, sensitive_risk
from toolbox.store.store import Store


def assess_sensitive(question: Question, store: Store, release: Release) -> tuple[SensitiveRisk, ...]:
    """Measure what classes, or the groups of an anatomy, tell of each sensitive attribute; none of no class."""
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
        found.append(sensitive_risk(store, attribute))
    return tuple(risk for risk in found if risk is not None)
