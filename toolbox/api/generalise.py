"""The public call `generalise`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from toolbox.config.formats import FormatName
from toolbox.config.model import Limits, OnMissing, Statistics, Suppressed
from toolbox.flows.columns import ColumnArguments
from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.generalisation import Generalisation
from toolbox.flows.generalise import generalise_counts
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from toolbox.api.anonymize import Hierarchy


def generalise(
    counts: pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table,
    *,
    count: str = "n",
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
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
    output_format: FormatName | None = None,
    statistics: Statistics | None = None,
    seed: int | None = None,
    limits: Limits | str | None = None,
    **settings: str | float | bool,
) -> Generalisation:
    """Find out what becomes of each combination of quasi-identifiers, of records that stay where they are.

    A database or a cluster counts its records; this call returns the class of each combination, and the texts of each
    class; the database joins both to its records. Then it counts what it has written, and `verify` proves it. See
    docs/engines.md for the three statements.

    Parameters
    ----------
    counts : DataFrame of pandas or Polars, Arrow table or what gives itself as Arrow
        One row per combination of the quasi-identifiers and of those sensitive attributes that a privacy model judges,
        with the number of its records. Rows may repeat, and other columns are ignored. Values come as they are, not
        as texts: dates as dates, numbers as numbers.
    count : str, default 'n'
        The column with the numbers of records: whole numbers from 0 up.
    quasi_identifiers : sequence of str, length >= 1
        Columns that an attacker may know.
    sensitive : sequence of str
        Columns that a privacy model protects.
    hierarchies, kinds, priorities, weights, levels, method, k, l, c, t, models, suppression_threshold, seed, limits
        As in `toolbox.anonymize`.
    suppressed : {'keep', 'drop'}, default 'keep'
        Whether suppressed combinations are mapped to a class of their own, with every quasi-identifier at its root, or
        to none, so that a join leaves their records out.
    on_missing : {'skip', 'fail', 'keep'}, default 'skip'
        What happens to combinations without a value in a declared column. Skipped ones are not mapped; with ``keep``
        missing is a category, and the join must hold null for equal to null. A record that lacks only a sensitive
        value shares its combination with others: whoever writes leaves it out, unless it is kept.
    output_format : {'genVals', 'genValsDist'}, default 'genVals'
        Whether the classes come with their statistics.
    statistics : {'exact', 'rounded'}, default 'exact'
    **settings
        The method's own settings, such as ``dimension='distinct'`` of Mondrian.

    Returns
    -------
    Generalisation
        ``.mapping``, ``.classes``, ``.summary`` and ``.verify(recount)``.

    Raises
    ------
    UsageError
        If the arguments are wrong, or the method deals single records, as Anatomy does.
    InputError
        If a count is none, or a value does not fit its column.
    UnsatisfiableError
        If no release can meet the requirement.

    Examples
    --------
    >>> import duckdb, toolbox
    >>> database = duckdb.connect()
    >>> _ = database.sql("CREATE TABLE people AS SELECT * FROM (VALUES (25), (27), (61), (61)) AS people(age)")
    >>> counts = database.sql("SELECT age, count(*) AS n FROM people GROUP BY age").to_arrow_table()
    >>> made = toolbox.generalise(counts, quasi_identifiers=["age"], k=2)
    >>> mapping, classes = made.mapping, made.classes
    >>> _ = database.sql(
    ...     "CREATE TABLE release AS SELECT classes.age FROM people "
    ...     "JOIN mapping ON mapping.age = people.age JOIN classes USING (class_id)"
    ... )
    >>> made.verify(database.sql("SELECT age, count(*) AS n FROM release GROUP BY age").to_arrow_table()).smallest_class
    2
    """
    columns = ColumnArguments(quasi_identifiers, sensitive, (), hierarchies, kinds, priorities, weights, levels)
    arguments = AnonymizeArguments.of_nothing(
        columns,
        "generalise",
        method=method,
        k=k,
        l=l,
        c=c,
        t=t,
        models=models,
        suppression_threshold=suppression_threshold,
        suppressed=suppressed,
        on_missing=on_missing,
        output_format=output_format,
        statistics=statistics,
        seed=seed,
        limits=limits,
        settings=settings,
    )
    return generalise_counts(counts, count, arguments)
