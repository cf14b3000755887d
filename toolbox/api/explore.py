"""The public calls that look at a table: `detect`, `sniff`, `suggest`, `open`, `compare` and `experiment`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits, OnMissing
from toolbox.config.reading.overrides import parse_limits
from toolbox.errors import SettingError
from toolbox.experiments.results.report import ExperimentReport
from toolbox.experiments.study import open_plan, run_study
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import Reading, as_tuple, require_list, require_whole
from toolbox.flows.explore.compare import ComparedQuestion, ComparedRequirements, compare_methods
from toolbox.flows.explore.detect import DEFAULT_MOST_COLUMNS, ChosenColumns, SudaWanted, detect_columns
from toolbox.flows.explore.sniff import sniff_table
from toolbox.flows.explore.suggest import suggest_roles
from toolbox.flows.judge.tables import convert_table
from toolbox.flows.session.run import Cancel, Cancelling
from toolbox.flows.session.session import Session
from toolbox.loss.metric import LossMetric
from toolbox.messages import name_python_arguments
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.report.explore.detect import DetectionReport
from toolbox.report.explore.suggestion import Sniffed, Suggestion
from toolbox.report.runs.compare import ComparisonReport
from toolbox.steps import Watcher

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from toolbox.api.release import Hierarchy


# The public call `compare`.


def compare(
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
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    on_missing: OnMissing | None = None,
    methods: Sequence[str | type[Anonymizer]] = (),
    k: int | Sequence[int] = (),
    l: float | Sequence[float] = (),  # noqa: E741 - as in the configuration
    t: float | Sequence[float] = (),
    models: Sequence[Sequence[PrivacyModel]] = (),
    suppression_threshold: int | None = None,
    metrics: Sequence[str | LossMetric] = (),
    by: str | None = None,
    bound: Sequence[str | LossMetric] = (),
    bound_seconds: float | None = None,
    threshold: float | None = None,
    seed: int | None = None,
    limits: Limits | str | None = None,
    population: str | Path | pd.DataFrame | pl.DataFrame | pa.Table | None = None,
    watcher: Watcher | None = None,
    cancel: Cancel | None = None,
) -> ComparisonReport:
    """Compare what each method costs under each requirement, to choose the method and its parameters.

    The table is read once, and every run is proved. Nothing is released. What cannot be done, for lack of a hierarchy
    or since no release satisfies the requirement, is in the report with the reason.

    Parameters
    ----------
    source, quasi_identifiers, sensitive, identifiers, person, hierarchies, kinds
        As in `toolbox.open`. A configuration says all of them, and its models are required of every run.
    priorities, weights, levels, table, on_missing
        As in `toolbox.open`.
    separator, header, encoding, decimal, thousands, missing : optional
        How a file of text is read, as in `toolbox.check`; without a header columns are named by their positions,
        ``"0"``. A missing value is ``?`` or an empty text if nothing is said.
    methods : sequence of str or type of Anonymizer
        Each may bring settings along, ``"Mondrian:dimension=distinct"``. By default all that are installed, except
        those that release groups.
    k : int or sequence of int
        Each is tried: k-anonymity, or in a configuration the k of every model that has one. By default what a
        configuration says, and 10 without one.
    l, t : float or sequence of float
        With each is tried entropy l-diversity and t-closeness of every sensitive attribute, too.
    models : sequence of sequence of PrivacyModel
        Lists of models instead, each of which is tried.
    suppression_threshold : int, optional
        Most records that a run may suppress; None: k.
    metrics : sequence of str or LossMetric
        What to measure. By default the share of the information that is kept, the normalised certainty penalty and
        non-uniform entropy.
    by : str, optional
        The metric that says which run is best; by default the first.
    bound, bound_seconds
        As in `toolbox.measure`: what every release loses at least is proved once for each requirement.
    threshold : float, above 0 and at most 1, optional
        Risk above which a record counts as at risk; 0.2 without it.
    seed, limits, population, watcher, cancel
        As in `Session.run`; what is cancelled has no report.

    Returns
    -------
    ComparisonReport
        ``.best``, ``.runs`` with the best first, ``.to_frame()``, ``.document()``.

    Raises
    ------
    UsageError
        If the arguments or the configuration are wrong.
    InputError
        If the table cannot be read.
    CancelledError
        If it was cancelled.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz"] + 3 * ["Wien"]})
    >>> towns = {"Austria": {"South": ["Graz"], "North": ["Linz", "Wien"]}}
    >>> report = toolbox.compare(
    ...     people,
    ...     quasi_identifiers=["town"],
    ...     hierarchies={"town": towns},
    ...     methods=["Mondrian", "Datafly"],
    ...     k=[2, 3],
    ...     suppression_threshold=0,
    ... )
    >>> [(run.method, run.variant.summary.k, round(run.values["information kept"], 2)) for run in report.runs]
    [('Mondrian', 2, 0.69), ('Mondrian', 3, 0.69), ('Datafly', 2, 0.63), ('Datafly', 3, 0.0)]
    """
    declared = (quasi_identifiers, sensitive, identifiers, hierarchies, kinds, priorities, weights, levels)
    columns = ColumnArguments(*declared, person=person)
    opened = AnonymizeArguments.of_nothing(
        columns, "compare", on_missing=on_missing, limits=limits, population=population
    )
    with name_python_arguments():
        requirements = ComparedRequirements(k=as_tuple(k), l=as_tuple(l), t=as_tuple(t), models=models)
        asked: dict[str, Any] = {"suppression_threshold": suppression_threshold, "seed": seed, "threshold": threshold}
        asked |= {"bound": bound, "bound_seconds": bound_seconds}
        question = ComparedQuestion(requirements=requirements, methods=methods, metrics=metrics, by=by, **asked)
        reading = Reading(separator, header, encoding, decimal, thousands, missing, table)
        return compare_methods(source, opened, question, reading, watcher=watcher, cancelling=Cancelling(cancel))


# The public call `detect`.


def detect(
    data: Any,
    *,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    everything: bool = False,
    person: str | Sequence[str] = (),
    max_columns: int = DEFAULT_MOST_COLUMNS,
    missing_is_a_value: bool = False,
    suda: int | None = None,
    sampling_fraction: float | None = None,
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
    person : str or sequence of str
        The column that tells persons apart, or the columns that do so together: persons are counted then.
    max_columns : int, >= 1, default 4
        Columns in the largest subsets to look at.
    missing_is_a_value : bool
        Whether a missing value counts as a value in the election, too; then no record is left out.
    suda : int, >= 1, optional
        Also score the records that up to so many columns single out, though none of these columns alone (SUDA2).
    sampling_fraction : float, above 0 and at most 1, optional
        The share of the population that is in the table; with it each such record has a DIS score.
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
        ``.detection`` with ``.identifiers``, ``.best``, ``.subsets`` and ``.columns``; with `suda` also ``.special``
        with ``.by_size``, ``.columns``, ``.values`` and ``.top``; ``.document()``.

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
    >>> special = detect(people, exclude=["card"], suda=2).special
    >>> special.by_size, special.top[0].record
    ((0, 3), 1)
    """
    with name_python_arguments():
        wanted = ChosenColumns(
            require_list("columns", columns, "of columns"),
            require_list("exclude", exclude, "of columns"),
            everything,
            require_list("person", as_tuple(person), "of columns"),
        )
        return detect_columns(
            convert_table(data),
            wanted,
            max_columns=max_columns,
            missing_is_a_value=missing_is_a_value,
            suda=SudaWanted(suda, sampling_fraction),
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
            config=config,
            limits=limits,
        )


