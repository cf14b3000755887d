"""The columns that the arguments of a call declare, each with its kind, its hierarchy, its rank and its weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, cast, get_args

from toolbox.config import values
from toolbox.config.built_columns import declare_builder, find_unfit_kind
from toolbox.config.given import BadValueError
from toolbox.config.model import Attribute, Column, Kind, QuasiIdentifier, find_levels_fault
from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.checks import check_finite_number, freeze_arguments
from toolbox.flows.arguments.reading import name_column_position
from toolbox.hierarchy.builders.builder import Builder, BuilderError
from toolbox.hierarchy.builders.words import make_builder, parse_builder_words
from toolbox.hierarchy.date_formats import PERIODS, Period
from toolbox.hierarchy.from_file import FileHierarchy, convert_to_rows, read_hierarchy_file, read_hierarchy_rows
from toolbox.messages import choose_setting_name, is_asked_in_python, print_note, warn

_LISTS: Final = ("quasi_identifiers", "sensitive", "identifiers", "person")
_DICTS: Final = ("hierarchies", "kinds", "priorities", "weights", "levels")
_DECLARING: Final = "The command line, in --qi and --sensitive,"


@dataclass(frozen=True)
class ColumnArguments:
    """The arguments of `toolbox.anonymize` that describe columns, in its order."""

    quasi_identifiers: Sequence[object]
    sensitive: Sequence[object]
    identifiers: Sequence[object]
    hierarchies: Mapping[Any, Any]
    kinds: Mapping[Any, str]
    priorities: Mapping[Any, int]
    weights: Mapping[Any, float]
    levels: Mapping[Any, Any] = field(default_factory=lambda: MappingProxyType({}))
    person: Sequence[object] = ()
    """One column, or several that tell persons apart together."""

    def __post_init__(self) -> None:
        if isinstance(self.person, str):
            object.__setattr__(self, "person", (self.person,))
        freeze_arguments(self, _LISTS, _DICTS)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The names of the columns that are no part of a release: identifiers, and those of the person."""
        return tuple(dict.fromkeys(map(str, (*self.identifiers, *self.person))))

    def number_columns(self) -> ColumnArguments:
        """Return the same with the columns by their positions, as in a file without a header."""
        lists: dict[str, Any] = {name: [name_column_position(each) for each in getattr(self, name)] for name in _LISTS}
        dicts: dict[str, Any] = {
            name: {name_column_position(key): value for key, value in getattr(self, name).items()} for name in _DICTS
        }
        return ColumnArguments(**lists, **dicts)


class _Nature(NamedTuple):
    """What a column holds."""

    kind: Kind | None = None
    date_format: str | None = None


def find_hierarchy_kinds(hierarchies: Mapping[Any, Any]) -> set[str]:
    """Return the columns whose hierarchy says what they hold; none does not, nor a builder that takes anything.

    Raises
    ------
    UsageError
        If one names a builder, and its settings are wrong.
    """
    return {str(name) for name, hierarchy in hierarchies.items() if _tells_kind(str(name), hierarchy)}


def _tells_kind(name: str, hierarchy: Any) -> bool:
    builder = _find_builder(name, hierarchy)
    return hierarchy is not None and (builder is None or builder.takes != "anything")


def declare_columns(
    quasi_identifiers: Sequence[object],
    sensitive: Sequence[object],
    hierarchies: Mapping[Any, Any],
    kinds: Mapping[Any, str],
) -> tuple[tuple[QuasiIdentifier, ...], tuple[Attribute, ...]]:
    """Declare quasi-identifiers and sensitive attributes; the name of a column may be of any type that has a text.

    Raises
    ------
    UsageError
        If there is no quasi-identifier, or a hierarchy or a kind is wrong or belongs to no declared column.
    """
    if len(quasi_identifiers) == 0:
        raise UsageError("quasi_identifiers is empty. Name the columns of the table that an attacker may know.")
    names, protected = list(map(str, quasi_identifiers)), list(map(str, sensitive))
    trees = {str(name): hierarchy for name, hierarchy in hierarchies.items()}
    natures = {str(name): _parse_kind(f"kinds[{name!r}]", kind) for name, kind in kinds.items()}
    _require_declared("hierarchies", trees, [*names, *protected])
    _require_declared("kinds", natures, [*names, *protected])
    return (
        tuple(_make_quasi_identifier(name, trees.get(name), natures.get(name, _Nature())) for name in names),
        tuple(_make_sensitive(name, trees.get(name), natures.get(name, _Nature())) for name in protected),
    )


