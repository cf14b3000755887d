"""The public call `detect`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolbox.config.model import Config, Limits
from toolbox.flows.arguments import listed
from toolbox.flows.callers_tables import table_or_path
from toolbox.flows.detect import DEFAULT_MOST_COLUMNS, Wanted, detect_columns
from toolbox.flows.text_input import Reading
from toolbox.messages import asked_in_python
from toolbox.report.detect import DetectionReport


def detect(
    data: Any,
    *,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    everything: bool = False,
    max_columns: int = DEFAULT_MOST_COLUMNS,
    missing_is_a_value: bool = False,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> DetectionReport:
    """Find the columns that identify people, before anything is anonymised.

    Identifiers are columns, or combinations of them, whose values differ in all records. Of all other subsets the
    quasi-identifier is elected by its singletons, the records that agree with no other: most singletons, then fewest
    columns. Records that lack a value of one of the columns are left out of the election, but not where identifiers are
    looked for: there a missing value is a value.

    Parameters
    ----------
    data : path, pandas.DataFrame or pyarrow.Table
    columns : sequence of str
        Those that an attacker could know; by default all that do not clearly identify.
    exclude : sequence of str
        Columns to leave out.
    everything : bool
        Whether columns that clearly identify, by their names or values, are looked at though nobody names them.
    max_columns : int, >= 1, default 4
        Columns in the largest subsets to look at.
    missing_is_a_value : bool
        Whether a missing value counts as a value in the election, too; then no record is left out.
    separator : str, optional
        What stands between the values of a text file; by default the first of ``, ; tab |`` that fits its header.
    header : bool, optional
        Whether the first line of a text names the columns; without one they are named by their positions, ``"0"``.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, and between their thousands.
    missing : str, optional
        The text of a missing value in a file of text, besides an empty one.
    encoding : str, default 'utf-8'
        Of a text file, such as ``'latin-1'``.
    table : str, optional
        The sheet or the table to read, where a file holds several.
    config : Config, optional
        Says how the file is read, and which columns are identifiers, which are left out; see `toolbox.load_config`.
    limits : Limits or str, optional

    Returns
    -------
    DetectionReport
        ``.detection`` with ``.identifiers``, ``.best``, ``.subsets`` and ``.columns``; ``.document()``.

    Raises
    ------
    UsageError
        If a column does not exist, or there are too many subsets.
    InputError
        If the table cannot be read, or each of its records lacks a value.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({
    ...     "card": [1, 2, 3, 4, 5],
    ...     "born": [1960, 1960, 1971, 1971, 1971],
    ...     "sex": ["f", "m", "f", "f", "m"],
    ... })
    >>> found = detect(people).detection
    >>> found.identifiers
    (('card',),)
    >>> found.best[0].columns, found.best[0].singletons
    (('born', 'sex'), 3)
    """
    with asked_in_python():
        wanted = Wanted(listed("columns", columns, "of columns"), listed("exclude", exclude, "of columns"), everything)
        return detect_columns(
            table_or_path(data),
            wanted,
            max_columns=max_columns,
            missing_is_a_value=missing_is_a_value,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
            config=config,
            limits=limits,
        )
