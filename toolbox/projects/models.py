"""What a project requires of every class, as people write it in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from toolbox.config import edited_models, values
from toolbox.config.edited import EditedDocument
from toolbox.config.given import BadValueError, Findings, Given
from toolbox.config.model import DEFAULT_K, DEFAULT_L, DEFAULT_T, MethodFacts
from toolbox.config.requirements import READERS, OriginalParameters, original_requirement
from toolbox.errors import UsageError
from toolbox.methods.registry import method_facts
from toolbox.privacy.requirements import model_facts


def models_of(document: EditedDocument, method: str) -> list[dict[str, Any]]:
    """Return the privacy models of a document; its parameters of 2010 mean those that go with the method."""
    listed = edited_models.listed_models(document)
    if listed is None:
        return _original(document, method)
    known = model_facts()
    found = []
    for attributes in listed:
        name = attributes.pop("name", "").strip()
        facts = known.get(name.lower())
        types = {} if facts is None else facts.parameters
        found.append(
            {
                "type": name if facts is None else facts.name,
                **{key: _value(text, types.get(key, str)) for key, text in attributes.items()},
            }
        )
    return found


def set_models(document: EditedDocument, models: Sequence[Mapping[str, Any]], method: str) -> None:
    """Write privacy models.

    Raises
    ------
    UsageError
        If one has no type, or a text that XML cannot hold.
    """
    written = []
    for model in models:
        if not str(model.get("type") or "").strip():
            raise UsageError('A model has no type. Write {"type": "k-anonymity", "k": 5}.')
        parameters = {key: _text(value) for key, value in model.items() if key != "type" and value is not None}
        written.append({"name": str(model["type"]), **parameters})
    facts = _facts(method)
    edited_models.set_models(document, written, is_k_usual=facts is not None and facts.parameter == "k")


def _original(document: EditedDocument, method: str) -> list[dict[str, Any]]:
    facts, said, read = _facts(method), document.said(), Findings().read

    def given(name: str) -> Given | None:
        return Given(name, said[name]) if name in said else None

    parameters = OriginalParameters(
        k=read(given("k"), partial(values.integer, minimum=1), DEFAULT_K),
        l=read(given("l"), values.positive_real, DEFAULT_L),
        c=read(given("c"), values.positive_or_unset, None),
        t=read(given("t"), values.proper_fraction, DEFAULT_T),
    )
    if facts is None:
        return [{"type": "k-anonymity", "k": parameters.k}]
    requirement = original_requirement(facts, parameters, None)
    return [{"type": requirement.model, **requirement.parameters}]


def _facts(method: str) -> MethodFacts | None:
    return method_facts().get(method.strip().lower())


def _value(text: str, kind: type) -> Any:
    """Return a parameter as what it is; a text that is none stays, and is told when the configuration is read."""
    try:
        return READERS[kind](text)
    except BadValueError:
        return text


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
