"""From what a plan requires to privacy models."""

from __future__ import annotations

from toolbox.config.given import BadValueError
from toolbox.errors import SettingError
from toolbox.experiments.plan.plan import Wish
from toolbox.flows.arguments.models import check_models
from toolbox.flows.explore.compare import ComparedRequirements
from toolbox.flows.session.loads import Declared
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import make_models, parse_requirement


def build_required_models(wish: Wish, declared: Declared) -> tuple[PrivacyModel, ...]:
    """Return the models that a wish requires of a data set.

    Raises
    ------
    UsageError
        If a model does not fit the data set, such as one that protects a column which is not sensitive.
    """
    if wish.models:
        models = make_models(map(parse_requirement, wish.models))
        check_models(models, declared.config.sensitive)
        return models
    asked = ComparedRequirements(
        k=() if wish.k is None else (wish.k,),
        l=() if wish.l is None else (wish.l,),
        t=() if wish.t is None else (wish.t,),
    )
    (models,) = asked.listed(declared)
    return models


def check_model_words(text: str) -> None:
    """Stop where a text is no model with its parameters.

    Raises
    ------
    BadValueError
    """
    try:
        make_models([parse_requirement(text)])
    except SettingError as error:
        raise BadValueError("is out of range", str(error)) from None
