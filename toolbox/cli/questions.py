"""From the options of `check`, `measure` and `risk` to the question that they ask."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.config import values
from toolbox.config.given import Findings, Given
from toolbox.config.model import Limits
from toolbox.config.overrides import Overrides
from toolbox.errors import ConfigurationError, UsageError, quote
from toolbox.flows.question import Question, by_names, of_config
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.l_diversity import EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.t_closeness import TCloseness

_MACHINE = ("memory_limit", "threads", "temp_dir", "separator", "encoding", "decimal", "thousands")


class Options:
    """Reads options one by one; all faults of a command line are told together.

    Parameters
    ----------
    options : argparse.Namespace
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._findings = Findings()

    def read(self, name: str, parse: Callable[[str], Any]) -> Any:
        """Read an option that may be absent; None if it is, or if it is wrong."""
        text = getattr(self._options, name, None)
        given = None if text is None else Given(f"--{name.replace('_', '-')}", text)
        return self._findings.read(given, parse, None)

    def names(self, name: str) -> list[str]:
        """Read names, several in one option between commas; a name with a comma stands in quotes.

        Raises
        ------
        ConfigurationError
            With all faults so far, if the names cannot be told apart.
        """
        texts: Sequence[str] = getattr(self._options, name, None) or ()
        try:
            return [one.strip() for row in csv.reader(texts, skipinitialspace=True) for one in row if one.strip()]
        except csv.Error:
            found = f"--{name} {quote(' '.join(texts))} is no list of names."
            self._findings.fault(0, found, "Put a name with a line break in double quotes.")
            raise ConfigurationError("the command line", self._findings.faults) from None

    def pairs(self, name: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        """Read options such as ``zip=zip.csv``."""
        found = {}
        for text in getattr(self._options, name, None) or ():
            key, equals, value = text.partition("=")
            if not (equals and key):
                self._findings.fault(0, f"--{name} is {text!r}.", f"Write --{name} NAME=VALUE.")
                continue
            found[key] = self._findings.read(Given(f"--{name} {key}", value), parse, None)
        return found

    def require_none_wrong(self) -> None:
        """Stop if any of them was wrong.

        Raises
        ------
        ConfigurationError
        """
        if self._findings.faults:
            raise ConfigurationError("the command line", self._findings.faults)


def question_of(options: argparse.Namespace, command: str) -> Question:
    """Ask what the options say.

    Raises
    ------
    UsageError
        If they contradict each other, or neither a configuration nor columns are named.
    """
    declared = [name for name in ("qi", "sensitive", "hierarchy", "kind", "weight") if getattr(options, name, None)]
    if options.config is not None:
        if declared:
            raise UsageError(f"--config says everything itself, so --{declared[0]} has no place beside it.")
        return _configured(options, command)
    if not options.qi:
        raise UsageError(
            f"Nothing names the quasi-identifiers. Write toolbox {command} .. -config FILE, or --qi age,zip,sex."
        )
    return _named(options, command)


def _configured(options: argparse.Namespace, command: str) -> Question:
    from toolbox.config.reader import read_config
    from toolbox.methods.registry import method_facts
    from toolbox.privacy.requirements import model_facts

    given: dict[str, Any] = {name: getattr(options, name, None) for name in _MACHINE}
    overrides = Overrides(**given)
    path = Path(options.config)
    config = read_config(path, overrides=overrides, methods=method_facts(), models=model_facts(), is_run=False)
    more = _models(Options(options), [str(one.column) for one in config.sensitive]) if command == "check" else []
    return of_config(config, more)


def _named(options: argparse.Namespace, command: str) -> Question:
    read = Options(options)
    hierarchies = read.pairs("hierarchy", partial(values.path, folder=Path()))
    kinds = read.pairs("kind", values.kind)
    weights = read.pairs("weight", values.positive_real)
    separator, encoding = read.read("separator", values.separator), read.read("encoding", values.encoding)
    decimal, thousands = read.read("decimal", values.decimal), read.read("thousands", values.thousands)
    limits = Limits(
        memory=read.read("memory_limit", values.memory),
        threads=read.read("threads", partial(values.integer, minimum=1, maximum=512)),
        temp_dir=read.read("temp_dir", partial(values.path, folder=Path())),
    )
    sensitive = read.names("sensitive")
    models = _models(read, sensitive) if command == "check" else []
    read.require_none_wrong()
    return by_names(
        f"toolbox {command}",
        quasi_identifiers=read.names("qi"),
        sensitive=sensitive,
        hierarchies=hierarchies,
        kinds=kinds,
        weights=weights,
        models=models,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        limits=limits,
    )


def _models(read: Options, sensitive: Sequence[str]) -> list[PrivacyModel]:
    """Make the models that -k, -l, -c and -t ask for: one of each for every sensitive column."""
    k = read.read("k", values.whole)
    diversity, c, t = (read.read(name, values.real) for name in "lct")
    read.require_none_wrong()
    asked = [name for name, value in (("-l", diversity), ("-c", c), ("-t", t)) if value is not None]
    if asked and not sensitive:
        raise UsageError(f"{asked[0]} protects a sensitive column, and none is named. Write --sensitive NAME.")
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
    return models
