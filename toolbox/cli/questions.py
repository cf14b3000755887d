"""The questions and tables that the options of `check`, `measure`, `risk` and `singletons` name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.cli.option_reader import READING, OptionReader
from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.config.hierarchy_words import hierarchy_attributes
from toolbox.config.model import Input
from toolbox.config.model_words import model_text, model_words
from toolbox.config.overrides import Overrides
from toolbox.errors import SettingError, UsageError, did_you_mean, quote
from toolbox.flows.asking import TableDescription, by_configuration, by_description
from toolbox.flows.configuration import read_configuration
from toolbox.flows.question import Question
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.l_diversity import EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import make_models, model_facts, worded_requirement
from toolbox.privacy.t_closeness import TCloseness

_REQUIRING = ("check", "report")
"""Commands whose options may require models."""
_BESIDE = ("memory_limit", "threads", "temp_dir", *READING)
"""What may stand beside a configuration, and replaces its words."""


def question_of(options: argparse.Namespace, command: str) -> Question:
    """Return the question of the options.

    Raises
    ------
    UsageError
        If they contradict each other, or neither a configuration nor columns are named.
    """
    declared = [
        name for name in ("qi", "sensitive", "hierarchy", "kind", "weight", "id") if getattr(options, name, None)
    ]
    if options.config is not None:
        if declared:
            raise UsageError(f"--config says everything itself, so --{declared[0]} cannot be combined with it.")
        return _configured(options, command)
    if not options.qi:
        raise UsageError(
            f"Nothing names the quasi-identifiers. Write toolbox {command} .. -config FILE, or --qi age,zip,sex."
        )
    return _named(options, command)


def release_of(question: Question, name: str | None) -> Path | Input:
    """Return the release that is named, or else the output of the configuration.

    Raises
    ------
    UsageError
        If nothing names it.
    """
    release = Path(name) if name else question.release
    if release is None:
        raise UsageError("Nothing names the release. Write the name of its file after the command.")
    return release


def original_of(question: Question, name: str | None) -> Path | Input | None:
    """Return the records that are named, or else the input of the configuration."""
    return Path(name) if name else question.original


def _configured(options: argparse.Namespace, command: str) -> Question:
    overrides: dict[str, Any] = {name: getattr(options, name, None) for name in _BESIDE}
    config = read_configuration(Path(options.config), Overrides(**overrides), is_run=False)
    sensitive = [str(attribute.column) for attribute in config.sensitive]
    return by_configuration(config, _models(OptionReader(options), sensitive) if command in _REQUIRING else ())


def _named(options: argparse.Namespace, command: str) -> Question:
    reader = OptionReader(options)
    hierarchies = reader.pairs("hierarchy", hierarchy)
    kinds = reader.pairs("kind", values.kind)
    weights = reader.pairs("weight", values.positive_real)
    reading = reader.reading()
    limits = reader.limits()
    quasi_identifiers, sensitive = reader.names("qi"), reader.names("sensitive")
    models = _models(reader, sensitive) if command in _REQUIRING else []
    reader.require_none_wrong()
    description = TableDescription(
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        hierarchies=hierarchies,
        kinds=kinds,
        weights=weights,
        models=models,
        reading=reading,
        identifiers=reader.names("id") if hasattr(options, "id") else (),
    )
    return by_description(f"toolbox {command}", description, limits)


def hierarchy(text: str) -> Path | str:
    """Read a hierarchy: the path of a file, or a builder as its words.

    Raises
    ------
    BadValueError
        If more is said of a file.
    """
    attributes = hierarchy_attributes(text)
    match attributes:
        case {"build": "dates", "periods": periods} if len(attributes) == 2:
            return periods
        case {"build": _}:
            return text
        case {"file": file} if len(attributes) == 1:
            return values.path(file, folder=Path())
    raise BadValueError("says more than the file", "Leave out what follows it: only its rows count here.")


def _models(reader: OptionReader, sensitive: Sequence[str]) -> list[PrivacyModel]:
    """Make the models that -k, -l, -c and -t ask for: one of each for every sensitive attribute."""
    k = reader.read("k", partial(values.integer, minimum=1))
    diversity, c = reader.read("l", values.positive_real), reader.read("c", values.positive_real)
    t = reader.read("t", values.proper_fraction)
    worded = reader.each("model", partial(_worded_model, sensitive=sensitive))
    reader.require_none_wrong()
    options = [name for name, value in (("-l", diversity), ("-c", c), ("-t", t)) if value is not None]
    if options and not sensitive:
        raise UsageError(f"{options[0]} protects a sensitive attribute, and none is named. Write --sensitive NAME.")
    if c is not None and diversity is None:
        raise UsageError("-c goes with -l: recursive (c,l)-diversity. Write both.")
    models: list[PrivacyModel] = [] if k is None else [KAnonymity(k=k)]
    for name in sensitive:
        if diversity is not None and c is not None:
            models.append(RecursiveLDiversity(c=c, l=diversity, attribute=name))
        elif diversity is not None:
            models.append(EntropyLDiversity(l=diversity, attribute=name))
        if t is not None:
            models.append(TCloseness(t=t, attribute=name))
    return list(dict.fromkeys([*models, *worded]))


def _worded_model(text: str, sensitive: Sequence[str]) -> PrivacyModel:
    """Make the model that ``--model`` asks for; it protects the only sensitive attribute if it names none.

    Raises
    ------
    BadValueError
    """
    words = model_words(text)
    facts = model_facts().get(words["name"].lower())
    if facts is not None and facts.needs_attribute and "attribute" not in words and len(sensitive) == 1:
        words["attribute"] = sensitive[0]
    if (protected := words.get("attribute")) is not None and protected not in sensitive:
        hint = did_you_mean(protected, sensitive)
        raise BadValueError(
            f"protects {quote(protected)}, which is no sensitive attribute", f"Name it in --sensitive.{hint}"
        )
    try:
        return make_models([worded_requirement(model_text(words))])[0]
    except SettingError as error:
        raise BadValueError("is out of range", str(error)) from None
