"""Trials: privacy models with parameters, made to measure a table of which nothing is required.

A model measures classes only once it has parameters. Of an installed model only their names and types are known, so
small numbers are tried until the model takes them. What a class achieves does not depend on the bound it is compared
with, so any bound will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, fields, replace
from itertools import islice, product
from typing import Any

from toolbox.privacy.model import PrivacyModel

_SHARES = (0.5, 0.1, 1.5)
_WHOLE = (1, 2, 5)
_MOST_TRIED = 1_000


def find_trial(model: type[PrivacyModel], parameters: Mapping[str, Any], smallest: int) -> PrivacyModel | None:
    """Return the model with the first parameters that it accepts; None if it accepts no tried parameters.

    Parameters
    ----------
    parameters : mapping of str to value
        Those that are known; numbers are tried for all others that have no default.
    smallest : int
        What a parameter ``k`` is tried with first: the records of the smallest class.

    Examples
    --------
    >>> from toolbox.privacy.alpha_k_anonymity import AlphaKAnonymity
    >>> str(find_trial(AlphaKAnonymity, {"attribute": "illness"}, smallest=3))
    '(alpha,k)-anonymity (alpha=0.5, k=3) of illness'
    """
    return next(_trials(model, parameters, smallest), None)


def _trials(model: type[PrivacyModel], parameters: Mapping[str, Any], smallest: int) -> Iterator[PrivacyModel]:
    """Yield the model with each combination of values that it takes, the likely ones first."""
    needed = [field for field in fields(model) if field.default is MISSING and field.default_factory is MISSING]
    unknown = [field for field in needed if field.name not in parameters]
    for values in islice(product(*(_tried(field, smallest) for field in unknown)), _MOST_TRIED):
        tried: dict[str, Any] = {field.name: value for field, value in zip(unknown, values, strict=True)}
        with suppress(Exception):  # what a model by other people does not take
            yield model(**tried, **parameters)


def _tried(parameter: Field[Any], smallest: int) -> tuple[float, ...]:
    """Return the values to try: for k the size of the smallest class; none for a parameter that is no number."""
    # An annotation is a text where its module postpones them.
    kind = getattr(parameter.type, "__name__", str(parameter.type))
    if parameter.name == "k":
        return (smallest, *_WHOLE)
    return {"int": _WHOLE, "float": (*_SHARES, *_WHOLE)}.get(kind, ())


def bounds_of(model: PrivacyModel) -> tuple[str, ...]:
    """Return the parameters that classes are compared with, the measured one first; empty if there is none.

    If the model does not name them, it is the parameter that equals what is required; if several do, it is the one that
    changes what is required.

    Examples
    --------
    >>> from toolbox.privacy.p_sensitive import PSensitiveKAnonymity
    >>> bounds_of(PSensitiveKAnonymity(p=3, k=3, attribute="illness"))
    ('p',)
    """
    if model.bounds:
        return model.bounds
    equal = [name for name, value in model.parameters().items() if value == model.required]
    for name in equal if len(equal) > 1 else ():
        for other in (*_SHARES, *_WHOLE):
            changed: dict[str, Any] = {name: other}
            with suppress(Exception):
                if replace(model, **changed).required != model.required:
                    return (name,)
    return tuple(equal[:1])
