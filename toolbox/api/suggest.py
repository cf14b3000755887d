"""The public call `suggest`."""

from __future__ import annotations

from typing import Any

from toolbox.config.model import Limits
from toolbox.flows.callers_tables import table_or_path
from toolbox.flows.suggest import suggest_roles
from toolbox.flows.text_input import Reading
from toolbox.messages import asked_in_python
from toolbox.report.suggestion import Suggestion


def suggest(
    data: Any,
    *,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    limits: Limits | str | None = None,
) -> Suggestion:
    """Guess what becomes of each column of a table, and write the configuration that does it.

    Names of columns in English, German, French, Italian and Spanish, what the values look like, and how many records
    have a value of their own, say whether a column is an identifier, a quasi-identifier or sensitive. Whatever may
    identify is never released by a guess; where the guess is unsure it says so.

    Parameters
    ----------
    data : path, pandas.DataFrame or pyarrow.Table
    separator : str, optional
        What stands between the values of a text file; by default what cuts its first records into equally many.
    encoding : str, optional
        Of a text file; by default UTF-8 if it can be read so, or else windows-1252.
    table : str, optional
        The sheet or the table to read, where a file holds several.
    header : bool, optional
        Whether the first line of a text file names the columns; by default what it looks like.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, and between their thousands; by default it is
        guessed.
    missing : str, optional
        The text of a missing value in a file of text, besides an empty one.
    limits : Limits or str, optional

    Returns
    -------
    Suggestion
        ``.columns``, ``.to_xml(path)``, ``.arguments`` for `toolbox.anonymize`, ``.document()``.

    Raises
    ------
    InputError
        If the table cannot be read, or has fewer than two records.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({
    ...     "Nachname": ["Gruber", "Huber", "Bauer", "Gruber", "Maier", "Huber"],
    ...     "PLZ": ["8010", "8020", "8010", "4020", "4030", "4020"],
    ...     "Diagnose": ["J45", "I10", "I10", "E11", "J45", "E11"],
    ... })
    >>> {column.name: column.role for column in suggest(people).columns}
    {'Nachname': 'identifier', 'PLZ': 'quasi-identifier', 'Diagnose': 'sensitive'}
    """
    with asked_in_python():
        return suggest_roles(
            table_or_path(data),
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
            limits=limits,
        )