# The public call `experiment`.


def experiment(
    plan: str | Path | Mapping[str, Any],
    *,
    output: str | Path | None = None,
    jobs: int = 1,
    limits: Limits | str | None = None,
    allow_code: bool = False,
    watcher: Watcher | None = None,
) -> ExperimentReport:
    """Run a study: every data set, with every method, under every requirement, each run proved and measured.

    Nothing is released. What cannot be done is a row of the results, which says why.

    Parameters
    ----------
    plan : path or mapping
        A TOML or an XML file, or the words of such a file as a mapping; docs/experiments.md has them all. In a mapping
        the ``table`` of a data set may also be in memory, as for `toolbox.anonymize`, and so may hierarchies.
    output : path, optional
        The folder of the results. What is there already is not computed again, if plan, data and programs are the
        same, so that a study that was killed goes on where it stopped. None: nothing is written.
    jobs : int, >= 1
        Processes that run at once. With more than one, a script must not run anything as it is imported: it begins
        with ``if __name__ == "__main__":``. The results are the same with any number.
    limits : Limits or str, optional
        What each process may take of the machine; all share the threads.
    allow_code : bool
        Whether a file may name classes and functions of its own as ``module:Class``. They are imported and run, so
        allow it only for plans that you trust. A mapping is yours, and may always name them.
    watcher : Watcher, optional
        An object of a class that extends `toolbox.steps.Watcher`; is told each cell as it is done.

    Returns
    -------
    ExperimentReport
        ``.to_frame()`` is the long table, ``.summary`` and ``.correlations`` what it comes to, ``.failed`` what could
        not be done.

    Raises
    ------
    ConfigurationError
        With all that is wrong with the plan.
    UsageError
        If there is no such plan.
    InputError
        If a file or a table of a data set cannot be read.
    OutputError
        If the results cannot be kept in the folder.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz"] + 3 * ["Wien"]})
    >>> data = {"table": people, "quasi_identifiers": ["age", "town"]}
    >>> report = toolbox.experiment({"methods": ["Mondrian"], "parameters": {"k": [2, 3]}, "data": [data]})
    >>> report
    <ExperimentReport: 2 cells, 20 values>
    >>> summary = report.summary.set_index("metric")
    >>> summary.loc["normalised certainty penalty", ["required", "value"]].round(2).to_numpy().tolist()
    [['k=2', 0.21], ['k=3', 0.21]]
    """
    with name_python_arguments():
        processes = require_whole("jobs", jobs, 1)
        if not isinstance(output, (str, Path, type(None))):
            raise SettingError("output", output, "the path of a folder, or None")
        folder = None if output is None else Path(output)
        if not isinstance(watcher, (Watcher, type(None))):
            raise SettingError("watcher", type(watcher).__name__, "an object of a class that extends Watcher, or None")
        if not isinstance(allow_code, bool):
            raise SettingError("allow_code", allow_code, "True or False")
        known = parse_limits(limits) or Limits()
        with open_plan(plan, known, allow_code=allow_code) as read:
            return run_study(read, folder, jobs=processes, limits=known, watcher=watcher)


