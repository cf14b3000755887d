"""How little must be changed for the people who stand out: the flow of `toolbox singletons`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from sqlalchemy import String, cast, func, or_, select

from toolbox.config.model import Config, Kind, Limits, QuasiIdentifier
from toolbox.errors import SettingError, UnknownColumnError
from toolbox.flows.question import Question, by_arguments
from toolbox.flows.tables import Given, judging_store
from toolbox.queries.numbers import Figures, is_code, is_no_number
from toolbox.report.singletons import SingletonsReport
from toolbox.steps import Steps, Watcher
from toolbox.store.caller import as_arrow
from toolbox.store.inputs import InputFiles
from toolbox.store.layout import find_columns
from toolbox.store.load import Loader
from toolbox.store.source import Source, arrow_source
from toolbox.store.store import Store
from toolbox.wording import asked_in_python

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from toolbox.methods.singletons.variants import Scope

Scopes: TypeAlias = Literal["local", "global", "both"]
DEFAULT_K = 2
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def singletons(
    data: str | Path | pd.DataFrame | pa.Table,
    *,
    quasi_identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, Any] = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
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
        A hierarchy file, or rows of a value and its generalisations.
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
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, a point, and between their thousands, nothing.
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
    arguments = locals()
    with asked_in_python():
        question = by_arguments("singletons()", config, arguments)
        given: Given = Path(data) if isinstance(data, (str, Path)) else as_arrow(data)
        return compare_variants(question, given, k=k, scope=scope, rules=rules)


def compare_variants(
    question: Question,
    data: Given,
    *,
    k: int | None = None,
    scope: Scopes = "both",
    rules: Mapping[str, Sequence[str]] = _NOTHING,
    watcher: Watcher | None = None,
) -> SingletonsReport:
    """Measure every variant; `toolbox.singletons` explains the arguments.

    Raises
    ------
    ToolboxError
    """
    from toolbox.methods.singletons.columns import rows_of
    from toolbox.methods.singletons.election import compare

    smallest = (question.smallest_class or DEFAULT_K) if k is None else k
    if not isinstance(smallest, Integral) or isinstance(smallest, bool) or smallest < 2:
        raise SettingError("k", smallest, "a whole number of at least 2")
    if scope not in get_args(Scopes):
        raise SettingError("scope", scope, "one of " + ", ".join(get_args(Scopes)))
    steps = Steps(watcher)
    with judging_store(question, data) as store:
        with steps.step("read"):
            source = _opened(question, store, data)
            config = _with_kinds(question, source, store)
            _require_known(rules, [str(one.column) for one in config.quasi_identifiers])
            loaded = Loader(config, source, store, steps=steps).load()
        with steps.step("compare"):
            rows = rows_of(loaded.tables, smallest, rules)
            scopes: Sequence[Scope] = ("local", "global") if scope == "both" else (scope,)
            compared = compare(rows, smallest, scopes, report=steps.say)
    return SingletonsReport(
        k=smallest,
        records=loaded.records_read,
        incomplete=loaded.records_skipped,
        unchanged=compared.unchanged,
        variants=tuple(one.figures for one in compared.ranked),
        all_tried=compared.all_tried,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
    )


def _opened(question: Question, store: Store, data: Given) -> Source:
    if not isinstance(data, Path):
        return arrow_source(store, data)
    declared = None if question.by_name else question.config.input
    # The input of a configuration may be several files.
    is_declared = declared is not None and data == declared.path
    return InputFiles(declared if declared and is_declared else question.input_of(data)).source(store)


def _require_known(rules: Mapping[str, Sequence[str]], names: Sequence[str]) -> None:
    for name in rules:
        if name not in names:
            raise UnknownColumnError(name, "the list of quasi-identifiers", names)


def _with_kinds(question: Question, source: Source, store: Store) -> Config:
    """Find out which columns of a text file hold numbers, where nobody says what they hold."""
    config = question.config
    if not question.by_name:
        return config
    positions = find_columns(config, source).quasi_identifiers
    attributes = [
        replace(one, kind=_kind(source, store, position, question.figures)) if _is_open(one, source, position) else one
        for one, position in zip(config.quasi_identifiers, positions, strict=True)
    ]
    return replace(config, quasi_identifiers=tuple(attributes))


def _is_open(one: QuasiIdentifier, source: Source, position: int) -> bool:
    declared = one.kind or one.hierarchy or one.categories
    return declared is None and source.kinds[position] is None


def _kind(source: Source, store: Store, position: int, figures: Figures) -> Kind:
    relation = source.relation()
    text = func.nullif(cast(relation.c[f"c{position}"], String), "")
    words = select(func.count()).select_from(relation).where(or_(is_no_number(text, figures), is_code(text)))
    return "category" if store.scalar(words) else "number"
