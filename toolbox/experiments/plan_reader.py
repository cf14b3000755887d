"""Reading a plan: a TOML file or the same words as a mapping, with every fault of it at once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from datetime import date, time
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, cast, get_args

from toolbox.config.given import Findings
from toolbox.errors import ConfigurationError, Fault, UsageError
from toolbox.experiments.learners import require_learner
from toolbox.experiments.metrics_named import metrics_of
from toolbox.experiments.plan import DataSet, Learning, Plan, TestOn, Wish
from toolbox.experiments.sections import Section
from toolbox.experiments.wishes import check_model_words
from toolbox.flows.methods_compared import compared_methods
from toolbox.hierarchy.builders.words import attributes_of
from toolbox.risks.risk import DEFAULT_THRESHOLD

USUAL_METRICS = ("normalised certainty penalty", "discernibility", "normalised conditional entropy")
"""What is measured where a plan names no metrics."""
_MOST_CELLS = 100_000
_MOST_BYTES = 10_000_000
_LISTS = ("quasi_identifiers", "sensitive", "identifiers")
_TABLES = ("kinds", "weights", "priorities")
_FEWER = "Write fewer values, methods or repetitions, or several plans."
_NO_HIERARCHY = (int, float, bytes, date, time, type(None))
_EXAMPLE = """[[data]]
table = "people.csv"
quasi_identifiers = ["age", "zip"]"""


def read_plan(source: str | Path | Mapping[str, Any]) -> Plan:
    """Read a plan; paths in it are relative to its file, or to the working directory if it is a mapping.

    Raises
    ------
    ConfigurationError
        With all that is wrong.
    UsageError
        If there is no such file.
    """
    if isinstance(source, Mapping):
        _require_text(source)
        return _plan("the plan", "study", source, Path())
    if not isinstance(source, (str, Path)):
        raise UsageError(
            f"A plan is no {type(source).__name__}. Give the path of a TOML file, or its words as a mapping."
        )
    path = Path(source)
    return _plan(str(path), path.stem, _toml(path), path.parent)


def _require_text(words: Mapping[str, Any]) -> None:
    """Stop where words could not stand in a file, so that results could not either."""
    try:
        json.dumps(dict(words), default=str, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"The plan cannot be written as text ({error}). Its words are those of a TOML file.") from None


def _toml(path: Path) -> dict[str, Any]:
    if path.suffix.lower() == ".xml":
        remedy = f'name it in a plan, below [[data]]: configuration = "{path.name}"'
        raise UsageError(f"{path} is a configuration, which describes one data set. Write a plan (TOML), and {remedy}.")
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UsageError(
                f"The plan {str(path)!r} has more than {_MOST_BYTES:,} bytes. Write the name of a TOML file."
            )
        return tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(
            f"The plan {str(path)!r} cannot be read ({error.strerror}). Write the name of a TOML file."
        ) from None
    except RecursionError:
        fault = Fault(
            0, "its lists lie too deep within each other.", "A plan has lines such as k = [2, 5] and [[data]]."
        )
        raise ConfigurationError(str(path), [fault]) from None
    except UnicodeDecodeError:
        raise UsageError(f"The plan {str(path)!r} is no text in UTF-8. A plan is a TOML file.") from None
    except tomllib.TOMLDecodeError as error:
        fault = Fault(0, f"it is no TOML: {error}.", "A plan has lines such as k = [2, 5] and [[data]].")
        raise ConfigurationError(str(path), [fault]) from None
    except ValueError as error:
        raise UsageError(f"The plan {str(path)!r} cannot be read ({error}). Write the name of a TOML file.") from None


def _plan(source: str, name: str, words: Mapping[str, Any], folder: Path) -> Plan:
    findings = Findings()
    top = Section("", words, findings, folder)
    methods = _each(top, "methods", lambda named: compared_methods([named]))
    suppression = words.get("suppression_threshold")
    plan = Plan(
        name=top.text("name") or name,
        methods=methods or tuple(method.called for method in compared_methods([])),
        wishes=_wishes(top),
        metrics=_each(top, "metrics", lambda named: metrics_of([named])) or USUAL_METRICS,
        repetitions=top.number("repetitions", 1, least=1),
        seed=top.number("seed", 0, least=0),
        threshold=top.number("threshold", DEFAULT_THRESHOLD, least=1e-9, whole=False, most=1),
        suppression_threshold=top.text("suppression_threshold")
        if isinstance(suppression, str)
        else top.number("suppression_threshold", None, least=0),
        learning=_learning(top.table("classification")),
        data=tuple(map(_data_set, top.tables("data"))),
    )
    top.require_no_more()
    _require_sense(top, plan, findings)
    if findings.faults:
        raise ConfigurationError(source, findings.faults)
    return plan


def _each(section: Section, name: str, check: Callable[[str], object]) -> tuple[str, ...]:
    """Read a list of names, each of which somebody checks."""
    named = section.texts(name)
    for each in named:
        try:
            check(each)
        except UsageError as error:
            section.fault(f"{name}: {error}", "")
    return named


def _wishes(top: Section) -> tuple[Wish, ...]:
    parameters = top.table("parameters")
    models = tuple(Wish(models=each) for each in top.lists("models", check_model_words))
    if parameters is None:
        return models or (Wish(),)
    values = (
        parameters.numbers("k", least=1, whole=True),
        parameters.numbers("l", least=1, whole=False),
        parameters.numbers("t", least=0, whole=False),
    )
    parameters.require_no_more()
    if models:
        top.fault(
            "models cannot be combined with [parameters].",
            "Write k, l and t into the models, or leave one of the two out.",
        )
    count = prod(len(value) or 1 for value in values)
    if count > _MOST_CELLS:
        parameters.fault(f"these are {count:,} requirements, and a study has at most {_MOST_CELLS:,} cells.", _FEWER)
        return (Wish(),)
    return tuple(Wish(*each) for each in product(*(value or (None,) for value in values)))


def _learning(section: Section | None) -> Learning | None:
    if section is None:
        return None
    learners = _each(section, "learners", require_learner)
    if not learners:
        section.fault("learners names none.", 'Write learners = ["logistic regression", "random forest"], say.')
    learning = Learning(
        learners=learners,
        splits=section.number("splits", 5, least=2, most=1000),
        test_share=section.number("test_share", 0.1, least=0.01, whole=False, most=0.9),
        test_on=cast("TestOn", section.word("test_on", "released", get_args(TestOn))),
    )
    section.require_no_more()
    return learning


def _data_set(section: Section) -> DataSet:
    columns: dict[str, Any] = {name: section.texts(name) for name in _LISTS}
    columns.update({name: section.mapping(name) for name in _TABLES})
    columns["hierarchies"] = {
        name: _hierarchy(section, name, value) for name, value in section.mapping("hierarchies").items()
    }
    named = {word: section.text(word) for word in ("configuration", "table")}
    configuration, table = (None if text is None else section.resolved(word, text) for word, text in named.items())
    data = DataSet(
        # Not as the environment has it, which names of data sets do not show.
        name=section.text("name") or Path(named["configuration"] or named["table"] or "data").stem,
        configuration=configuration,
        table=table,
        columns={name: value for name, value in columns.items() if value},
        on_missing=section.text("on_missing"),
        separator=section.text("separator"),
        encoding=section.text("encoding"),
        label=section.text("label"),
        features=section.texts("features"),
        methods=_each(section, "methods", lambda named: compared_methods([named])),
        expanded=tuple(section.expanded.items()),
    )
    section.require_no_more()
    if configuration is None and table is None:
        section.fault("it names no records.", 'Write table = "FILE", or configuration = "FILE.xml".')
    elif configuration is None and not columns["quasi_identifiers"]:
        section.fault("quasi_identifiers names no column.", "Name the columns that an attacker may know.")
    elif configuration is not None:
        for said in (*data.columns, *(word for word in ("separator", "encoding", "on_missing") if getattr(data, word))):
            section.fault(
                f"{said} cannot be combined with a configuration, which says the same.", "Leave one of the two out."
            )
    return data


def _hierarchy(section: Section, column: str, value: object) -> Any:
    """Return a hierarchy as `toolbox.open` takes it: rows, a builder as it is written, or a file with its folder."""
    rows = value if isinstance(value, (list, tuple)) else ()
    if isinstance(value, _NO_HIERARCHY) or not all(isinstance(row, (list, tuple, str)) for row in rows):
        section.wrong(f"hierarchies.{column}", value, 'Write a file, a builder such as "intervals:5,10", or rows.')
        return ()
    if not isinstance(value, str):
        return value
    is_builder = attributes_of(value) is not None or "," in value
    return value if is_builder else str(section.resolved(f"hierarchies.{column}", value))


def _require_sense(top: Section, plan: Plan, findings: Findings) -> None:
    """Note faults of the plan as a whole."""
    if not plan.data and not findings.faults:
        top.fault("it names no data set.", f"Write:\n{_EXAMPLE}")
    if plan.cells > _MOST_CELLS:
        top.fault(f"it has {plan.cells:,} cells, and a study has at most {_MOST_CELLS:,}.", _FEWER)
    names = [data.name for data in plan.data]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        top.fault(f"two data sets are called {name!r}.", 'Write name = ".." below each [[data]].')
    if plan.learning is not None:
        for data in plan.data:
            if data.label is None:
                top.fault(
                    f"the data set {data.name!r} names no label.", 'Write label = "COLUMN", which learners predict.'
                )
            elif data.label in data.features:
                top.fault(f"the data set {data.name!r} has its label among its features.", "Leave it out there.")
