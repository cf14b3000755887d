"""The public call `risk`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from toolbox.config.model import Config, Limits
from toolbox.flows.asking import TableDescription, question_of_call
from toolbox.flows.callers_tables import Hierarchies, Source, judged_table, optional_table
from toolbox.flows.matching import attack_of
from toolbox.flows.risk import assess_risk
from toolbox.flows.text_input import Reading
from toolbox.messages import asked_in_python
from toolbox.report.risk import RiskReport

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def risk(
    release: Source,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    original: Source | None = None,
    population: Source | None = None,
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    threshold: float | None = None,
    k: int | None = None,
    above: float | Sequence[float] | None = None,
    matching: bool = False,
    known: Sequence[str] = (),
    insiders: float | None = None,
    earlier: Source | None = None,
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
    table : str, optional
        The sheet or table of the original records, or without them that of the release, where a file holds several.
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
    earlier : path, pandas.DataFrame or pyarrow.Table, optional
        An earlier release of the same people, with columns of the same names, which an attacker holds as well.
    key : str, optional
        The column of both releases that links the rows of one person, or ``none``; by default their order does.

    Returns
    -------
    RiskReport
        ``.risk``, ``.statistics``, ``.sensitive``, ``.minimality``, ``.matching``, ``.joint``, ``.document()``.

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
    with asked_in_python():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            kinds=kinds,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        question = question_of_call("risk()", config, description, limits)
        return assess_risk(
            question,
            judged_table(release, question),
            original=optional_table(original, question),
            population=optional_table(population, question),
            threshold=threshold,
            k=k,
            attack=attack_of(matching, known, insiders),
            earlier=optional_table(earlier, question),
            link=key,
            above=above,
        )
