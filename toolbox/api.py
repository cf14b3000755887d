"""The Python interface: one call from a configuration or a table to a proved release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from toolbox.config.formats import FormatName
from toolbox.config.limits import limits_of
from toolbox.config.model import (
    Column,
    Config,
    Limits,
    OnMissing,
    Order,
    Statistics,
    Suppressed,
    Undeclared,
)
from toolbox.config.overrides import Overrides
from toolbox.errors import SettingError, UnknownColumnError, UsageError, did_you_mean
from toolbox.flows.anonymize import run
from toolbox.flows.description import chosen_method, describe
from toolbox.flows.result import ReleasedFiles, Result
from toolbox.flows.table_files import is_configuration, read_file
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.registry import method_facts
from toolbox.notices import warn
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import model_facts
from toolbox.release.returned import returned
from toolbox.report.summary import Summary
from toolbox.store.caller import CallersTable, callers_table
from toolbox.store.separators import with_separator
from toolbox.store.source import date_columns
from toolbox.wording import asked_in_python

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    Hierarchy: TypeAlias = str | Path | pd.DataFrame | Mapping[object, object] | Sequence[Sequence[object]]

Index = Literal["drop", "keep"]


def load_config(path: str | Path, **overrides: Any) -> Config:
    """Read a configuration file.

    Parameters
    ----------
    path : str or Path
    **overrides
        What the command line could say, by the names of `toolbox.config.overrides.Overrides`, such as ``k=5`` or
        ``input=["2019.csv", "2020.csv"]``.

    Returns
    -------
    Config

    Raises
    ------
    ConfigurationError
        With every fault of the file.
    """
    from toolbox.config.reader import read_config

    settings = {name: str(value) for name, value in overrides.pop("settings", {}).items()}
    known = sorted(one.name for one in fields(Overrides))
    for name in overrides:
        if name not in known:
            raise UsageError(f"There is no option {name!r}.{did_you_mean(name, known)} There are: {', '.join(known)}.")
    given: dict[str, Any] = {name: str(value) for name, value in overrides.items() if value is not None}
    if not isinstance(names := overrides.get("input"), (str, Path, type(None))):
        given["input"] = tuple(map(str, names))
    return read_config(
        Path(path), overrides=Overrides(settings=settings, **given), methods=method_facts(), models=model_facts()
    )


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
    method: str | type[Anonymizer] | None = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 - as in the configuration
    c: float | None = None,
    t: float | None = None,
    models: Sequence[PrivacyModel] = (),
    suppression_threshold: int | None = None,
    suppressed: Suppressed | None = None,
    on_missing: OnMissing | None = None,
    undeclared: Undeclared | None = None,
    output_format: FormatName | None = None,
    order: Order | None = None,
    statistics: Statistics | None = None,
    seed: int | None = None,
    index: Index | None = None,
    limits: Limits | str | None = None,
    **settings: str,
) -> Result:
    """Make a release that satisfies the declared privacy model, and prove that it does.

    Parameters
    ----------
    source : path, Config, or a table
        A configuration, which says all the rest; or a table of records, which the other arguments describe: a DataFrame
        of pandas or Polars, an Arrow table, whatever gives itself as Arrow (a relation of DuckDB, a reader of record
        batches), or the path of a file of delimited text or Parquet. Columns that are neither quasi-identifiers nor
        identifiers come back with the types and bits that they had.
    quasi_identifiers : sequence of str, length >= 1
        Columns that an attacker may know.
    sensitive, identifiers : sequence of str
        Columns that are released as they are, and columns that are dropped.
    hierarchies : mapping of column to hierarchy
        A hierarchy file; or rows of a value and its generalisations, the narrowest first; or a dict: ``{value: its
        generalisation}``, ``{value: [its generalisations]}``, or the tree from the root down to lists of values,
        ``{"Austria": {"Styria": ["Graz", "Leoben"]}}``. Datafly and Incognito need one for every quasi-identifier; of a
        sensitive column it tells how far values are apart. Of dates, the periods to which they are generalised,
        ``month,year,decade``.
    kinds : mapping of column to {'number', 'category', 'date', 'timestamp'}
        Where the type of the column does not say it. How dates are written may follow: ``date %d.%m.%Y``.
    priorities : mapping of column to int, >= 1
        Rank of importance of a quasi-identifier, 1 the most important, for methods that distinguish; several may
        share a rank.
    weights : mapping of column to float, > 0
        Share of a quasi-identifier in weighted information loss.
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
    suppression_threshold : int, optional
        Most records that Datafly or Incognito may suppress; None: k.
    suppressed : {'keep', 'drop'}, default 'keep'
        Whether suppressed records stay, with every quasi-identifier at its root.
    on_missing : {'skip', 'fail', 'keep'}, default 'skip'
        What happens to records without a value in a declared column; ``keep`` makes missing a category.
    undeclared : {'pass', 'drop', 'fail'}, default 'pass'
        What happens to columns that no argument names: they are released as they are, with a note; left out; or
        refused.
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
    models = tuple(models) if isinstance(models, Iterable) and not isinstance(models, str) else (models,)
    if models and k is not None:
        models, k = tuple(dict.fromkeys((*models, KAnonymity(k=k)))), None
    description = {name: value for name, value in locals().items() if name != "source"}
    said = [name for name, value in description.items() if value is not None and not _is_empty(value)]
    if isinstance(source, (str, Path)) and is_configuration(Path(source), is_described=bool(said)):
        source = load_config(source)
    if isinstance(source, Config):
        if said:
            first = next(iter(settings)) if said[0] == "settings" else said[0]
            raise UsageError(
                f"A configuration says everything itself, so {first} has no place beside it. "
                "Change it there, or use anonymize(load_config(path, k=5, ...))."
            )
        return _of_config(source)
    with asked_in_python():
        _require_known(settings, chosen_method(method))
        return _of_source(source, description)


