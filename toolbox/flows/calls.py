"""The Python interface of the judge: `check`, `measure` and `risk` of tables in memory or in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from toolbox.config.model import Config, Limits
from toolbox.flows.check import assess_privacy
from toolbox.flows.measure import assess_loss
from toolbox.flows.question import Question, by_arguments
from toolbox.flows.risk import assess_risk
from toolbox.flows.tables import Given
from toolbox.privacy.model import PrivacyModel
from toolbox.report.judgement import CheckReport, LossReport, RiskReport
from toolbox.store.caller import as_arrow
from toolbox.wording import asked_in_python

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Source: TypeAlias = str | Path | pd.DataFrame | pa.Table
    Hierarchies: TypeAlias = Mapping[str, str | Path | pd.DataFrame | Sequence[Sequence[object]]]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def check(
    release: Source,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    models: Sequence[PrivacyModel] = (),
    config: Config | None = None,
    population: Source | None = None,
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
    hierarchies : mapping of column to hierarchy
        A hierarchy file, or rows of a value and its generalisations; to know the root of a column, and to compare with
        a population.
    kinds : mapping of column to {'number', 'category', 'date', 'timestamp'}
        Where the values do not tell. How dates are written may follow: ``date %d.%m.%Y``.
    models : sequence of PrivacyModel
        What the release is required to satisfy.
    separator, encoding : str, optional
        Of files of text: by default the first of ``, ; tab |`` that fits the header, and UTF-8. A release that is UTF-8
        is read so in any case.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, a point, and between their thousands, nothing.
    config : Config, optional
        Says all this instead, but for the limits; see `toolbox.load_config`.
    population : path, pandas.DataFrame or pyarrow.Table, optional
        All people who could be in the release, for k-map and delta-presence.
    harmonised : bool
        Whether each sensitive column is judged with the others as further quasi-identifiers.
    limits : Limits or str, optional

    Returns
    -------
    CheckReport
        ``.holds``, ``.achieved(name, attribute)``, ``.measured`` and ``.judged`` with all of them, ``.document()``.

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
    given = locals()
    with asked_in_python():
        question = by_arguments("check()", config, given)
        table, people = _given(release, question), _optional(population, question)
        return assess_privacy(question, table, population=people, harmonised=harmonised)


def measure(
    original: Source,
    release: Source,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    weights: Mapping[str, float] = _NOTHING,
    label: str | None = None,
    k: int | None = None,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> LossReport:
    """Measure the information that a release has lost, by every metric that applies.

    Parameters
    ----------
    original, release : path, pandas.DataFrame or pyarrow.Table
        Metrics that compare each record with its own need both in one order, with the same records.
    quasi_identifiers, sensitive, hierarchies, kinds, separator, encoding, decimal, thousands, config, limits
        As in `check`.
    weights : mapping of column to float
        Share of a quasi-identifier in weighted metrics; 1 where nothing is said.
    label : str, optional
        The column whose classes a classifier is to tell, for the classification metric; by default the sensitive
        column, if there is one.
    k : int, optional
        The k of the release, for the metrics that count with it.

    Returns
    -------
    LossReport
        ``.measures``, a tuple of named values; ``.document()``.

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
    given = locals()
    with asked_in_python():
        question = by_arguments("measure()", config, given)
        before, after = (_given(source, question, label) for source in (original, release))
        return assess_loss(question, before, after, label=label, k=k)


def risk(
    release: Source,
    *,
    quasi_identifiers: Sequence[str] = (),
    original: Source | None = None,
    population: Source | None = None,
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    threshold: float | None = None,
    k: int | None = None,
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> RiskReport:
    """Measure who is still at risk in a release.

    Parameters
    ----------
    release : path, pandas.DataFrame or pyarrow.Table
    quasi_identifiers, hierarchies, kinds, separator, encoding, decimal, thousands, config, limits
        As in `check`.
    original : path, pandas.DataFrame or pyarrow.Table, optional
        The records that the release was made from, in any order: for each of them the released records that could be
        theirs are counted.
    population : path, pandas.DataFrame or pyarrow.Table, optional
        All people who could be in the release, for the risk from a journalist.
    threshold : float, above 0 and at most 1, default 0.2
        Risk above which a record is at risk.
    k : int, >= 1, default 5
        Fewest released records that should be consistent with a person; by default what the models require.

    Returns
    -------
    RiskReport
        ``.risk``, ``.document()``.

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
    given = locals()
    with asked_in_python():
        question = by_arguments("risk()", config, given)
        return assess_risk(
            question,
            _given(release, question),
            original=_optional(original, question),
            population=_optional(population, question),
            threshold=threshold,
            k=k,
        )


def _given(source: Any, question: Question, *more: str | None) -> Given:
    """Take a table, of which what is asked about must be readable; where columns have numbers, all must be."""
    if isinstance(source, (str, Path)):
        return Path(source)
    names = {str(one.column) for one in (*question.quasi_identifiers, *question.sensitive)}
    declared = {*names, *(str(name) for name in more if name is not None)} if question.by_name else None
    return as_arrow(source, declared=declared, mixed_as_texts=True)


def _optional(source: Any, question: Question) -> Given | None:
    return None if source is None else _given(source, question)
