"""The public call `anonymize`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from toolbox.config.formats import FormatName
from toolbox.config.model import Config, Limits, OnMissing, Order, Statistics, Suppressed, Undeclared
from toolbox.flows.callers_release import callers_release
from toolbox.flows.columns import ColumnArguments
from toolbox.flows.description import AnonymizeArguments, Index
from toolbox.flows.result import Result
from toolbox.flows.text_input import Reading
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from toolbox.hierarchy.builders.builder import Builder

    Hierarchy: TypeAlias = str | Path | Builder | pd.DataFrame | Mapping[object, object] | Sequence[Sequence[object]]


def anonymize(
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
    method: str | type[Anonymizer] | None = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 - as in the configuration
    c: float | None = None,
    t: float | None = None,
    models: Sequence[PrivacyModel] = (),
    suppression_threshold: int | str | None = None,
    suppressed: Suppressed | None = None,
    on_missing: OnMissing | None = None,
    undeclared: Undeclared | None = None,
    rows_are_people: bool | None = None,
    output_format: FormatName | None = None,
    order: Order | None = None,
    statistics: Statistics | None = None,
    seed: int | None = None,
    index: Index | None = None,
    limits: Limits | str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    population: str | Path | pd.DataFrame | pl.DataFrame | pa.Table | None = None,
    **settings: str | float | bool,
) -> Result:
    """Make a release that satisfies the declared privacy model, and prove that it does.

    Parameters
    ----------
    source : path, Config, or a table
        A configuration, which says all the rest; or a table of records, which the other arguments describe: a DataFrame
        of pandas or Polars, an Arrow table, whatever gives itself as Arrow (a relation of DuckDB, a reader of record
        batches), or the path of a file: delimited text, Parquet, a workbook, and so on (docs/files.md). Columns that
        are neither quasi-identifiers nor identifiers come back with the types and bits that they had.
    quasi_identifiers : sequence of str, length >= 1
        Columns that an attacker may know.
    sensitive, identifiers : sequence of str
        Columns that are released as they are, and columns that are dropped.
    hierarchies : mapping of column to hierarchy
        A hierarchy file; or rows of a value and its generalisations, the narrowest first; or a dict: ``{value: its
        generalisation}``, ``{value: [its generalisations]}``, or the tree from the root down to lists of values,
        ``{"Austria": {"Styria": ["Graz", "Leoben"]}}``; or a builder of `toolbox.hierarchies`, or its words,
        ``"intervals:5,10:top=90"``. Datafly and Incognito need one for every quasi-identifier; of a
        sensitive attribute it tells how far values are apart. Of dates, the periods to which they are generalised,
        ``month,year,decade``.
    kinds : mapping of column to {'number', 'category', 'date', 'timestamp'}
        Where the type of the column does not say it. How dates are written may follow: ``date %d.%m.%Y``.
    priorities : mapping of column to int, >= 1
        Rank of importance of a quasi-identifier, 1 the most important, for methods that distinguish; several may
        share a rank.
    weights : mapping of column to float, > 0
        Share of a quasi-identifier in weighted information loss.
    levels : mapping of column to (int, int)
        The lowest and the highest level that a release may have of a quasi-identifier, ``(1, None)`` from 1 on; for
        methods of full-domain generalisation.
    method : str or type of Anonymizer, default 'Mondrian'
        Name of an installed method, ``package.module:Class``, or the class itself.
    k : int, >= 1, default 10
        Smallest class, in records; for methods of k-anonymity.
    l : float, > 0, default 10
        For Incognito_l, entropy l-diversity, or with ``c`` recursive (c,l)-diversity; for Anatomy, a whole number.
    c : float, > 0, optional
    t : float, between 0 and 1, default 0.2
        For Incognito_t, t-closeness.
    models : sequence of PrivacyModel, optional
        What every class must satisfy, instead of l, c and t; k beside them is one more.
    suppression_threshold : int or str, optional
        Most records that a method of full-domain generalisation may suppress, or their share, ``'2%'``; None: k.
    suppressed : {'keep', 'drop'}, default 'keep'
        Whether suppressed records stay, with every quasi-identifier at its root.
    on_missing : {'skip', 'fail', 'keep'}, default 'skip'
        What happens to records without a value in a declared column; ``keep`` makes missing a category.
    undeclared : {'pass', 'drop', 'fail'}, default 'pass'
        What happens to columns that no argument names: they are released as they are, with a note; left out; or
        refused.
    rows_are_people : bool, default False
        Whether each record is another person, even where several have the same value of an identifier. Otherwise the
        call stops if a class of at least k records has fewer than k different values of an identifier, and no
        identifier is unique.
    output_format : {'genVals', 'genValsDist', 'anatomy'}, default 'genVals'
    order : {'shuffled', 'sorted', 'input'}, default 'shuffled'
        Order of the records: a random one, by the released values, or that of the table, by which two releases of it
        can be joined line by line.
    statistics : {'exact', 'rounded'}, default 'exact'
        Of the classes in genValsDist: rounded, at least k multisets of values have those of a class.
    seed : int, optional
        Makes what is random reproducible.
    index : {'drop', 'keep'}, optional
        What becomes of the index of a DataFrame, which may name people. It is dropped, with a warning if it is more
        than the numbers of the rows and nothing is said; ``keep`` keeps it with its records.
    limits : Limits or str, optional
        Memory and threads; ``"2GB"`` limits the memory.
    separator, header, encoding, decimal, thousands, missing : optional
        How a file of text is read, as in `toolbox.check`; without a header columns are named by their positions,
        ``"0"``. A missing value is ``?`` or an empty text if nothing is said.
    table : str, optional
        The sheet or the table to read, where the source is a file that holds several.
    population : path or table, optional
        All people who could be in the table, with the same quasi-identifiers, for `KMap` and `DeltaPresence`.
    **settings
        The method's own settings, such as ``dimension='distinct'`` of Mondrian.

    Returns
    -------
    Result
        ``.release``, a DataFrame, ``.to_arrow()``, ``.to_polars()``, and ``.summary``.

    Warns
    -----
    UserWarning
        If records lack a declared value and are left out, and if an index is.

    Raises
    ------
    UsageError
        If the arguments or the configuration are wrong.
    InputError
        If the data is wrong or unreadable.
    UnsatisfiableError
        If no release can meet the requirement.

    Examples
    --------
    >>> import pandas as pd
    >>> patients = pd.DataFrame({"age": [25, 27, 61, 64], "illness": ["flu", "cold", "flu", "cold"]})
    >>> result = anonymize(patients, quasi_identifiers=["age"], sensitive=["illness"], k=2, order="sorted")
    >>> result.release
           age illness
    0  [25:27]    cold
    1  [25:27]     flu
    2  [61:64]    cold
    3  [61:64]     flu
    >>> result.summary.proof.smallest_class
    2
    """
    declared = (quasi_identifiers, sensitive, identifiers, hierarchies, kinds, priorities, weights, levels)
    arguments = AnonymizeArguments(
        ColumnArguments(*declared),
        method,
        *(k, l, c, t),
        *(models, suppression_threshold, suppressed),
        **_said(on_missing, undeclared, rows_are_people, output_format, order, statistics, seed, index, limits),
        population=population,
        settings=settings,
    )
    reading = Reading(separator, header, encoding, decimal, thousands, missing, table)
    return callers_release(source, arguments, reading)


def _said(*values: Any) -> dict[str, Any]:
    """Name the arguments that stand in this order in the signature."""
    names = (
        "on_missing",
        "undeclared",
        "rows_are_people",
        "output_format",
        "order",
        "statistics",
        "seed",
        "index",
        "limits",
    )
    return dict(zip(names, values, strict=True))
