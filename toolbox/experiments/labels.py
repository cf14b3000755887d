"""The labels and features of a plan, looked for in the headers of its tables before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from toolbox.config.inputs import is_table_with_names
from toolbox.config.model import Input, Limits
from toolbox.errors import ConfigurationError, Fault, ToolboxError, did_you_mean, quote
from toolbox.experiments.data_set import configured
from toolbox.experiments.plan import DataSet, Plan
from toolbox.flows.text_input import text_input
from toolbox.store.inputs import InputFiles
from toolbox.store.separators import guessed_input
from toolbox.store.store import Store


def require_columns(plan: Plan) -> None:
    """Stop where labels or features of data sets are no columns of theirs.

    Raises
    ------
    ConfigurationError
        With all of them.
    """
    faults = [fault for data in plan.data if data.label or data.features for fault in _faults_of(data)]
    if faults:
        raise ConfigurationError(f"the plan {plan.name}", faults)


def _faults_of(data: DataSet) -> Iterator[Fault]:
    known = _header(data)
    # What cannot be read is a row of each cell, which says why.
    if not known:
        return
    wanted = [("label", data.label), *(("features", name) for name in data.features)]
    for word, name in wanted:
        if name is not None and name not in known:
            remedy = f"Write {word} as the header of the table has it.{did_you_mean(name, known)}"
            yield Fault(0, f"{word}: the data set {data.name!r} has no column {quote(name)}.", remedy)


def _header(data: DataSet) -> Sequence[str]:
    """Return the header of a table; nothing if it has none, is one of a database, or cannot be read."""
    try:
        reading = _reading(data)
        if reading is None or reading.remote is not None or not is_table_with_names(reading):
            return ()
        known = guessed_input(reading, ()) if reading.guesses_separator else reading
        with Store(None, Limits()) as store:
            return InputFiles(known).source(store).headers or ()
    except (ToolboxError, OSError, ValueError):
        return ()


def _reading(data: DataSet) -> Input | None:
    config = configured(data)
    if config is not None:
        return config.input
    assert data.table is not None, "the reader of plans has asked for it"
    return replace(text_input(data.separator, data.encoding), path=data.table)
