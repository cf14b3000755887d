"""A check: one promise of a method, tried on every small table with every privacy model that the method supports."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from toolbox import Anonymizer, PrivacyModel, Result, Summary
from toolbox import anonymize as public_anonymize
from toolbox.checks.tables import IDENTIFIER, ILLNESS, ONE_CLASS, TABLES, Models, SmallTable, supported_models
from toolbox.config.formats import list_formats

if TYPE_CHECKING:
    import pandas as pd

Anonymize = Callable[..., Result]

# What a reader of a release sees: its classes, and whether a value stands for another.

GROUP = "group"
"""The column that connects the two tables of anatomy."""


@dataclass(frozen=True)
class CheckedRelease:
    """One release, and the table from which it was made."""

    table: SmallTable
    given: pd.DataFrame
    """What the call was given, as it is after the call."""
    parts: tuple[pd.DataFrame, ...]
    """One table, or the two of anatomy."""
    summary: Summary

    @property
    def is_anatomy(self) -> bool:
        """Whether quasi-identifiers and all else are in two tables."""
        return len(self.parts) > 1

    def quasi_identifiers(self) -> list[tuple[object, ...]]:
        """Return the released quasi-identifiers of each record."""
        return read_rows(self.parts[0], self.table.quasi_identifiers)

    def passed_through(self) -> list[tuple[object, ...]]:
        """Return the values of each record in the columns that are released as they are."""
        return read_rows(self.parts[-1], self.table.passed_through)

    def classes(self, column: str) -> dict[object, list[object]]:
        """Return the values of a column that passes through, by released quasi-identifiers or by group."""
        frame = self.parts[-1]
        keys: Sequence[object] = read_values(frame, GROUP) if self.is_anatomy else self.quasi_identifiers()
        members: dict[object, list[object]] = defaultdict(list)
        for key, value in zip(keys, read_values(frame, column), strict=True):
            members[key].append(value)
        return members


def read_values(frame: pd.DataFrame, name: Hashable) -> list[object]:
    """Return a column as plain values; None for every kind of missing value."""
    # Only a value that is missing differs from itself, or cannot tell.
    return [value if _is_itself(value) else None for value in frame[name].tolist()]


def read_rows(frame: pd.DataFrame, names: Sequence[Hashable]) -> list[tuple[object, ...]]:
    """Return some columns as one tuple of plain values per row."""
    return list(zip(*(read_values(frame, name) for name in names), strict=True))


def _is_itself(value: Any) -> bool:
    return (value == value) is True  # noqa: PLR0124


# A promise that is tried.


class CheckFailed(AssertionError):  # noqa: N818 - it fails a test, as an assertion does
    """A method, a model or a metric breaks a promise: the promise, the input, and what was seen."""

    def __init__(self, promise: str, given: str, seen: str, what: str = "method") -> None:
        super().__init__(promise, given, seen, what)

    def __str__(self) -> str:
        promise, given, seen, what = self.args
        return f"A {what} breaks its promise.\n  promise: {promise}\n  with:    {given}\n  seen:    {seen}"


@dataclass(frozen=True)
class Trial:
    """A method with one table and the privacy models that the release must satisfy."""

    method: type[Anonymizer]
    models: Models
    table: SmallTable
    anonymize: Anonymize = public_anonymize

    def __str__(self) -> str:
        return f"{self.method.__name__} on the table {self.table.name!r} for {', '.join(map(str, self.models))}"

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats in which the method's classes can be released; the first is the usual one."""
        return (
            (self.method.only_format,)
            if self.method.only_format
            else tuple(name for name, one in list_formats().items() if one.can_be_judged)
        )

    @property
    def sensitive(self) -> list[str]:
        """The columns that the models protect; one of them where they protect none."""
        return sorted({model.attribute for model in self.models if model.attribute}) or [ILLNESS]

    def release(self, table: SmallTable | None = None, /, **options: Any) -> CheckedRelease:
        """Anonymise the table, or another; equal calls give the release of the first."""
        return release_table(self, table or self.table, tuple(sorted(options.items())))

    def release_of_classes(self, **options: Any) -> CheckedRelease:
        """Anonymise without suppressed records, which a reader cannot tell from a class at the root."""
        usual = self.release(**options)
        return self.release(suppressed="drop", **options) if usual.summary.proof.records_suppressed else usual

    def anonymise_again(self, table: SmallTable | None = None, /, **options: Any) -> CheckedRelease:
        """Anonymise without looking at earlier calls."""
        return release_table.__wrapped__(self, table or self.table, tuple(sorted(options.items())))

    def hierarchies(self, table: SmallTable) -> Mapping[str, Sequence[Sequence[object]]]:
        """Return the hierarchies that the method is given."""
        return table.hierarchies if table.needs_hierarchies or self.method.full_domain else {}


