"""Reading a plan: what its words mean, with every fault of them at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, cast, get_args

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.errors import ConfigurationError, UsageError
from toolbox.experiments.learners import require_learner
from toolbox.experiments.metrics_named import metrics_of
from toolbox.experiments.plan import DataSet, Learning, Plan, TestOn, Wish
from toolbox.experiments.plan_file import WrittenPlan
from toolbox.experiments.sections import Section, is_number
from toolbox.experiments.wishes import check_model_words
from toolbox.flows.methods_compared import compared_methods
from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.words import attributes_of, builder_of, words_of
from toolbox.risks.risk import DEFAULT_THRESHOLD

USUAL_METRICS = ("normalised certainty penalty", "discernibility", "normalised conditional entropy")
"""What is measured where a plan names no metrics."""
_MOST_CELLS = 100_000
_LISTS = ("quasi_identifiers", "sensitive", "identifiers")
_TABLES = ("kinds", "weights", "priorities")
_FEWER = "Write fewer values, methods or repetitions, or several plans."
_EXAMPLE = """[[data]]
table = "people.csv"
quasi_identifiers = ["age", "zip"]"""
_XML_EXAMPLE = "<data table='people.csv'><qid><att name='age'/><att name='zip'/></qid></data>"


def read_plan(source: str | Path | Mapping[str, Any]) -> Plan:
    """Read a plan; paths in it are relative to its file, or to the working directory if it is a mapping.

    Raises
    ------
    ConfigurationError
        With all that is wrong.
    UsageError
        If there is no such file.
    """
    written = WrittenPlan.of(source)
    top = written.top()
    plan = _plan(top, written.name)
    top.require_no_more()
    _require_sense(top, plan, has_faults=bool(written.findings.faults))
    written.require_no_fault()
    return plan


def _plan(top: Section, name: str) -> Plan:
    methods = _each(top, "methods", lambda named: compared_methods([named]))
    return Plan(
        name=top.text("name") or name,
        methods=methods or tuple(method.called for method in compared_methods([])),
        wishes=_wishes(top),
        metrics=_each(top, "metrics", lambda named: metrics_of([named])) or USUAL_METRICS,
        repetitions=top.number("repetitions", 1, least=1),
        seed=top.number("seed", 0, least=0),
        threshold=top.number("threshold", DEFAULT_THRESHOLD, least=1e-9, whole=False, most=1),
        suppression_threshold=_suppression(top),
        learning=_learning(top.table("classification")),
        data=tuple(map(_data_set, top.tables("data"))),
    )


def _suppression(top: Section) -> int | str | None:
    word = "suppression_threshold"
    text = top.text(word) if top.is_text(word) else None
    if text is None:
        number: int | None = top.number(word, None, least=0)
        return number
    try:
        values.threshold(text)
    except BadValueError as error:
        top.wrong(word, text, error.args[1])
    return text


def _each(section: Section, name: str, check: Callable[[str], object]) -> tuple[str, ...]:
    """Read a list of names, each of which somebody checks."""
    places = section.places(name)
    for each, place in places.items():
        try:
            check(each)
        except UsageError as error:
            section.fault(f"{section.notation.called(name)}: {error}", "", name, place)
    return tuple(places)


def _wishes(top: Section) -> tuple[Wish, ...]:
    parameters = top.table("parameters")
    models = tuple(Wish(models=each) for each in top.lists("models", check_model_words))
    if parameters is None:
        return models or (Wish(),)
    listed = (
        parameters.numbers("k", least=1, whole=True),
        parameters.numbers("l", least=1, whole=False),
        parameters.numbers("t", least=0, whole=False),
    )
    parameters.require_no_more()
    if models:
        beside = top.notation.either(
            "models cannot be combined with [parameters].", "<privacy> cannot be combined with <parameters>."
        )
        top.fault(beside, "Write k, l and t into the models, or leave one of the two out.", "models")
    count = math.prod(len(value) or 1 for value in listed)
    if count > _MOST_CELLS:
        parameters.fault(f"these are {count:,} requirements, and a study has at most {_MOST_CELLS:,} cells.", _FEWER)
        return (Wish(),)
    return tuple(Wish(*each) for each in product(*(value or (None,) for value in listed)))


def _learning(section: Section | None) -> Learning | None:
    if section is None:
        return None
    learners = _each(section, "learners", require_learner)
    if not learners:
        example = section.notation.either(
            'learners = ["logistic regression", "random forest"]', "<learner name='logistic regression'/>"
        )
        section.fault("it names no learner.", f"Write {example}, say.")
    learning = Learning(
        learners=learners,
        splits=section.number("splits", 5, least=2, most=1000),
        test_share=section.number("test_share", 0.1, least=0.01, whole=False, most=0.9),
        test_on=cast("TestOn", section.word("test_on", "released", get_args(TestOn))),
    )
    section.require_no_more()
    return learning


def _data_set(section: Section) -> DataSet:
    columns: dict[str, Any] = {name: section.columns(name) for name in _LISTS}
    columns.update({name: section.mapping(name) for name in _TABLES})
    _check_columns(section, columns)
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
        separator=section.text("separator", may_be_blank=True),
        encoding=section.text("encoding"),
        label=section.text("label"),
        features=section.columns("features"),
        methods=_each(section, "methods", lambda named: compared_methods([named])),
        expanded=tuple(section.expanded.items()),
    )
    section.require_no_more()
    _require_description(section, data)
    return data


def _require_description(section: Section, data: DataSet) -> None:
    """Note where a data set lacks what says how to read it, or has it twice."""
    either, called = section.notation.either, section.notation.called
    if data.configuration is not None:
        once = ("separator", "encoding", "on_missing")
        for said in (*data.columns, *(word for word in once if getattr(data, word))):
            found = f"{called(said)} cannot be combined with a configuration, which says it."
            section.fault(found, "Leave one of the two out.", said)
    elif data.table is None:
        remedy = either('table = "FILE", or configuration = "FILE.xml"', "table='FILE', or configuration='FILE.xml'")
        section.fault("it names no records.", f"Write {remedy}.")
    elif not data.columns.get("quasi_identifiers"):
        found = either("quasi_identifiers names no column.", "it has no <qid>.")
        section.fault(found, "Name the columns that an attacker may know.")


def _check_columns(section: Section, columns: Mapping[str, Any]) -> None:
    """Note what is said of columns and is no kind, no weight or no rank."""
    for name, kind in columns["kinds"].items():
        try:
            values.kind(str(kind))
        except BadValueError as error:
            section.wrong(f"kinds.{name}", kind, error.args[1])
    for name, value in columns["priorities"].items():
        section.is_within(f"priorities.{name}", value, 1)
    for name, value in columns["weights"].items():
        if not (is_number(value) and 0 < value < math.inf):
            section.wrong(f"weights.{name}", value, "Write a number above 0.")


def _hierarchy(section: Section, column: str, value: object) -> Any:
    """Return a hierarchy as `toolbox.open` takes it: rows, a builder as it is written, or a file with its folder."""
    word = f"hierarchies.{column}"
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(row, (list, tuple, str)) for row in value):
        return value
    if not isinstance(value, str):
        section.wrong(word, value, 'Write a file, a builder such as "intervals:5,10", or rows.')
        return ()
    try:
        attributes = attributes_of(value)
        if attributes is None:
            # Periods of dates are several words.
            return value if "," in value else str(section.resolved(word, value))
        if "file" in attributes:
            attributes["file"] = str(section.resolved(word, attributes["file"]))
        builder_of(attributes)
        return words_of(attributes)
    except (BuilderError, ConfigurationError) as error:
        for said in _said_by(error):
            section.fault(f"{section.notation.called(word)}: {said}", "", "hierarchies", column)
        return value


def _said_by(error: BuilderError | ConfigurationError) -> Iterator[str]:
    """Yield what is wrong with the settings of a builder, and with the file that it reads."""
    if isinstance(error, BuilderError):
        yield from (f"{found} {remedy}".strip() for found, remedy in error.wrong)
    file = error.file if isinstance(error, BuilderError) else error
    if file is not None:
        yield from (str(replace(fault, file=fault.file or str(file.args[0]))) for fault in file.faults)


def _require_sense(top: Section, plan: Plan, *, has_faults: bool) -> None:
    """Note what is wrong with the plan as a whole."""
    either = top.notation.either
    if not plan.data and not has_faults:
        top.fault("it names no data set.", f"Write:\n{either(_EXAMPLE, _XML_EXAMPLE)}")
    if plan.cells > _MOST_CELLS:
        top.fault(f"it has {plan.cells:,} cells, and a study has at most {_MOST_CELLS:,}.", _FEWER)
    names = [data.name for data in plan.data]
    for place, name in enumerate(names):
        if name in names[:place] and name not in names[place + 1 :]:
            remedy = either('name = ".." below each [[data]]', "name='..' in each <data>")
            top.fault(f"two data sets are called {name!r}.", f"Write {remedy}.", "data", place)
    if plan.learning is None:
        return
    for place, data in enumerate(plan.data):
        if data.label is None:
            example = either('label = "COLUMN"', "label='COLUMN'")
            remedy = f"Write {example}, which learners predict."
            top.fault(f"the data set {data.name!r} names no label.", remedy, "data", place)
        elif data.label in data.features:
            found = f"the data set {data.name!r} has its label among its features."
            top.fault(found, "Leave it out there.", "data", place, "features")
