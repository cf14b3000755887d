"""The public calls that make a release: `anonymize`, `generalise` and `load_config`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from toolbox.config.formats import FormatName
from toolbox.config.model import Attacker, Config, Limits, OnMissing, Order, Statistics, Suppressed, Undeclared
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments, Index
from toolbox.flows.arguments.checks import Reading, check_path
from toolbox.flows.arguments.configuration import make_overrides, read_configuration
from toolbox.flows.release.counted import Generalisation, generalise_counts
from toolbox.flows.release.python import Result, make_callers_release
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel

# The public call `anonymize`.

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
    person: str | Sequence[str] = (),
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    kinds: Mapping[str, str] = MappingProxyType({}),
    priorities: Mapping[str, int] = MappingProxyType({}),
    weights: Mapping[str, float] = MappingProxyType({}),
    levels: Mapping[str, tuple[int | None, int | None]] = MappingProxyType({}),
    treatments: Mapping[str, str] = MappingProxyType({}),
    key: str | Path | None = None,
    same_domain_as: str | Path | None = None,
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
    attacker: Attacker | None = None,
    output_format: FormatName | None = None,
    order: Order | None = None,
    statistics: Statistics | None = None,
    seed: int | None = None,
    index: Index | None = None,
    limits: Limits | str | None = None,
    separator: str | None = None,
    header: bool | int | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    population: str | Path | pd.DataFrame | pl.DataFrame | pa.Table | None = None,
    save_recoding: str | Path | None = None,
    **settings: Any,
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
    person : str or sequence of str
        The column that tells persons apart, or the columns that do so together, where a person has several records:
        classes count persons then. It is dropped. A household is declared in the same way.
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
    treatments : mapping of column to str
        What is done to other columns, ``{"pay": "round:1000", "note": "redact"}``; of an identifier, instead of
        dropping it. docs/treatments/README.md lists all.
    key : optional
        The key file of pseudonyms, which ``toolbox key new FILE`` makes.
    same_domain_as : optional
        The JSON report of an earlier release: equal values get the same pseudonyms as there.
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
    on_missing : {'skip', 'fail', 'keep'}, optional
        What happens to records without a value in a declared column: they are left out, the call stops, or missing is
        a category. Where nothing is said, at most 1 % of the records are left out; with more of them the call asks.
    undeclared : {'pass', 'drop', 'fail'}, default 'pass'
        What happens to columns that no argument names: they are released as they are, with a note; left out; or
        refused.
    rows_are_people : bool, default False
        Whether each record is another person, even where several have the same value of an identifier. Otherwise the
        call stops if a class of at least k records has fewer than k different values of an identifier, and no
        identifier is unique.
    attacker : {'rows', 'profile'}, optional
        What somebody knows of a person.
    output_format : {'genVals', 'genValsDist', 'anatomy'}, default 'genVals'
    order : {'input', 'shuffled', 'sorted'}, default 'shuffled'
        Order of the records: a random one, by the released values, or that of the table, by which two releases of it
        can be joined line by line.
    statistics : {'exact', 'rounded'}, default 'exact'
        Of the classes in genValsDist: rounded, at least k multisets of values have those of a class.
    seed : int, >= 0, optional
        Makes what is random reproducible.
    index : {'drop', 'keep'}, optional
        What becomes of the index of a DataFrame, which may name people. It is dropped, with a warning if it is more
        than the numbers of the rows and nothing is said; ``keep`` keeps it with its records.
    limits : Limits or str, optional
        Memory and threads; ``"2GB"`` limits the memory.
    separator, header, encoding, decimal, thousands, missing : optional
        How a file of text is read, as in `toolbox.check`; without a header columns are named by their positions,
        ``"0"``. A missing value is ``?`` or an empty text if nothing is said.
    header_line : int, >= 1, default 1
        The line of a text where its header stands, below a title.
    table : str, optional
        The sheet or the table to read, where the source is a file that holds several.
    population : path or table, optional
        All people who could be in the table, with the same quasi-identifiers, for `KMap` and `DeltaPresence`.
    save_recoding : optional
        A file that gets the recoding, to be applied to the next table; `toolbox.Recoding` reads it.
    **settings
        The method's own settings, such as ``dimension='distinct'`` of Mondrian. And of earlier releases ``earlier``, a
        path or a table, or a list of them: readers of the new release may hold them as well. What all tell together of
        each person is counted before anything is released, and the call stops where somebody is among fewer than k.
        ``earlier_key`` is the column that tells persons apart in all of them, where ``person`` does not name it; with
        ``earlier_repair=True`` values become wider instead. Of a sample ``sample_weight`` is the column with the people
        for whom each record stands; k-map estimates by it, or by ``sampling_fraction``, the people of each class.
        ``suppress_by`` is ``'row'`` or ``'person'``: with ``person``, who loses a record loses all, and persons count.
        ``tables`` are child tables with rows of the same persons, released with this one or not at all: ``{"visits":
        {"source": visits, "key": "patient", "sensitive": ["illness"], "treatments": {"day": "truncate:month"}}}``, with
        ``identifiers`` as well, and ``orphans="drop"`` to leave out rows without a person. Its ``quasi_identifiers``,
        with ``hierarchies`` and ``kinds``, are judged together with those of the persons. `Result.child_tables` has
        them.

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
    asked = (method, k, l, c, t, models, suppression_threshold, suppressed, on_missing, undeclared, rows_are_people)
    said = (*asked, attacker, output_format, order, statistics, seed, index, limits, population, settings)
    columns = ColumnArguments(*declared, person=person, treatments=treatments, key=key, same_domain_as=same_domain_as)
    how = Reading(separator, header, encoding, decimal, thousands, missing, table)
    return make_callers_release(source, AnonymizeArguments(columns, *said, save_recoding=save_recoding), how)


# The public call `generalise`.


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
    on_missing : {'skip', 'fail', 'keep'}, optional
        What happens to combinations without a value in a declared column, as in `toolbox.anonymize`. Skipped ones are
        not mapped; with ``keep`` missing is a category, and the join must hold null for equal to null. A record that
        lacks only a sensitive value shares its combination with others: whoever writes leaves it out, unless it is
        kept.
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


# The public call `load_config`.


def load_config(path: str | Path, **overrides: Any) -> Config:
    """Read a configuration file.

    Parameters
    ----------
    path : str or Path
    **overrides
        What the command line could say, by the names of `toolbox.config.settings.SETTINGS`, such as ``k=5`` or
        ``input=["2019.csv", "2020.csv"]``.

    Returns
    -------
    Config

    Raises
    ------
    ConfigurationError
        With every fault of the file.
    """
    return read_configuration(check_path("path", path), make_overrides(overrides))