@lru_cache(maxsize=1024)
def release_table(trial: Trial, table: SmallTable, options: tuple[tuple[str, Any], ...]) -> CheckedRelease:
    """Return the release of a table by the method of a trial; the same question is answered once."""
    frame = table.frame()
    defaults = {"seed": 1, "output_format": trial.formats[0], "order": "input"}
    with warnings.catch_warnings():
        # Some tables lack values on purpose.
        warnings.filterwarnings("ignore", message=".* not in the release: a declared column has no value")
        result = trial.anonymize(
            frame,
            method=trial.method,
            models=list(trial.models),
            quasi_identifiers=table.quasi_identifiers,
            sensitive=trial.sensitive,
            identifiers=[IDENTIFIER],
            hierarchies=trial.hierarchies(table),
            on_missing=table.on_missing,
            **defaults | dict(options),
        )
    return CheckedRelease(table, frame, result.parts, result.summary)


@dataclass(frozen=True)
class Check:
    """One promise of every method; call it with a method.

    Examples
    --------
    >>> from toolbox.checks import CHECKS
    >>> from toolbox.methods.mondrian import Mondrian
    >>> check = CHECKS[-1]
    >>> print(f"{check}: {check.promise}")
    found_by_its_name_in_any_case: Answer, if installed, to its own names in any case
    >>> check(Mondrian)
    """

    name: str
    promise: str
    try_on: Callable[[Trial], None] = field(repr=False)
    """Raises AssertionError, with what was seen, if the promise is broken."""
    tables: tuple[SmallTable, ...] = field(default=TABLES, repr=False)
    any_model: bool = field(default=False, repr=False)
    """Whether the first privacy model is enough, because the promise is not about it."""

    def __str__(self) -> str:
        return self.name

    def __call__(
        self,
        method: type[Anonymizer],
        *,
        models: Sequence[PrivacyModel] | None = None,
        anonymize: Anonymize = public_anonymize,
    ) -> None:
        """Try a method.

        Parameters
        ----------
        method : subclass of Anonymizer
        models : sequence of PrivacyModel, optional
            What every class must satisfy, all of them at once, in a column ``illness`` or ``stage``; without it, in
            turn, whatever the method says it supports.
        anonymize : callable, optional
            Stands in for `toolbox.anonymize`.

        Raises
        ------
        CheckFailed
            If the promise is broken.
        """
        for trial in self._list_trials(method, models, anonymize):
            try:
                self.try_on(trial)
            except AssertionError as error:
                raise CheckFailed(self.promise, str(trial), str(error)) from error
            except Exception as error:
                raise CheckFailed(self.promise, str(trial), f"{type(error).__name__}: {error}") from error

    def _list_trials(
        self, method: type[Anonymizer], models: Sequence[PrivacyModel] | None, anonymize: Anonymize
    ) -> list[Trial]:
        """List what a method is tried on: all tables with the first models, some tables with each of the others."""
        asked = [tuple(models)] if models else supported_models(method)
        trials = [Trial(method, asked[0], table, anonymize) for table in _select_tables(method, self.tables)]
        if self.any_model:
            return trials
        every = self.tables if self.tables is not TABLES else [table for table in TABLES if table.for_every_model]
        some = _select_tables(method, every)
        return trials + [Trial(method, combination, table, anonymize) for combination in asked[1:] for table in some]


def _select_tables(method: type[Anonymizer], tables: Sequence[SmallTable]) -> Sequence[SmallTable]:
    """Return the tables as the method takes them: one that takes numbers alone gets no categories."""
    if not method.only_numbers:
        return tables
    return [table.drop_categories() for table in tables if table.numbers] or [ONE_CLASS.drop_categories()]


def require(fine: bool, seen: str) -> None:
    """Fail with what was seen, unless it is fine."""
    if not fine:
        fail(seen)


def fail(seen: str) -> NoReturn:
    """Fail with what was seen."""
    raise AssertionError(seen)
