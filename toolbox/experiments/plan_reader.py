"""Reading a plan: what its words mean, with every fault of them at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any, cast, get_args

from toolbox.config import values
from toolbox.config.given import BadValueError, Findings
from toolbox.errors import SettingError, ToolboxError
from toolbox.experiments.data_set_reader import data_set_of, said_by
from toolbox.experiments.learners import require_learner
from toolbox.experiments.methods_named import require_method
from toolbox.experiments.metrics_named import metrics_of
from toolbox.experiments.plan import Learning, Plan, TestOn, Wish
from toolbox.experiments.plan_file import WrittenPlan
from toolbox.experiments.sections import Section
from toolbox.experiments.table_columns import check_columns, require_files
from toolbox.experiments.wishes import check_model_words
from toolbox.extensions import installed_names_only
from toolbox.flows.methods_compared import compared_methods
from toolbox.messages import either
from toolbox.risks.risk import DEFAULT_THRESHOLD

USUAL_METRICS = ("normalised certainty penalty", "discernibility", "normalised conditional entropy")
"""What is measured where a plan names no metrics."""
_MOST_CELLS = 100_000
_FEWER = "Write fewer values, methods or repetitions, or several plans."
_ALLOWING = "Write an installed name. If you trust the plan and the module, give --allow-code."
_ALLOWING_IN_PYTHON = "Write an installed name. If you trust the plan and the module, write allow_code=True."
_EXAMPLE = """[[data]]
table = "people.csv"
quasi_identifiers = ["age", "zip"]"""
_XML_EXAMPLE = "<data table='people.csv'><qid><att name='age'/><att name='zip'/></qid></data>"


def read_plan(source: str | Path | Mapping[str, Any], *, looks: bool = True, allow_code: bool = False) -> Plan:
    """Read a plan; paths in it are relative to its file, or to the working directory if it is a mapping.

    Parameters
    ----------
    looks : bool
        Whether the columns that it names are looked for in its tables, which are not there yet if they are in memory.
    allow_code : bool
        Whether a file may name ``module:Class``, which is imported. A mapping may: it is the caller's own.

    Raises
    ------
    ConfigurationError
        With all that is wrong.
    UsageError
        If there is no such file.
    """
    written = WrittenPlan.of(source)
    top = written.top()
    is_trusted = allow_code or isinstance(source, Mapping)
    with nullcontext() if is_trusted else installed_names_only(either(_ALLOWING, python=_ALLOWING_IN_PYTHON)):
        plan = _plan(top, written.name)
    top.require_no_more()
    _require_sense(top, plan, has_faults=bool(written.findings.faults))
    if looks:
        _look_at_tables(top, plan, written.findings)
    written.require_no_fault()
    return plan


def _plan(top: Section, name: str) -> Plan:
    methods = top.checked("methods", require_method)
    return Plan(
        name=top.text("name") or name,
        methods=methods or tuple(method.called for method in compared_methods([])),
        wishes=_wishes(top),
        metrics=top.checked("metrics", lambda named: metrics_of([named])) or USUAL_METRICS,
        repetitions=top.number("repetitions", 1, least=1),
        seed=top.number("seed", 0, least=0),
        threshold=top.number("threshold", DEFAULT_THRESHOLD, least=1e-9, whole=False, most=1),
        suppression_threshold=_suppression(top),
        learning=_learning(top.table("classification")),
        data=tuple(data_set_of(section) for section in top.tables("data")),
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
    learners = section.checked("learners", require_learner)
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


def _require_sense(top: Section, plan: Plan, *, has_faults: bool) -> None:
    """Note what is wrong with the plan as a whole."""
    either = top.notation.either
    if not plan.data and not has_faults:
        top.fault("it names no data set.", f"Write:\n{either(_EXAMPLE, _XML_EXAMPLE)}")
    if plan.cells > _MOST_CELLS:
        top.fault(f"it has {plan.cells:,} cells, and a study has at most {_MOST_CELLS:,}.", _FEWER)
    last = {data.name: place for place, data in enumerate(plan.data)}
    for name, count in Counter(data.name for data in plan.data).items():
        if count > 1:
            remedy = either('name = ".." below each [[data]]', "name='..' in each <data>")
            top.fault(f"two data sets are called {name!r}.", f"Write {remedy}.", "data", last[name])
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


def _look_at_tables(top: Section, plan: Plan, findings: Findings) -> None:
    """Note the columns that the tables do not have; and tables that cannot be read, where anything else is wrong."""
    for section, data in zip(top.tables("data") if plan.data else (), plan.data, strict=True):
        check_columns(section, data)
    if not findings.faults:
        # Whoever reads them stops, with a status of its own.
        return
    for place, data in enumerate(plan.data):
        try:
            require_files(data)
        except SettingError:
            # An encoding, of which its own word tells.
            continue
        except ToolboxError as error:
            for said in said_by(error):
                top.fault(f"the data set {data.name!r}: {data.as_written(said)}", "", "data", place)