# The public call `open`.


def open(  # noqa: A001 - as toolbox.open
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
    tables: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
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
    sensitive, identifiers, person, hierarchies, kinds, priorities, weights, levels, table, on_missing, limits,
    population
        As in `toolbox.anonymize`; the sensitive attributes are those of every run.
    separator, header, encoding, decimal, thousands, missing : optional
        How a file of text is read, as in `toolbox.check`; without a header columns are named by their positions,
        ``"0"``. A missing value is ``?`` or an empty text if nothing is said.
    tables : mapping, optional
        Child tables, as in `toolbox.anonymize`, which reads them when it makes the release of a variant. A session
        reads the table of persons alone, and each summary says what it has not counted.
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
    columns = ColumnArguments(*declared, person=person)
    arguments = AnonymizeArguments.of_nothing(
        columns, "open", on_missing=on_missing, limits=limits, population=population, tables=tables
    )
    reading = Reading(separator, header, encoding, decimal, thousands, missing, table)
    return Session.of(source, arguments, watcher, reading, with_records=records)


# The public call `sniff`.


def sniff(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    header: bool | int | None = None,
    table: str | None = None,
    rows: int = 50,
    limits: Limits | str | None = None,
) -> Sniffed:
    r"""Find out how a table is read, and look at its first records.

    Parameters
    ----------
    path : path
    separator, encoding : str, optional
        Of a text file; guessed if they are not named.
    header : bool or int, optional
        Whether the first line of a text file names the columns, or the line that does, below a title; by default what
        it looks like.
    table : str, optional
        The sheet or the table to read, where a file holds several.
    rows : int
        How many records to show.
    limits : Limits or str, optional

    Returns
    -------
    Sniffed
        ``.separator``, ``.encoding``, ``.header``, ``.missing``, ``.columns``, ``.kinds``, ``.records``, ``.rows``, and
        ``.unreadable``: the number of each line that is no record, and why.

    Raises
    ------
    InputError
        If the table cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     people = Path(folder, "people.csv")
    ...     characters = people.write_text("name;age\n" + 12 * "Ada;23\n" + "Bo;25;Graz\n", encoding="utf-8")
    ...     found = sniff(people)
    >>> found
    <Sniffed: text, 12 records, 2 columns, 1 line that cannot be read>
    >>> found.separator, found.header, found.rows[0], found.unreadable[0].reason
    (';', True, ('Ada', '23'), 'It has 3 values, and the table has 2 columns.')
    """
    with name_python_arguments():
        return sniff_table(
            path,
            separator=separator,
            encoding=encoding,
            header=header,
            table=table,
            rows=rows,
            limits=limits,
        )


# The public call `suggest`.


def suggest(
    data: Any,
    *,
    separator: str | None = None,
    header: bool | int | None = None,
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
    header : bool or int, optional
        Whether the first line of a text file names the columns, or the line that does, below a title; by default what
        it looks like.
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
    with name_python_arguments():
        return suggest_roles(
            convert_table(data),
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
            limits=limits,
        )
