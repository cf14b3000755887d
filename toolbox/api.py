"""The Python interface: one call from a configuration or a table to a proved release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.config.model import (
    Config,
    Format,
    Input,
    Kind,
    Limits,
    OnMissing,
    Order,
    Statistics,
    Suppressed,
    Undeclared,
    is_parquet,
)
from toolbox.config.overrides import Overrides
from toolbox.description import chosen_method, describe
from toolbox.errors import UnknownColumnError, UsageError, did_you_mean
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.registry import method_facts
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import model_facts
from toolbox.report.summary import Summary
from toolbox.run import run
from toolbox.store.caller import as_arrow
from toolbox.store.delimited import DelimitedSource
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class Result:
    """A release and what is to be known of it."""

    summary: Summary
    _tables: tuple[pa.Table, ...] = field(repr=False)
    _files: tuple[tuple[Path, ...], ...] = field(repr=False)
    _config: Config = field(repr=False)
    _has_header: bool = field(repr=False)

    @cached_property
    def parts(self) -> tuple[pd.DataFrame, ...]:
        """The tables of the release as DataFrames: one, or for anatomy the QIT and the ST."""
        if self._tables:
            return tuple(table.to_pandas() for table in self._tables)
        return tuple(_read_back(paths, self._config, has_header=self._has_header) for paths in self._files)

    @property
    def release(self) -> pd.DataFrame:
        """The release as a DataFrame.

        Raises
        ------
        UsageError
            If it has two parts, as anatomy has.
        """
        if len(self.parts) > 1:
            raise UsageError("An anatomy release has two tables. Take result.parts instead of result.release.")
        return self.parts[0]


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
    source: str | Path | Config | pd.DataFrame | pa.Table,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, str | Path | pd.DataFrame | Sequence[Sequence[object]]] = MappingProxyType({}),
    kinds: Mapping[str, Kind] = MappingProxyType({}),
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
    output_format: Format | None = None,
    order: Order | None = None,
    statistics: Statistics | None = None,
    seed: int | None = None,
    limits: Limits | None = None,
    **settings: str,
) -> Result:
    """Make a release that satisfies the declared privacy model, and prove that it does.

    Parameters
    ----------
    source : path, Config, pandas.DataFrame or pyarrow.Table
        A configuration, which says all the rest; or a table of records, which the other arguments describe.
    quasi_identifiers : sequence of str, length >= 1
        Columns that an attacker may know.
    sensitive, identifiers : sequence of str
        Columns that are released as they are, and columns that are dropped.
    hierarchies : mapping of column to hierarchy
        A hierarchy file, or rows of a value and its generalisations, the narrowest first. Datafly and Incognito need
        one for every quasi-identifier; of a sensitive column it tells how far values are apart.
    kinds : mapping of column to {'number', 'category'}
        Where the type of the column does not say it.
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
    limits : Limits, optional
        Memory and threads.
    **settings
        The method's own settings, such as ``dimension='distinct'`` of Mondrian.

    Returns
    -------
    Result
        ``.release``, a DataFrame, and ``.summary``.

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
    if isinstance(source, (str, Path)):
        source = load_config(source)
    if isinstance(source, Config):
        if extra := [name for name, value in description.items() if value is not None and value not in ((), {})]:
            raise UsageError(
                f"A configuration says everything itself, so {extra[0]} has no place beside it. "
                "Change it there, or use anonymize(load_config(path, k=5, ...))."
            )
        return _result(source)
    table = as_arrow(source)
    config = describe(**description)
    for name in map(str, (*identifiers, *quasi_identifiers, *sensitive)):
        if name not in table.column_names:
            raise UnknownColumnError(name, "the table", table.column_names)
    return _result(config, table, chosen_method(method), models)


def _result(
    config: Config,
    table: pa.Table | None = None,
    method: type[Anonymizer] | None = None,
    models: Sequence[PrivacyModel] = (),
) -> Result:
    outcome = run(config, table=table, method=method, models=models)
    return Result(outcome.summary, tuple(outcome.released), outcome.files, config, outcome.has_header)


def _read_back(paths: Sequence[Path], config: Config, *, has_header: bool) -> pd.DataFrame:
    """Read a released table; every value of delimited text stays text, and an empty field is None."""
    if is_parquet(paths[0]):
        import pandas as pd

        return pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
    given = Input(path=paths[0], more=tuple(paths[1:]), separator=config.release_separator, header=has_header)
    with Store() as store:
        source = DelimitedSource(given, store, paths)
        table = store.arrow(select(source.relation()))
        source.account(table.num_rows)
    frame: pd.DataFrame = table.rename_columns(list(source.headers or table.column_names)).to_pandas()
    return frame
