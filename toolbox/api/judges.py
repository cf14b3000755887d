"""The public calls that judge a release or a table: `check`, `measure`, `loss_bound`, `risk` and `singletons`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits
from toolbox.flows.arguments.checks import Reading, require_column_dict, require_whole_number
from toolbox.flows.explore.singletons import Scopes, compare_variants
from toolbox.flows.judge.attackers import make_attack
from toolbox.flows.judge.check import check_release
from toolbox.flows.judge.measure import choose_bound, find_loss_bound, measure_release
from toolbox.flows.judge.question import TableDescription, make_question
from toolbox.flows.judge.risk import assess_risk
from toolbox.flows.judge.tables import (
    Hierarchies,
    TableArgument,
    check_judged_table,
    check_optional_table,
    convert_table,
)
from toolbox.loss.bound import LossBound
from toolbox.loss.metric import LossMetric
from toolbox.messages import name_python_arguments
from toolbox.privacy.model import PrivacyModel
from toolbox.report.explore.singletons import SingletonsReport
from toolbox.report.judges.check import CheckReport
from toolbox.report.judges.measure import LossReport
from toolbox.report.judges.risk import RiskReport

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# The public call `check`.

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def check(
    release: TableArgument,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    person: str | Sequence[str] = (),
    sample_weight: str | None = None,
    sampling_fraction: float | None = None,
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    tables: Mapping[str, Any] = _NOTHING,
    k: int | None = None,
    models: Sequence[PrivacyModel] = (),
    config: Config | None = None,
    population: TableArgument | None = None,
    harmonised: bool = False,
    limits: Limits | str | None = None,
) -> CheckReport:
    """Measure every privacy model on a release, made by any program.

    Records form a class if they agree in all quasi-identifiers, as texts; a missing value is a value like any other.
    Records whose quasi-identifiers are all suppressed (``*``, or the root of the hierarchy) are in no class.

    Parameters
    ----------
    release : path, pandas.DataFrame or pyarrow.Table
    quasi_identifiers : sequence of str, length >= 1
        Columns that an attacker may know.
    sensitive : sequence of str
        Columns that nobody shall learn; the models that protect one are measured for each of them.
    identifiers : sequence of str
        Columns of the release that name people, so that several records of one person are told.
    person : str or sequence of str
        The column of the table that tells persons apart, or the columns that do so together; classes count persons.
    sample_weight : str, optional
        The column that says how many people of a population each record stands for. What follows is estimated.
    sampling_fraction : float, above 0 and at most 1, optional
        The share of the population that is in the release, where there are no weights.
    hierarchies : mapping of column to hierarchy
        A hierarchy file, rows of a value and its generalisations, or a builder of `toolbox.hierarchies`; to know the
        root of a column, and to compare with a population.
    kinds : mapping of column to {'number', 'category', 'date', 'timestamp'}
        Where the values do not tell. How dates are written may follow: ``date %d.%m.%Y``.
    k : int, >= 1, optional
        Also require k-anonymity, as `KAnonymity` among the models does.
    models : sequence of PrivacyModel
        What the release is required to satisfy.
    separator, encoding : str, optional
        Of files of text: by default the first of ``, ; tab |`` that fits the header, and UTF-8. A release that is UTF-8
        is read so in any case.
    header : bool, optional
        Whether the first line of a text names the columns; without one they are named by their positions, ``"0"``.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, a point, and between their thousands, nothing.
    missing : str, optional
        The text of a missing value in the population, besides an empty one. In the release it is a value like others.
    table : str, optional
        The sheet or table that is judged, where the file of the release holds several.
    tables : mapping of str to table or dict, optional
        Releases of other tables of the same persons, by their names, judged by themselves and together with this one.
        Their columns are called after them: ``quasi_identifiers=["age", "visits.ward"]``. A dict has the ``release``
        and its ``key``, if that is called otherwise than the person.
    config : Config, optional
        Declares all this instead, except the limits; see `toolbox.load_config`.
    population : path, pandas.DataFrame or pyarrow.Table, optional
        All people who could be in the release, for k-map and delta-presence.
    harmonised : bool
        Whether each sensitive attribute is judged with the others as further quasi-identifiers.
    limits : Limits or str, optional

    Returns
    -------
    CheckReport
        ``.holds``, ``.achieved(name, attribute)``, ``.measured`` and ``.judged`` with all of them, ``.document()``;
        of several tables ``.tables`` with a report of each child table, and ``.profiles`` over all of them.

    Raises
    ------
    UsageError
        If the arguments are wrong.
    InputError
        If a table cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": ["20-29", "20-29", "30-39", "30-39"], "illness": ["flu", "cold", "flu", "flu"]})
    >>> report = check(table, quasi_identifiers=["age"], sensitive=["illness"])
    >>> report.achieved("k-anonymity"), report.achieved("distinct l-diversity", "illness")
    (2, 1)
    """
    with name_python_arguments():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifiers=identifiers,
            person=person,
            hierarchies=hierarchies,
            kinds=kinds,
            models=models,
            tables=tables,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        require_whole_number("k", k, 1)
        question = make_question("check()", config, description, limits)
        question = question.add_sample(sample_weight, sampling_fraction, None)
        if k is not None:
            question = question.require_k(k)
        judged = check_judged_table(release, question)
        return check_release(
            question,
            judged,
            population=check_optional_table(population, question),
            harmonised=harmonised,
        )


# The public call `measure`.


def measure(
    original: TableArgument,
    release: TableArgument,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    person: str | Sequence[str] = (),
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    tables: Mapping[str, Any] = _NOTHING,
    weights: Mapping[str, float] = _NOTHING,
    label: str | None = None,
    k: int | None = None,
    metrics: Sequence[str | LossMetric] = (),
    bound: Sequence[str | LossMetric] = (),
    bound_seconds: float | None = None,
    pairs: bool = False,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> LossReport:
    """Measure the information that a release has lost, by every metric that applies.

    Parameters
    ----------
    original, release : path, pandas.DataFrame or pyarrow.Table
        Metrics that compare each record with its own need both in one order, with the same records.
    quasi_identifiers, sensitive, hierarchies, kinds, config, limits
        As in `check`.
    person : str or sequence of str
        The column of the original records that tells persons apart, or the columns that do so together. Metrics of the
        sizes of classes count persons then. If the release lacks it, it must be known what each record became.
    separator, header, encoding, decimal, thousands, missing
        As in `check`.
    table : str, optional
        The sheet or table of the original records, where their file holds several.
    tables : mapping of str to dict, optional
        Other tables of the same persons, as in `check`, each with its ``release`` and its ``original`` rows.
    weights : mapping of column to float
        Share of a quasi-identifier in weighted metrics; 1 where nothing is said.
    label : str, optional
        The column that a classifier should predict, for the classification metric; by default the sensitive
        column, if there is one.
    k : int, optional
        The k of the release, for the metrics that need it.
    metrics : sequence of str or LossMetric, optional
        Those to measure; by default all.
    bound : sequence of str or LossMetric, optional
        Sums over cells, such as ``["lm"]``: it is also proved what every release of this kind loses at least. k is the
        one that is given, or else that of the release.
    bound_seconds : float, default 60
        Most time of the search for each bound.
    pairs : bool
        Also compare each pair of columns, of the first 20: the two-way table, the correlation, means and variances.

    Returns
    -------
    LossReport
        ``.measures``, a tuple of named values; ``.bounds``; ``.pairs``; ``.tables``, that of each child table;
        ``.document()``.

    Raises
    ------
    UsageError
        If the arguments are wrong.
    InputError
        If a table cannot be read, or a released value stands for nothing that is known.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 28, 33, 39]})
    >>> release = pd.DataFrame({"age": ["[21:28]", "[21:28]", "[33:39]", "[33:39]"]})
    >>> report = measure(people, release, quasi_identifiers=["age"])
    >>> round(report.value("normalised certainty penalty"), 4)  # ((28 - 21) + (39 - 33)) / 2 of 39 - 21
    0.3611
    """
    with name_python_arguments():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            person=person,
            hierarchies=hierarchies,
            kinds=kinds,
            weights=weights,
            tables=tables,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        question = make_question("measure()", config, description, limits)
        before, after = (check_judged_table(table, question, label) for table in (original, release))
        return measure_release(
            question,
            before,
            after,
            label=label,
            k=k,
            metrics=metrics,
            bound=choose_bound(bound, bound_seconds),
            pairs=pairs,
        )


# The public call `loss_bound`.


def loss_bound(
    original: TableArgument,
    *,
    k: int,
    metric: str | LossMetric = "lm",
    seconds: float | None = None,
    quasi_identifiers: Sequence[str] = (),
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    weights: Mapping[str, float] = _NOTHING,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> LossBound:
    """Prove what every k-anonymous recoding of a table with its hierarchies loses at least.

    Every record may be generalised along the hierarchies as it likes, or be suppressed, and no release loses less.

    Parameters
    ----------
    original : path, pandas.DataFrame or pyarrow.Table
    k : int, >= 1
        Fewest records of a class.
    metric : str or LossMetric
        A sum over cells: ``lm``, ``granularity``, ``ncp``, ``precision``, or one of your own.
    seconds : float, default 60
        Most time of the search. Less time makes a lower bound, which holds as well.
    quasi_identifiers, hierarchies, kinds, separator, header, encoding, decimal, thousands, missing, table, weights
        As in `measure`.
    config, limits
        As in `check`.

    Returns
    -------
    LossBound
        ``.value``; ``.certificate``, the prices that prove it; ``.document()``.

    Raises
    ------
    UsageError
        If the arguments are wrong, or the metric is no sum over cells.
    InputError
        If the table cannot be read.

    Examples
    --------
    Linz and Wels have one person each, so that two of four people lose the whole column.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"city": ["Graz", "Graz", "Linz", "Wels"]})
    >>> found = loss_bound(people, k=2, quasi_identifiers=["city"])
    >>> print(found)
    No release of this kind loses less than 0.5000 (loss metric (LM), k=2).
    """
    with name_python_arguments():
        require_whole_number("k", k, 1)
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            kinds=kinds,
            weights=weights,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        question = make_question("loss_bound()", config, description, limits)
        asked = choose_bound([metric], seconds)
        assert asked is not None, "a metric is named"
        return find_loss_bound(question, check_judged_table(original, question), asked, k)


# The public call `risk`.


def risk(
    release: TableArgument,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    person: str | Sequence[str] = (),
    sample_weight: str | None = None,
    sampling_fraction: float | None = None,
    household: str | None = None,
    original: TableArgument | None = None,
    population: TableArgument | None = None,
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    tables: Mapping[str, Any] = _NOTHING,
    threshold: float | None = None,
    k: int | None = None,
    above: float | Sequence[float] | None = None,
    matching: bool = False,
    known: Sequence[str] = (),
    insiders: float | None = None,
    few_columns: int | None = None,
    control: TableArgument | None = None,
    earlier: TableArgument | None = None,
    key: str | None = None,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> RiskReport:
    """Measure who is still at risk in a release.

    Parameters
    ----------
    release : path, pandas.DataFrame or pyarrow.Table
    quasi_identifiers, sensitive, hierarchies, kinds, config, limits
        As in `check`.
    separator, header, encoding, decimal, thousands, missing
        As in `check`.
    identifiers : sequence of str
        Columns of the release, or of the original records, that name people.
    person : str or sequence of str
        The column of the table that tells persons apart, or the columns that do so together; classes count persons.
    sample_weight : str, optional
        The column that says how many people of a population each record stands for. What follows is estimated.
    sampling_fraction : float, above 0 and at most 1, optional
        The share of the population that is in the release, where there are no weights.
    household : str, optional
        The column that tells households apart: whoever finds one of them finds the others.
    table : str, optional
        The sheet or table of the original records, or without them that of the release, where a file holds several.
    tables : mapping of str to table or dict, optional
        Other tables of the same persons, as in `check`; a dict may have the ``original`` rows, too.
    original : path, pandas.DataFrame or pyarrow.Table, optional
        The records that the release was made from, in any order: for each of them the released records that could be
        theirs are counted.
    population : path, pandas.DataFrame or pyarrow.Table, optional
        All people who could be in the release, for the risk from a journalist.
    threshold : float, above 0 and at most 1, default 0.2
        Risk above which a record is at risk.
    k : int, >= 1, default 5
        Fewest released records that should be consistent with a person; by default what the models require.
    above : float or sequence of float, above 0 and below 1, optional
        A belief, or several: people of whom some sensitive value is believed more strongly are counted, as those
        above .5 and .9.
    matching : bool
        Whether an attacker is measured, too, who matches all people with the rows at once; see docs/matching.md. It
        needs ``original=`` or ``population=``, and the extra ``matching``.
    known : sequence of str, optional
        The quasi-identifiers that this attacker knows of people; by default all.
    insiders : float, at least 0 and below 1, optional
        Share of the people who have told this attacker which row is theirs.
    few_columns : int, >= 1, optional
        Whom somebody finds, too, who knows any so many of the quasi-identifiers, or fewer: each set is counted.
    control : path, pandas.DataFrame or pyarrow.Table, optional
        People of the same source who are not in the release: how much better an attacker does on those who are.
    earlier : path, pandas.DataFrame or pyarrow.Table, optional
        An earlier release of the same people, with columns of the same names, which an attacker holds as well.
    key : str, optional
        The column of both releases that links the rows of one person, or ``none``; by default their order does. If it
        is what tells persons apart, several rows may have it.

    Returns
    -------
    RiskReport
        ``.risk``, ``.few_columns``, ``.statistics``, ``.sensitive``, ``.minimality``, ``.matching``, ``.control``,
        ``.joint``, ``.profiles`` and ``.tables`` of several tables, ``.document()``.

    Raises
    ------
    UsageError
        If the arguments are wrong.
    InputError
        If a table cannot be read, or a released value stands for nothing that is known.

    Examples
    --------
    One row looks like no other, but fits everybody; and the person of the first row fits two rows only.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 21, 35, 35]})
    >>> release = pd.DataFrame({"age": ["21", "*", "35", "35"]})
    >>> report = risk(release, quasi_identifiers=["age"], original=people, k=3)
    >>> report.risk.prosecutor.records_at_risk, report.risk.consistency.below_k, report.risk.consistency.lowest
    (3, 2, 2)
    """
    with name_python_arguments():
        named: dict[str, Any] = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, "person": person}
        reading = Reading(separator, header, encoding, decimal, thousands, missing, table)
        description = TableDescription(
            **named, identifiers=identifiers, hierarchies=hierarchies, kinds=kinds, tables=tables, reading=reading
        )
        question = make_question("risk()", config, description, limits)
        question = question.add_sample(sample_weight, sampling_fraction, household)
        asked: dict[str, Any] = {"threshold": threshold, "k": k, "link": key, "above": above}
        compared = {"original": original, "population": population, "earlier": earlier, "control": control}
        asked |= {name: check_optional_table(given, question) for name, given in compared.items()}
        asked |= {"few_columns": few_columns, "attack": make_attack(matching, known, insiders)}
        judged = check_judged_table(release, question)
        return assess_risk(question, judged, **asked)


# The public call `singletons`.


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
        The text of a missing value, besides an empty one; ``?`` if nothing is said.
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
    with name_python_arguments():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            kinds=kinds,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        question = make_question("singletons()", config, description, limits)
        return compare_variants(
            question, convert_table(data), k=k, scope=scope, rules=require_column_dict("rules", rules)
        )
