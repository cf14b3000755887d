"""The small tables on which methods are tried: each is difficult in one way, and all can be anonymised."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from toolbox import (
    AlphaKAnonymity,
    Anonymizer,
    AverageRisk,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FewColumnsKAnonymity,
    KAnonymity,
    KMAnonymity,
    PopulationUniqueness,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveLDiversity,
    SampleUniqueness,
    TCloseness,
    UsageError,
)
from toolbox.config.model import OnMissing

if TYPE_CHECKING:
    import pandas as pd

IDENTIFIER: Final = "name"
ILLNESS: Final = "illness"
"""A sensitive attribute of categories, none of which more than half of the records have."""
STAGE: Final = "stage"
"""A sensitive attribute of whole numbers, spread in the same way."""

Hierarchy = tuple[tuple[object, ...], ...]


@dataclass(frozen=True, eq=False)
class SmallTable:
    """A table of people, with what an owner would declare of it."""

    name: str
    """What messages call it."""
    columns: Mapping[str, tuple[object, ...]]
    """The quasi-identifiers, all else around them."""
    hierarchies: Mapping[str, Hierarchy]
    """One for each quasi-identifier: each value with its generalisations, the narrowest first."""
    needs_hierarchies: bool = True
    """Whether also methods that can do without are given them."""
    numbers: frozenset[str] = field(default=frozenset())
    """Quasi-identifiers that are numbers."""
    on_missing: OnMissing = "skip"
    for_every_model: bool = False
    """Whether it is tried with every privacy model, not only with the first that a method supports."""

    @property
    def quasi_identifiers(self) -> list[str]:
        """Their names, in the order of the columns."""
        return [name for name in self.columns if name in self.hierarchies]

    @property
    def passed_through(self) -> list[str]:
        """The columns that a release shows as they are."""
        return [name for name in self.columns if name not in (IDENTIFIER, *self.hierarchies)]

    @property
    def size(self) -> int:
        """Number of records."""
        return len(self.columns[IDENTIFIER])

    def kept(self) -> list[int]:
        """Return the positions of the records of a release: all except those that lack a declared value."""
        declared = [*self.quasi_identifiers, ILLNESS, STAGE]
        return [
            row
            for row in range(self.size)
            if self.on_missing == "keep" or all(self.columns[name][row] is not None for name in declared)
        ]

    def rows(self, names: Sequence[str]) -> list[tuple[object, ...]]:
        """Return the values of the kept records in some columns."""
        return [tuple(self.columns[name][row] for name in names) for row in self.kept()]

    def frame(self) -> pd.DataFrame:
        """Return the table as a caller gives it."""
        import pandas as pd

        return pd.DataFrame({name: list(values) for name, values in self.columns.items()})

    def select_rows(self, rows: Sequence[int]) -> SmallTable:
        """Return the table with some of its rows, in the order given."""
        columns = {name: tuple(values[row] for row in rows) for name, values in self.columns.items()}
        return replace(self, columns=MappingProxyType(columns))

    def shuffled(self, seed: int) -> SmallTable:
        """Return the table with its rows in another order."""
        return self.select_rows(random.Random(seed).sample(range(self.size), self.size))

    def drop_categories(self) -> SmallTable:
        """Return the table with numbers alone for its quasi-identifiers."""
        dropped = self.hierarchies.keys() - self.numbers
        columns = {name: values for name, values in self.columns.items() if name not in dropped}
        hierarchies = {name: rows for name, rows in self.hierarchies.items() if name in self.numbers}
        return replace(self, columns=MappingProxyType(columns), hierarchies=hierarchies)

    def set_constant(self, column: str, value: object) -> SmallTable:
        """Return the table with one value for all records in a column."""
        return replace(self, columns=MappingProxyType({**self.columns, column: (value,) * self.size}))


def _make_people(quasi_identifiers: Mapping[str, Sequence[object]]) -> Mapping[str, tuple[object, ...]]:
    """Make a table: a name, the quasi-identifiers, two sensitive attributes, and a note that lacks some values."""
    count = len(next(iter(quasi_identifiers.values())))
    illnesses = ("flu", "cold", "asthma", "flu", "gout", "cold", "flu", "asthma", "cold", "flu", "gout")
    stages = (2, 3, 1, 5, 4)
    first, *rest = ((name, tuple(values)) for name, values in quasi_identifiers.items())
    return MappingProxyType(
        {
            ILLNESS: tuple(illnesses[row % 11] for row in range(count)),
            first[0]: first[1],
            IDENTIFIER: tuple(f"person {row}" for row in range(count)),
            **dict(rest),
            STAGE: tuple(stages[row % 5] for row in range(count)),
            "note": tuple(None if row % 3 == 1 else f"note {row}" for row in range(count)),
        }
    )


def _make_halves(values: Sequence[object], narrow: str, wide: str, root: str) -> Hierarchy:
    """Generalise ordered values: to one of two labels, then to the root."""
    distinct = list(dict.fromkeys(values))
    half = (len(distinct) + 1) // 2
    return tuple((value, narrow if index < half else wide, root) for index, value in enumerate(distinct))


_AGES = (23, 61, 25, 64, 29, 67, 23, 38, 41, 45, 23, 99, 45)
_REGIONS = ("north", "south", "east", "south", "north", "west", "north", "west", "east", "south", "north", "west")
_SEXES = tuple("FMFMFMMFFMFFM")
_DECADES: Hierarchy = tuple(
    (age, f"{age // 10 * 10} to {age // 10 * 10 + 9}", "below 50" if age < 50 else "50 and over", "any")
    for age in range(20, 100)
)
_CLIMATES: Hierarchy = (
    ("north", "cold", "anywhere"),
    ("east", "cold", "anywhere"),
    ("south", "warm", "anywhere"),
    ("west", "warm", "anywhere"),
)
_SEX: Hierarchy = (("F", "*"), ("M", "*"))
_DEGREES = (-20.5, -3.25, -1e-3, 0.5, 7.0, 12.125, 30.0, 1500000.25)
_AWKWARD = ("a,b", 'say "x"', "na\u00efve \u2603", "{x}", "[1:2]", " blank ", "two\nlines", "semi;colon", "'")


def _make_mixed_table() -> SmallTable:
    columns = _make_people({"age": _AGES, "region": (*_REGIONS, "south"), "sex": _SEXES})
    hierarchies = {"age": _DECADES, "region": _CLIMATES, "sex": _SEX}
    return SmallTable("numbers and categories", columns, hierarchies, numbers=frozenset({"age"}), for_every_model=True)


def _make_number_table() -> SmallTable:
    degrees = [_DEGREES[row * 3 % 8] for row in range(20)]
    columns = _make_people({"degrees": degrees, "age": [30 + row * 7 % 20 for row in range(20)]})
    hierarchies = {"degrees": _make_halves(_DEGREES, "cold", "hot", "*"), "age": _DECADES}
    numbers = frozenset({"degrees", "age"})
    return SmallTable("negative and decimal numbers", columns, hierarchies, False, numbers)


def _make_text_table() -> SmallTable:
    where, what = 'where, "roughly"', "what"
    columns = _make_people(
        {
            where: [_AWKWARD[row * 5 % 9] for row in range(18)],
            what: [_AWKWARD[row * row % 9] for row in range(18)],
        }
    )
    known = _make_halves(_AWKWARD, "these, those", '"others"', "*")
    return SmallTable("commas, quotes, line ends and unicode", columns, {where: known, what: known}, False)


def _make_incomplete_table() -> SmallTable:
    ages: list[object] = [None if row % 6 == 2 else 20 + row * 11 % 30 for row in range(24)]
    regions: list[object] = [None if row % 7 == 3 else _REGIONS[row % 12] for row in range(24)]
    columns = _make_people({"age": ages, "region": regions})
    return SmallTable(
        "records with missing values", columns, {"age": _DECADES, "region": _CLIMATES}, numbers=frozenset({"age"})
    )


def _make_missing_table() -> SmallTable:
    regions: list[object] = [None if row % 5 == 3 else _REGIONS[row % 12] for row in range(20)]
    columns = _make_people({"region": regions, "sex": [_SEXES[row % 13] for row in range(20)]})
    hierarchies = {"region": (*_CLIMATES, ("?", "unknown", "anywhere")), "sex": _SEX}
    return SmallTable("missing values as a category", columns, hierarchies, on_missing="keep")


def _make_duplicate_table() -> SmallTable:
    columns = _make_people(
        {"age": [_AGES[row % 4] for row in range(22)], "region": [_REGIONS[row % 4] for row in range(22)]}
    )
    return SmallTable(
        "duplicates", columns, {"age": _DECADES, "region": _CLIMATES}, False, frozenset({"age"}), for_every_model=True
    )


def _make_uniform_table() -> SmallTable:
    columns = _make_people({"age": [40] * 9, "region": ["north"] * 9})
    return SmallTable("one class", columns, {"age": _DECADES, "region": _CLIMATES}, numbers=frozenset({"age"}))


def _make_diverse_table() -> SmallTable:
    columns = _make_people(
        {
            "age": [20 + row * 37 % 80 for row in range(60)],
            "region": [_REGIONS[row * 5 % 12] for row in range(60)],
            "degrees": [_DEGREES[row * 5 % 8] for row in range(60)],
        }
    )
    degrees = _make_halves(_DEGREES, "cold", "hot", "*")
    hierarchies = {"age": _DECADES, "region": _CLIMATES, "degrees": degrees}
    return SmallTable("many classes", columns, hierarchies, numbers=frozenset({"age", "degrees"}))


ONE_CLASS: Final = _make_uniform_table()
"""People who share all their quasi-identifiers."""
TABLES: Final = (
    _make_mixed_table(),
    _make_number_table(),
    _make_text_table(),
    _make_incomplete_table(),
    _make_missing_table(),
    _make_duplicate_table(),
    ONE_CLASS,
    _make_diverse_table(),
)


# The privacy models that methods are asked for when they are checked.

Models = tuple[PrivacyModel, ...]
Values = Sequence[Any]

EXAMPLES: Final[tuple[Models, ...]] = (
    (KAnonymity(k=3),),
    (FewColumnsKAnonymity(k=3, any="1"),),
    (KMAnonymity(k=3, m=2),),
    (DistinctLDiversity(l=2, attribute=ILLNESS),),
    (EntropyLDiversity(l=1.8, attribute=ILLNESS),),
    (RecursiveLDiversity(c=2.5, l=2, attribute=ILLNESS),),
    (TCloseness(t=0.4, attribute=ILLNESS),),
    (TCloseness(t=0.3, attribute=STAGE),),
    (KAnonymity(k=2), DistinctLDiversity(l=3, attribute=STAGE)),
    (AlphaKAnonymity(alpha=0.6, k=2, attribute=ILLNESS),),
    (PSensitiveKAnonymity(p=2, k=3, attribute=ILLNESS),),
    (DeltaDisclosure(delta=2.5, attribute=STAGE),),
    (BasicBetaLikeness(beta=1.5, attribute=ILLNESS),),
    (EnhancedBetaLikeness(beta=2, attribute=STAGE),),
    (AverageRisk(0.3),),
    (SampleUniqueness(0.1),),
    (PopulationUniqueness(0.05, fraction=0.2),),
)
"""What methods are asked for. All tables satisfy each of these when all their records are one class."""


def supported_models(method: type[Anonymizer]) -> list[Models]:
    """Choose the examples that a method says it can honour.

    Raises
    ------
    UsageError
        If it honours none of them.
    """
    supported = [models for models in EXAMPLES if all(map(method.supports, models))]
    if not supported:
        names = ", ".join(sorted({model.name for models in EXAMPLES for model in models}))
        raise UsageError(f"{method.__name__} supports none of {names}. Say which models to try: models=[...].")
    return supported