def add_ranks(
    declared: Sequence[QuasiIdentifier], priorities: Mapping[Any, int], weights: Mapping[Any, float]
) -> tuple[QuasiIdentifier, ...]:
    """Return the quasi-identifiers with their ranks and weights.

    Raises
    ------
    UsageError
        If a rank or a weight is wrong or belongs to no quasi-identifier.
    """
    names = [str(attribute.column) for attribute in declared]
    ranks = {str(name): _rank(str(name), rank) for name, rank in priorities.items()}
    shares = {str(name): _parse_weight(str(name), weight) for name, weight in weights.items()}
    _require_declared("priorities", ranks, names)
    _require_declared("weights", shares, names)
    return tuple(
        replace(attribute, priority=ranks.get(name), weight=shares.get(name))
        for attribute, name in zip(declared, names, strict=True)
    )


def add_levels(declared: Sequence[QuasiIdentifier], levels: Mapping[Any, Any]) -> tuple[QuasiIdentifier, ...]:
    """Return the quasi-identifiers with their lowest and highest levels.

    Raises
    ------
    UsageError
        If levels are wrong or belong to no quasi-identifier.
    """
    given = {str(name): _parse_levels(str(name), pair) for name, pair in levels.items()}
    _require_declared("levels", given, [str(attribute.column) for attribute in declared])
    made = []
    for attribute in declared:
        low, high = given.get(str(attribute.column), (0, None))
        made.append(replace(attribute, min_level=low, max_level=high))
        if (fault := find_levels_fault(made[-1])) is not None:
            raise UsageError(" ".join(fault))
    return tuple(made)


def _parse_levels(name: str, pair: object) -> tuple[int, int | None]:
    """Read a pair of levels, of which None leaves one open."""
    if isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2:
        low, high = (0 if pair[0] is None else pair[0]), pair[1]
        if _is_level(low) and (high is None or _is_level(high)):
            return int(low), None if high is None else int(high)
    raise SettingError(f"levels[{name!r}]", pair, "the lowest and the highest level, such as (1, 3) or (1, None)")


