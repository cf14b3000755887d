"""Small random tables with the population that they are from, and k-map and delta-presence by counting in a loop."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

import pandas as pd

from toolbox import DeltaPresence, DistinctLDiversity, KAnonymity, KMap
from toolbox.privacy.model import PrivacyModel

Row = tuple[object, ...]
Levels = tuple[int, ...]

PATHS: Mapping[str, Mapping[object, tuple[str, ...]]] = {
    "age": {age: (str(age), f"{age // 20 * 20} to {age // 20 * 20 + 19}", "*") for age in (10, 20, 30, 40, 50, 70)},
    "town": {
        town: (town, valley, "*")
        for valley, towns in {"north": ["Linz", "Wels"], "south": ["Graz", "Leoben"], "east": ["Wien"]}.items()
        for town in towns
    },
    "sex": {"f": ("f", "*"), "m": ("m", "*")},
}
"""What each value is at every level."""
HIERARCHIES = {name: [(value, *path[1:]) for value, path in paths.items()] for name, paths in PATHS.items()}


@dataclass(frozen=True)
class Case:
    """One table, its population, and what is required."""

    names: tuple[str, ...]
    table: list[Row]
    ills: list[str]
    people: list[Row]
    models: tuple[PrivacyModel, ...]
    limit: int

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.table, columns=list(self.names)).assign(ill=self.ills)

    @property
    def population(self) -> pd.DataFrame:
        return pd.DataFrame(self.people, columns=list(self.names))

    @property
    def declared(self) -> dict[str, object]:
        trees = {name: HIERARCHIES[name] for name in self.names}
        return {"quasi_identifiers": list(self.names), "sensitive": ["ill"], "hierarchies": trees}


def random_case(seed: int) -> Case:
    """Draw a case: most records are of people in the population, some of nobody in it."""
    draw = Random(seed)
    names = tuple(draw.sample(list(PATHS), draw.choice([1, 2, 2, 3])))

    def person() -> Row:
        return tuple(draw.choice(list(PATHS[name])) for name in names)

    people = [person() for _ in range(draw.randint(1, 30))]
    table = draw.sample(people, draw.randint(1, len(people)))[:12]
    if draw.random() < 0.2:
        table.append(person())
    least = draw.choice([0.05, 0.1, 0.2])
    compared = [
        KMap(k=draw.randint(1, 6)),
        DeltaPresence(delta_max=draw.choice([0.3, 0.5, 0.8, 1.0])),
        DeltaPresence(delta_max=draw.choice([0.5, 0.8, 1.0]), delta_min=least),
    ]
    others = [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="ill")]
    models = draw.sample(compared, draw.choice([1, 1, 2])) + draw.sample(others, draw.choice([0, 0, 1]))
    ills = [draw.choice(["flu", "gout"]) for _ in table]
    return Case(names, table, ills, people, tuple(models), draw.choice([0, 0, 1, 3]))


def minimal_nodes(case: Case) -> dict[Levels, int]:
    """Return the satisfying nodes below which none satisfies, each with the records that it suppresses."""
    nodes = _nodes(case)
    satisfying = {levels: count for levels in nodes if (count := suppressed_at(case, levels)) <= case.limit}
    return {levels: count for levels, count in satisfying.items() if not any(_below(low, levels) for low in satisfying)}


def discernibility(case: Case) -> float | None:
    """Return the least discernibility of all satisfying nodes; None if there is none."""
    nodes = _nodes(case)
    costs = [_discernibility(case, levels) for levels in nodes if suppressed_at(case, levels) <= case.limit]
    return min(costs, default=None)


def _nodes(case: Case) -> list[Levels]:
    """List the nodes of the lattice; none where all records together are no class that is large enough for every model.

    The toolbox stops there, also if it might suppress everybody.
    """
    if len(case.table) < max(model.least_records for model in case.models):
        return []
    all_levels = [range(len(next(iter(PATHS[name].values())))) for name in case.names]
    top = tuple(len(levels) - 1 for levels in all_levels)
    whole = [model for model in case.models if model.suppression_helps or not case.limit]
    (ills,) = _classes(case, top).values()
    return list(product(*all_levels)) if satisfies(whole, ills, len(case.people), 0) else []


def suppressed_at(case: Case, levels: Levels) -> int:
    """Count the records at a node that must be suppressed."""
    classes = _classes(case, levels)
    return sum(len(classes[name]) for name in _violating(case, levels))


def _discernibility(case: Case, levels: Levels) -> float:
    violating, classes = _violating(case, levels), _classes(case, levels)
    suppressed = sum(len(classes[name]) for name in violating)
    return suppressed**2 + sum(len(ills) ** 2 for name, ills in classes.items() if name not in violating)


def _classes(case: Case, levels: Levels) -> dict[Row, list[str]]:
    classes = defaultdict(list)
    for row, ill in zip(case.table, case.ills, strict=True):
        classes[_at(case.names, row, levels)].append(ill)
    return classes


def _violating(case: Case, levels: Levels) -> set[Row]:
    """Suppress what violates a model, until nothing else does for it."""
    classes = _classes(case, levels)
    people = Counter(_at(case.names, row, levels) for row in case.people)
    violating: set[Row] = set()
    while True:
        outside = sum(count for name, count in people.items() if name not in classes or name in violating)
        more = {name for name, ills in classes.items() if not satisfies(case.models, ills, people[name], outside)}
        if more <= violating:
            return violating
        violating |= more


def satisfies(models: Sequence[PrivacyModel], ills: Sequence[str], people: int, outside: int) -> bool:
    """Judge one class that covers so many people, beside so many whom no class covers."""
    return all(_satisfies(model, ills, people, outside) for model in models)


def _satisfies(model: PrivacyModel, ills: Sequence[str], people: int, outside: int) -> bool:
    if isinstance(model, KMap):
        return people >= model.k
    if isinstance(model, DeltaPresence):
        if not people or (model.delta_min and outside):
            return False
        return model.delta_min <= len(ills) / people <= model.delta_max
    if isinstance(model, KAnonymity):
        return len(ills) >= model.k
    assert isinstance(model, DistinctLDiversity)
    return len(set(ills)) >= model.l


def released_satisfies(case: Case, release: pd.DataFrame) -> bool:
    """Judge a release in which nothing is suppressed, whoever made it: by what each cell stands for."""
    classes = defaultdict(list)
    for *cells, ill in release[[*case.names, "ill"]].astype(str).itertuples(index=False):
        classes[tuple(cells)].append(ill)
    covering = {cells: [row for row in case.people if _covers(case.names, cells, row)] for cells in classes}
    outside = [row for row in case.people if not any(row in covered for covered in covering.values())]
    return all(satisfies(case.models, ills, len(covering[cells]), len(outside)) for cells, ills in classes.items())


def _covers(names: Sequence[str], cells: Row, row: Row) -> bool:
    return all(_takes_in(name, str(cell), value) for name, cell, value in zip(names, cells, row, strict=True))


def _takes_in(name: str, cell: str, value: object) -> bool:
    if cell.startswith("["):
        low, high = map(float, cell[1:-1].split(":"))
        return low <= float(str(value)) <= high
    if cell.startswith("{"):
        return str(value) in cell[1:-1].split(",")
    return cell in PATHS[name][value]


def _at(names: Sequence[str], row: Row, levels: Levels) -> Row:
    return tuple(PATHS[name][value][level] for name, value, level in zip(names, row, levels, strict=True))


def _below(low: Levels, levels: Levels) -> bool:
    return low != levels and all(one <= other for one, other in zip(low, levels, strict=True))
