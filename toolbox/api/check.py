"""The public call `check`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from toolbox.config.model import Config, Limits
from toolbox.flows.arguments import require_whole_number
from toolbox.flows.asking import TableDescription, question_of_call
from toolbox.flows.callers_tables import Hierarchies, Source, judged_table, optional_table
from toolbox.flows.check import check_release
from toolbox.flows.text_input import Reading
from toolbox.messages import asked_in_python
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.report.check import CheckReport

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def check(
    release: Source,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    k: int | None = None,
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
    identifiers : sequence of str
        Columns of the release that name people, so that several records of one person are told.
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
        The text of a missing value in the original records, besides an empty one.
    table : str, optional
        The sheet or table that is judged, where the file of the release holds several.
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
    with asked_in_python():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifiers=identifiers,
            hierarchies=hierarchies,
            kinds=kinds,
            models=models,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        require_whole_number("k", k, 1)
        question = question_of_call("check()", config, description, limits)
        if k is not None:
            question = replace(question, models=tuple(dict.fromkeys((KAnonymity(k=k), *question.models))))
        return check_release(
            question,
            judged_table(release, question),
            population=optional_table(population, question),
            harmonised=harmonised,
        )
