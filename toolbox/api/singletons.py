"""The public call `singletons`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits
from toolbox.flows.arguments import by_column
from toolbox.flows.asking import TableDescription, question_of_call
from toolbox.flows.callers_tables import table_or_path
from toolbox.flows.singletons import Scopes, compare_variants
from toolbox.flows.text_input import Reading
from toolbox.messages import asked_in_python
from toolbox.report.singletons import SingletonsReport

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def singletons(
    data: str | Path | pd.DataFrame | pa.Table,
    *,
    quasi_identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, Any] = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    k: int | None = None,
    scope: Scopes = "both",
    rules: Mapping[str, Sequence[str]] = _NOTHING,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> SingletonsReport:
    """Compare all ways to generalise the people who stand out, and elect one.

    Who stands out is in a class of fewer than k records; with k = 2 these are the singletons. Each quasi-identifier is
    left as it is or generalised, in all records or only in those that stand out. Elected is what leaves fewest records
    below k, then what modifies fewest. Records that lack a value are left out. Nothing is released: see the method
    ``Singletons`` of `toolbox.anonymize`.

    Parameters
    ----------
    data : path, pandas.DataFrame or pyarrow.Table
    quasi_identifiers : sequence of str, length >= 1
    hierarchies : mapping of column to hierarchy
        A hierarchy file, rows of a value and its generalisations, or a builder of `toolbox.hierarchies`.
    kinds : mapping of column to {'number', 'category', 'date', 'timestamp'}
        Where the values do not tell. How dates are written may follow: ``date %d.%m.%Y``.
    k : int, >= 2, default 2
    scope : {'both', 'local', 'global'}
        Whether to generalise in those records only that stand out, in all, or to try both.
    rules : mapping of column to sequence of str, optional
        The only ways to generalise a column: ``parent`` (level 1 of its hierarchy), ``any`` (the root); of numbers
        ``ranges`` of four distinct values, ``row-ranges`` of at least k records, and the centroids ``middles`` of these
        four, ``medians`` and ``means`` of a fourth of the records.
    separator, encoding : str, optional
        Of a file of text: by default the first of ``, ; tab |`` that fits its header, and UTF-8.
    header : bool, optional
        Whether the first line of a text names the columns; without one they are named by their positions, ``"0"``.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, a point, and between their thousands, nothing.
    missing : str, optional
        The text of a missing value in the original records, besides an empty one.
    table : str, optional
        The sheet or the table to read, where a file holds several.
    config : Config, optional
        Declares the columns instead, and says all but the limits; see `toolbox.load_config`.
    limits : Limits or str, optional

    Returns
    -------
    SingletonsReport
        ``.best``, ``.variants`` in the order of the election, ``.document()``.

    Raises
    ------
    UsageError
        If the arguments are wrong.
    InputError
        If the table cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"town": ["Graz", "Graz", "Linz", "Wels"], "sex": ["f", "f", "f", "f"]})
    >>> report = singletons(people, quasi_identifiers=["town", "sex"])
    >>> report.best.name, report.best.below_k, report.best.modified
    ('town any (local)', 0, 2)
    """
    with asked_in_python():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            kinds=kinds,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        question = question_of_call("singletons()", config, description, limits)
        return compare_variants(question, table_or_path(data), k=k, scope=scope, rules=by_column("rules", rules))
