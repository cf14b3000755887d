"""Reading a plan: what its words mean, with every fault of them at once, and the columns that it names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, cast, get_args

from toolbox.config import values
from toolbox.config.file_names import has_types, is_table_with_names, list_input_files
from toolbox.config.model import Config, Input, Limits
from toolbox.errors import BadValueError, Findings, SettingError, ToolboxError, did_you_mean, quote
from toolbox.experiments.cells.data_set import load_configuration
from toolbox.experiments.cells.learning import require_learner
from toolbox.experiments.plan.data_sets import list_faults, read_data_set, require_method
from toolbox.experiments.plan.plan import DataSet, Learning, Plan, TestOn, Wish, load_metrics, name_of
from toolbox.experiments.plan.plan_file import Section, WrittenPlan
from toolbox.extensions import refuse_references
from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.explore.compare import find_compared_methods
from toolbox.messages import choose_setting_name
from toolbox.privacy.registry import make_models, parse_requirement
from toolbox.risks.risk import DEFAULT_THRESHOLD
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.formats.first_bytes import require_regular
from toolbox.store.input.text_file import check_readable, guess_input

# The columns that a plan names, looked for in the headers of its tables before anything runs.

_LISTS = ("quasi_identifiers", "sensitive", "identifiers", "person", "features")
_PARQUET = b"PAR1"


def check_columns(section: Section, data: DataSet) -> None:
    """Note the columns that the table of a data set does not have; nothing of a table that cannot be read.

    Parameters
    ----------
    section : Section
        Of the data set.
    """
    named = list(_list_named_columns(section, data))
    known = dict.fromkeys(_read_header(data, [name for word, name, _ in named if word in _LISTS[:2]]))
    if not known:
        return
    # Of text only the first line is a header, if it is one.
    is_header = any(name in known for _, name, _ in named) or (data.table is not None and has_types(data.table))
    unsure = "None of the names is in its first line: is that a header?"
    remedy = "Write it as the header has it." if is_header else unsure
    for word, name, place in named:
        if name not in known:
            found = f"{section.notation.called(word)} names {quote(name)}, which is no column of the table."
            section.fault(found, f"{remedy}{did_you_mean(name, list(known))}", word, *place)


def require_files(data: DataSet) -> None:
    """Stop where a table or the configuration of a data set cannot be found."""
    # What the environment does not say is a fault already.
    if any("$" in str(path) for path in (data.configuration, data.table)):
        return
    reading = _find_input(data)
    if reading is None or reading.remote is not None:
        return
    for file in list_input_files(reading):
        check_readable(file)


def _list_named_columns(section: Section, data: DataSet) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield each column that is named, with the word that names it and its place there."""
    for word, names in (*data.columns.items(), ("features", data.features)):
        if word in _LISTS:
            places = section.list_first_places(word)
            yield from ((word, name, (places[name],)) for name in names)
    if data.label is not None:
        yield "label", data.label, ()
    try:
        config = load_configuration(data)
    except ToolboxError:
        config = None
    if config is not None:
        yield from (("configuration", name, ()) for name in _list_declared_columns(config))


def _list_declared_columns(config: Config) -> list[str]:
    """Return the columns that a configuration names; others it knows by their positions."""
    columns = [*config.identifiers, *(each.column for each in (*config.quasi_identifiers, *config.sensitive))]
    return [column.name for column in columns if column.index is None and column.name is not None]


def _read_header(data: DataSet, wanted: Sequence[str]) -> Sequence[str]:
    """Return the header of a table; nothing if it has none, is one of a database, or cannot be read."""
    try:
        reading = _find_input(data)
        if reading is None or reading.remote is not None or not is_table_with_names(reading):
            return ()
        if _is_parquet_by_another_name(list_input_files(reading)[0]):
            return ()
        known = guess_input(reading, sorted(wanted)) if reading.guesses_separator else reading
        with Store(None, Limits()) as store:
            return InputFiles(known).source(store).headers or ()
    except (ToolboxError, OSError, ValueError):
        return ()