def _is_empty(value: object) -> bool:
    return isinstance(value, (Sequence, Mapping)) and not value


def _of_source(source: Any, description: dict[str, Any]) -> Result:
    """Release a table, or that of a file, which the arguments of the call describe."""
    index, method, models = description.pop("index"), chosen_method(description["method"]), description["models"]
    if index not in (None, *get_args(Index)):
        raise SettingError("index", index, "one of " + ", ".join(map(repr, get_args(Index))))
    declared = {str(name) for argument in ("quasi_identifiers", "sensitive") for name in description[argument]}
    others = set(map(str, description["identifiers"]))
    if not isinstance(source, (str, Path)):
        table = callers_table(source, declared, others)
        config = describe(**description, dates=date_columns(table.arrow.schema))
        return _of_table(table, config, method, models, index)
    file = read_file(Path(source), declared, limits_of(description["limits"]))
    found = file.kinds(description["quasi_identifiers"], description["hierarchies"])
    kinds = {**found, **description["kinds"]}
    config = describe(**{**description, "kinds": kinds}, dates=date_columns(file.table.schema))
    return _of_table(callers_table(file.table, declared, others), file.named_in(config), method, models, index)


def _require_known(settings: Mapping[str, object], method: type[Anonymizer]) -> None:
    """Stop at an argument that neither the call nor the method knows.

    Raises
    ------
    UsageError
    """
    own = sorted(method.facts().settings)
    arguments = [name for name in signature(anonymize).parameters if name not in ("source", "settings")]
    for name in settings:
        if name.lower() not in own:
            takes = f"{method.name} has the settings {', '.join(own)}" if own else f"{method.name} has no settings"
            hint = did_you_mean(name, [*arguments, *own])
            raise UsageError(f"anonymize() has no argument {name!r}.{hint} {takes}.")


def _of_config(config: Config) -> Result:
    config = with_separator(config)
    outcome = run(config)
    separator, has_header = config.release_separator, outcome.has_header
    files = tuple(ReleasedFiles(paths, separator, has_header) for paths in outcome.files)
    _warn_of_lost_records(outcome.summary)
    return Result(outcome.summary, files)


def _of_table(
    table: CallersTable, config: Config, method: type[Anonymizer], models: Sequence[PrivacyModel], index: Index | None
) -> Result:
    for name in (column.name for column in _declared(config)):
        if name is not None and name not in table.arrow.column_names:
            raise UnknownColumnError(name, "the table", table.arrow.column_names)
    if index == "keep" and config.output.format.has_groups:
        raise UsageError("index='keep' would connect the two tables of anatomy line by line. Leave it out.")
    outcome = run(config, table=table.arrow, method=method, models=models)
    tables = tuple(returned(part, table, keeps_index=index == "keep") for part in outcome.released)
    if index is None and table.has_index:
        warn(
            "The index of the table is not in the release, because it may name people as an identifier does. "
            "index='keep' keeps it with its records, index='drop' leaves it out without this warning."
        )
    _warn_of_lost_records(outcome.summary)
    return Result(outcome.summary, tables)


def _declared(config: Config) -> tuple[Column, ...]:
    return (*config.identifiers, *(one.column for one in (*config.quasi_identifiers, *config.sensitive)))


def _warn_of_lost_records(summary: Summary) -> None:
    """Say how many records are not in the release, other than those whom the caller wanted to leave out."""
    if count := summary.lines_rejected:
        lines = "1 line is" if count == 1 else f"{count:,} lines are"
        warn(f"{lines} not in the release: they do not fit the others.")
    if count := summary.records_skipped:
        records = "1 record is" if count == 1 else f"{count:,} records are"
        remedy = "on_missing='keep' keeps them, with missing as a category."
        warn(f"{records} not in the release: a declared column has no value. {remedy}")
