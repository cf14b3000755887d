"""From what a plan requires to privacy models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.config.model import Requirement
from toolbox.config.model_words import model_words
from toolbox.errors import SettingError, did_you_mean
from toolbox.experiments.plan import Wish
from toolbox.flows.models import check_models
from toolbox.flows.requirements_compared import ComparedRequirements
from toolbox.flows.variant_config import Declared
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import make_models, model_facts

_READERS: Mapping[type, Callable[[str], int | float | str]] = MappingProxyType(
    {int: values.whole, float: values.real, str: str.strip}
)


def models_of(wish: Wish, declared: Declared) -> tuple[PrivacyModel, ...]:
    """Return the models that a wish requires of a data set.

    Raises
    ------
    UsageError
        If a model does not fit the data set, such as one that protects a column which is not sensitive.
    """
    if wish.models:
        models = make_models(map(_requirement, wish.models))
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
        make_models([_requirement(text)])
    except SettingError as error:
        raise BadValueError("is out of range", str(error)) from None


def _requirement(text: str) -> Requirement:
    words = model_words(text)
    name = words.pop("name")
    known = model_facts()
    facts = known.get(name.lower())
    if facts is None:
        names = sorted(each.name for each in known.values())
        raise BadValueError("names no model", f"There are: {', '.join(names)}.{did_you_mean(name, names)}")
    attribute = words.pop("attribute", None)
    if facts.needs_attribute and attribute is None:
        raise BadValueError("protects no column", f"Write '{text}:attribute=COLUMN'.")
    for parameter in words:
        if parameter not in facts.parameters:
            raise BadValueError(f"has no parameter {parameter!r}", f"It has: {', '.join(facts.parameters)}.")
    for parameter in facts.needed:
        if parameter not in words:
            raise BadValueError(f"lacks {parameter}", f"Write '{text}:{parameter}=..'.")
    read = {key: _READERS[facts.parameters[key]](value) for key, value in words.items()}
    return Requirement(model=facts.name, attribute=attribute, parameters=MappingProxyType(read))