def _is_parquet_by_another_name(path: Path) -> bool:
    require_regular(path)
    if has_types(path):
        return False
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def _find_input(data: DataSet) -> Input | None:
    config = load_configuration(data)
    if config is not None:
        return config.input
    return None if data.table is None else replace(make_text_input(data.separator, data.encoding), path=data.table)


# Reading a plan: what its words mean, with every fault of them at once.

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
    with nullcontext() if is_trusted else refuse_references(choose_setting_name(_ALLOWING, python=_ALLOWING_IN_PYTHON)):
        plan = _read_plan(top, written.name)
    top.require_no_more()
    _require_sense(top, plan, has_faults=bool(written.findings.faults))
    if looks:
        _look_at_tables(top, plan, written.findings)
    written.require_no_fault()
    return plan


def _read_plan(top: Section, name: str) -> Plan:
    methods = top.checked("methods", require_method)
    return Plan(
        name=top.text("name") or name,
        methods=methods or tuple(method.called for method in find_compared_methods([])),
        wishes=_read_wishes(top),
        metrics=_drop_repeated(top.checked("metrics", lambda named: load_metrics([named]))) or USUAL_METRICS,
        repetitions=top.number("repetitions", 1, least=1),
        seed=top.number("seed", 0, least=0),
        threshold=top.number("threshold", DEFAULT_THRESHOLD, least=1e-9, whole=False, most=1),
        suppression_threshold=_read_suppression(top),
        learning=_read_learning(top.table("classification")),
        data=tuple(read_data_set(section) for section in top.tables("data")),
    )


def _drop_repeated(metrics: Sequence[str]) -> tuple[str, ...]:
    """Return metrics without those that are named again, perhaps by their first letters."""
    first: dict[str, str] = {}
    for metric in metrics:
        first.setdefault(name_of(metric), metric)
    return tuple(first.values())


def _read_suppression(top: Section) -> int | str | None:
    word = "suppression_threshold"
    text = top.text(word) if top.is_text(word) else None
    if text is None:
        number: int | None = top.number(word, None, least=0)
        return number
    try:
        values.parse_threshold(text)
    except BadValueError as error:
        top.wrong(word, text, error.args[1])
    return text


def _read_wishes(top: Section) -> tuple[Wish, ...]:
    parameters = top.table("parameters")
    models = tuple(dict.fromkeys(Wish(models=each) for each in top.lists("models", _check_model_words)))
    if parameters is None:
        return models or (Wish(),)
    listed = (
        parameters.numbers("k", least=1, whole=True),
        parameters.numbers("l", least=1, whole=False),
        parameters.numbers("t", least=0, whole=False),
    )
    parameters.require_no_more()
    if models:
        beside = top.notation.choose_wording(
            "models cannot be combined with [parameters].", "<privacy> cannot be combined with <parameters>."
        )
        top.fault(beside, "Write k, l and t into the models, or leave one of the two out.", "models")
    count = math.prod(len(value) or 1 for value in listed)
    if count > _MOST_CELLS:
        parameters.fault(f"these are {count:,} requirements, and a study has at most {_MOST_CELLS:,} cells.", _FEWER)
        return (Wish(),)
    return tuple(Wish(*each) for each in product(*(value or (None,) for value in listed)))


def _read_learning(section: Section | None) -> Learning | None:
    if section is None:
        return None
    learners = section.checked("learners", require_learner)
    if not learners:
        example = section.notation.choose_wording(
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
    either = top.notation.choose_wording
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
            for said in list_faults(error):
                top.fault(f"the data set {data.name!r}: {data.as_written(said)}", "", "data", place)


def _check_model_words(text: str) -> None:
    """Stop where a text is no model with its parameters."""
    try:
        make_models([parse_requirement(text)])
    except SettingError as error:
        raise BadValueError("is out of range", str(error)) from None
