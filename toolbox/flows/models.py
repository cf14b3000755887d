"""The privacy models of a call: checks that they are models of declared columns, and the k that they require."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from toolbox.config.model import Attribute
from toolbox.errors import UnknownColumnError, UsageError
from toolbox.privacy.model import PrivacyModel

_Default = TypeVar("_Default", int, None)


def check_models(models: Sequence[PrivacyModel], protected: Sequence[Attribute]) -> None:
    """Stop where an argument is no model, or a model protects a column that is not declared as sensitive.

    Raises
    ------
    UsageError
    """
    if isinstance(models, PrivacyModel):
        raise UsageError("models= is one model. Write a list, such as [KAnonymity(k=5)].")
    known = [str(attribute.column) for attribute in protected]
    for model in models:
        if not isinstance(model, PrivacyModel):
            name = getattr(model, "__name__", type(model).__name__)
            raise UsageError(f"models= holds {name}, which is no privacy model. Write [KAnonymity(k=5)], say.")
        if model.attribute is not None and model.attribute not in known:
            raise UnknownColumnError(model.attribute, "The call, in sensitive=,", known)


def smallest_class(models: Sequence[PrivacyModel], default: _Default) -> int | _Default:
    """Return the largest k of the models that require classes of k records; the default if none does."""
    return max((int(model.parameters()["k"]) for model in models if model.k_is_class_size), default=default)
