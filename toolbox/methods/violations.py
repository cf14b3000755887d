"""The classes that violate any of several privacy models, in one query."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import select, union

from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.query import Query


def violating(models: Sequence[PrivacyModel], shown: Callable[[str | None], Classes]) -> Query:
    """Return the classes that violate a model: ``equivalence_id``, each once.

    Parameters
    ----------
    models : sequence of PrivacyModel, length >= 1
    shown : callable
        Shows the classes to a model, given its sensitive attribute or None; see `toolbox.privacy.classes.members_of`.
    """
    violations = (model.violations(shown(model.attribute)).subquery() for model in models)
    return select(union(*(select(each.c.equivalence_id) for each in violations)).subquery())