def _is_level(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= LARGEST_INTEGER


def _rank(name: str, value: object) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= LARGEST_INTEGER:
        return int(value)
    raise SettingError(f"priorities[{name!r}]", value, "a whole number of at least 1, the most important")


def _parse_weight(name: str, value: object) -> float:
    argument = f"weights[{name!r}]"
    if (weight := check_finite_number(argument, value)) > 0:
        return weight
    raise SettingError(argument, value, "a number above 0")


def _require_declared(argument: str, described: Mapping[str, object], columns: Sequence[str]) -> None:
    """Stop where an argument describes a column that is not declared."""
    known = set(columns)
    for name in described:
        if name not in known:
            raise UnknownColumnError(
                name, choose_setting_name(_DECLARING, python=f"The call, in {argument}=,"), columns
            )


def _parse_kind(argument: str, kind: object) -> _Nature:
    """Read the kind of a column, and the format of its dates: ``date %d.%m.%Y``."""
    if isinstance(kind, str) and kind.split(" ")[0].lower() in get_args(Kind):
        try:
            name, _, date_format = values.parse_kind(kind).partition(" ")
            return _Nature(cast("Kind", name), date_format or None)
        except BadValueError as error:
            raise UsageError(f"{argument} is {kind!r}, which {error.args[0]}. {error.args[1]}") from None
    raise SettingError(argument, kind, "one of " + ", ".join(map(repr, get_args(Kind))))


def _make_quasi_identifier(name: str, hierarchy: Any, nature: _Nature) -> QuasiIdentifier:
    column = Column(index=None, name=name)
    kind, date_format = nature
    if hierarchy is None:
        return QuasiIdentifier(column=column, kind=kind, format=date_format)
    if (builder := _find_builder(name, hierarchy)) is not None:
        if (unfit := find_unfit_kind(builder, kind)) is not None:
            remedy = unfit.replace("type=", f"kinds={{{name!r}: ") + "}"
            takes = (
                f"{name!r} is declared as a {kind}, and hierarchies[{name!r}], {builder.name}, takes {builder.takes}."
            )
            raise UsageError(f"{takes} Write {remedy}, or another hierarchy.")
        return declare_builder(QuasiIdentifier(column=column, kind=kind, format=date_format), builder)
    if (periods := _find_periods(name, hierarchy)) and kind not in ("number", "category"):
        return QuasiIdentifier(column=column, kind=kind, format=date_format, periods=periods)
    if kind in ("date", "timestamp"):
        raise UsageError(f"{name!r} is a {kind}. Write hierarchies={{{name!r}: 'month,year,decade'}}, say.")
    tree = _read_hierarchy(name, hierarchy, cast('Literal["number", "category"] | None', kind))
    return QuasiIdentifier(
        column=column,
        kind=tree.kind,
        hierarchy=tree.hierarchy,
        categories=tree.categories,
        listed=tree.listed,
    )


def _find_builder(name: str, hierarchy: Any) -> Builder | None:
    """Return the builder that a hierarchy is, or that it names as the command line does; None if it is none."""
    if isinstance(hierarchy, Builder):
        return hierarchy
    try:
        attributes = parse_builder_words(hierarchy) if isinstance(hierarchy, str) else None
        return None if attributes is None else make_builder(attributes)
    except BuilderError as error:
        said = choose_setting_name(f"--hierarchy {name}", python=f"hierarchies[{name!r}]")
        raise UsageError(f"{said}, {error}") from None


def _find_periods(name: str, hierarchy: Any) -> tuple[Period, ...]:
    """Return the periods that a hierarchy names, such as ``month,year``; nothing if it is something else."""
    words = hierarchy.split(",") if isinstance(hierarchy, str) else hierarchy
    if not isinstance(words, (list, tuple)) or not words or not all(word in PERIODS for word in words):
        return ()
    try:
        return values.parse_ordered_periods(words)
    except BadValueError as error:
        raise UsageError(f"hierarchies[{name!r}] {error.args[0]}. {error.args[1]}") from None


def _make_sensitive(name: str, hierarchy: Any, nature: _Nature) -> Attribute:
    described = _make_quasi_identifier(name, hierarchy, nature)
    return Attribute(
        column=described.column,
        kind=described.kind,
        format=described.format,
        categories=described.categories,
        hierarchy=described.hierarchy,
        listed=described.listed,
        builder=described.builder,
        other=described.other,
    )


def _read_hierarchy(name: str, hierarchy: Any, kind: Literal["number", "category"] | None) -> FileHierarchy:
    if isinstance(hierarchy, (str, Path)):
        tree = read_hierarchy_file(Path(hierarchy), kind, name=name)
        if tree.note:
            (warn if is_asked_in_python() else print_note)(tree.note)
        return tree
    if isinstance(hierarchy, Mapping):
        rows: Any = convert_to_rows(hierarchy, name)
    else:
        rows = hierarchy.to_numpy().tolist() if hasattr(hierarchy, "to_numpy") else hierarchy
    if not isinstance(rows, Iterable) or isinstance(rows, type):
        raise SettingError(f"hierarchies[{name!r}]", hierarchy, "the path of a file, rows, a dict or a builder")
    rows = list(rows)
    if not all(isinstance(row, Iterable) and not isinstance(row, str) for row in rows):
        expected = f"rows of a value and its generalisations, such as [({name!r}, '*')]"
        raise UsageError(f"hierarchies[{name!r}] holds what is no row. Write {expected}.")
    return read_hierarchy_rows(rows, f"the hierarchy of {name!r}", kind)
