"""The requirements that are compared: every combination of the k, l and t that a call names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from toolbox.config.model import DEFAULT_K
from toolbox.errors import UsageError
from toolbox.flows.arguments import finite_number, listed, require_whole_number
from toolbox.flows.models import check_models
from toolbox.flows.variant_config import Declared
from toolbox.messages import either
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.l_diversity import EntropyLDiversity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import make_models
from toolbox.privacy.t_closeness import TCloseness


@dataclass(frozen=True, kw_only=True)
class ComparedRequirements:
    """What a call compares: parameters, each with its values, or models that it lists."""

    k: Sequence[int] = ()
    l: Sequence[float] = ()  # noqa: E741 - as in the configuration
    t: Sequence[float] = ()
    models: Sequence[Sequence[PrivacyModel]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", listed("models", self.models, "of models"))
        for k in self.k:
            require_whole_number("k", k, 1)
        for name, numbers in (("l", self.l), ("t", self.t)):
            for number in numbers:
                finite_number(name, number)
        for name in ("k", "l", "t"):
            if self.models and getattr(self, name):
                raise UsageError(
                    f"{name}= cannot be combined with models=. Put it into the models, or leave one of the two out."
                )

    def listed(self, declared: Declared) -> list[tuple[PrivacyModel, ...]]:
        """Return every requirement, in the order of the values.

        Models of a configuration stay, but for those of which the call names the parameter.

        Raises
        ------
        UsageError
            If a model is none, or protects a column that is not sensitive.
        """
        protected = declared.config.sensitive
        if self.models:
            lists = [tuple([models] if isinstance(models, PrivacyModel) else models) for models in self.models]
            for models in lists:
                check_models(models, protected)
            return lists
        names = [str(attribute.column) for attribute in protected]
        for option, values in (("l", self.l), ("t", self.t)):
            if values and not names:
                asked = either(f"-{option}", python=f"{option}=")
                named = either("--sensitive NAME, or <sens>", python="sensitive=[..]")
                raise UsageError(f"{asked} protects a sensitive attribute, and none is declared. Write {named}.")
        base = make_models(declared.config.requirements) if declared.asks else ()
        # Nothing is said of k, and nothing else is asked for: what a run would ask for.
        ks: list[Any] = list(self.k) or ([None] if base or self.l or self.t else [DEFAULT_K])
        ls, ts = (list[Any](values) or [None] for values in (self.l, self.t))
        combined = product(ks, ls, ts)
        return list(dict.fromkeys(_models(base, names, *values) for values in combined))


def _models(
    base: Iterable[PrivacyModel], names: Sequence[str], k: int | None, diversity: float | None, t: float | None
) -> tuple[PrivacyModel, ...]:
    models: list[PrivacyModel] = []
    if k is not None and not any(model.k_is_class_size for model in base):
        models.append(KAnonymity(k=k))
    for model in base:
        replaced = (diversity is not None and isinstance(model, EntropyLDiversity)) or (
            t is not None and isinstance(model, TCloseness)
        )
        if not replaced:
            models.append(_with_k(model, k))
    if diversity is not None:
        models += [EntropyLDiversity(l=diversity, attribute=name) for name in names]
    if t is not None:
        models += [TCloseness(t=t, attribute=name) for name in names]
    return tuple(models)


def _with_k(model: PrivacyModel, k: int | None) -> PrivacyModel:
    """Return a model with another k, if it has one."""
    changes: dict[str, Any] = {"k": k}
    return model if k is None or not model.k_is_class_size else replace(model, **changes)
