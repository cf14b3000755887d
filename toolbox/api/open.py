"""The public call `open`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from toolbox.config.model import Config, Limits, OnMissing
from toolbox.flows.columns import ColumnArguments
from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.session import Session
from toolbox.flows.text_input import Reading
from toolbox.steps import Watcher

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from toolbox.api.anonymize import Hierarchy


def open(  # noqa: A001 - as toolbox.open
    source: str | Path | Config | pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    kinds: Mapping[str, str] = MappingProxyType({}),
    priorities: Mapping[str, int] = MappingProxyType({}),
    weights: Mapping[str, float] = MappingProxyType({}),
    levels: Mapping[str, tuple[int | None, int | None]] = MappingProxyType({}),
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    on_missing: OnMissing | None = None,
    limits: Limits | str | None = None,
    population: str | Path | pd.DataFrame | pl.DataFrame | pa.Table | None = None,
    records: bool = False,
    watcher: Watcher | None = None,
) -> Session:
    """Read a table once, to try out methods, models, quasi-identifiers and hierarchies on it.

    Only the combinations of the named columns are kept, if nothing else is said, in a store that is gone when the
    session is closed. Nothing is released from it: `toolbox.anonymize` makes the release of a variant anew, and proves
    it on the records.

    Parameters
    ----------
    source : path, Config, or a table
        As in `toolbox.anonymize`. A configuration says all the rest, and what each run does by default.
    quasi_identifiers : sequence of str, length >= 1
        The candidates: all columns that a run may take for quasi-identifiers.
    sensitive, identifiers, hierarchies, kinds, priorities, weights, levels, table, on_missing, limits, population
        As in `toolbox.anonymize`; the sensitive attributes are those of every run.
    separator, header, encoding, decimal, thousands, missing : optional
        How a file of text is read, as in `toolbox.check`; without a header columns are named by their positions,
        ``"0"``. A missing value is ``?`` or an empty text if nothing is said.
    records : bool
        Whether to keep, too, which record has which combination, so that `Session.page` can show them. That takes a
        second reading, and 8 bytes for each record.
    watcher : Watcher, optional
        Is told how far the reading is.

    Returns
    -------
    Session
        ``.run(..)``, ``.at_risk(..)``, ``.columns()``, ``.close()``; a context manager.

    Raises
    ------
    UsageError
        If the arguments or the configuration are wrong.
    InputError
        If the table cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz"] + 3 * ["Wien"]})
    >>> with toolbox.open(people, quasi_identifiers=["age", "town"]) as session:
    ...     both = session.run(k=3, metrics=["precision"])
    ...     town = session.run(k=2, method="LocalRecoding", quasi_identifiers=["town"])
    >>> both.summary.proof.classes, town.summary.proof.classes
    (2, 2)
    """
    declared = (quasi_identifiers, sensitive, identifiers, hierarchies, kinds, priorities, weights, levels)
    columns = ColumnArguments(*declared)
    arguments = AnonymizeArguments.of_nothing(
        columns, "open", on_missing=on_missing, limits=limits, population=population
    )
    reading = Reading(separator, header, encoding, decimal, thousands, missing, table)
    return Session.of(source, arguments, watcher, reading, with_records=records)
