"""What every privacy model promises, ours and other people's: one function per promise, tried on many small classes."""

from __future__ import annotations

import math
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from itertools import combinations, pairwise, product
from typing import Any, Final, NamedTuple

from sqlalchemy import select

from toolbox import PrivacyModel, ReleaseModel, SettingError
from toolbox.checks.check import CheckFailed, fail, require
from toolbox.config.model import Kind
from toolbox.privacy.classes import Classes
from toolbox.privacy.registry import list_installed_models
from toolbox.queries.dialect import Table
from toolbox.store.engine.store import Store

Members = tuple[int, ...]
"""The sensitive values of one class, as codes."""
_NUMBERS: Final = {"int": (1, 2, 3, 5), "float": (0.3, 0.6, 1.5, 2.0, 2.5, 3.0)}
_MOST_MODELS = 6
_VALUES = 5


class ClassAnswer(NamedTuple):
    """What a model says of one class."""

    achieved: Any
    holds: Any


def _make_pool() -> tuple[Members, ...]:
    """Return classes: of one value, of each value once, and random ones of up to nine records."""
    draw = random.Random(7)
    alike = [(value,) * size for value in (0, _VALUES - 1) for size in (1, 2, 6)]
    mixed = [tuple(draw.choices(range(_VALUES), k=size)) for size in (2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9) for _ in "12"]
    return (*alike, tuple(range(_VALUES)), tuple(range(_VALUES)) * 2, *mixed)


POOL: Final = _make_pool()


@dataclass(frozen=True)
class ModelTrial:
    """A model with its parameters, and a store where it is shown classes."""

    model: PrivacyModel
    kind: Kind
    store: Store = field(repr=False)

    def __str__(self) -> str:
        return f"{type(self.model).__name__}, {self.model}, on {self.kind} values"

    def answers(self, classes: Sequence[Members], numbers: Sequence[int] | None = None) -> list[ClassAnswer]:
        """Ask the model about classes of one table; each must be measured once.

        Parameters
        ----------
        numbers : sequence of int, optional
            The ids of the classes; by default from 1. Rows stand in their order.
        """
        ids = range(1, len(classes) + 1) if numbers is None else numbers
        if isinstance(self.model, ReleaseModel):
            # Each class has the answer that all of them have.
            return [ClassAnswer(*self.model.judge(_count_sizes(classes)))] * len(classes)
        with self.store.scope():
            measured = self.model.achieved(self._shown(dict(zip(ids, classes, strict=True)))).subquery().c
            asked = select(measured.equivalence_id, measured.achieved, self.model.holds(measured.achieved))
            rows = [tuple(row) for row in self.store.rows(asked)]
        found = Counter(row[0] for row in rows)
        require(set(found) == set(ids), f"{len(found)} classes are measured, of {len(ids)}")
        require(max(found.values(), default=1) == 1, "a class is measured more than once")
        said = {number: ClassAnswer(achieved, holds) for number, achieved, holds in rows}
        return [said[number] for number in ids]

    def worst(self, classes: Sequence[Members]) -> ClassAnswer:
        """Return what all classes together achieve, and whether that is enough."""
        if isinstance(self.model, ReleaseModel):
            return ClassAnswer(*self.model.judge(_count_sizes(classes)))
        with self.store.scope():
            shown = self._shown(dict(enumerate(classes)))
            measured = self.model.achieved(shown).subquery()
            worst = select(self.model.worst(measured.c.achieved).label("worst")).subquery()
            return ClassAnswer(*self.store.row(select(worst.c.worst, self.model.holds(worst.c.worst))))

    def _shown(self, classes: dict[int, Members]) -> Classes:
        """Write classes; those of the pool are the whole table, whichever of them are asked about."""

        def table(name: str, columns: Mapping[str, tuple[str, Sequence[float]]]) -> Table:
            import numpy as np

            arrays = {label: np.array(values, dtype=kind) for label, (kind, values) in columns.items()}
            return self.store.from_arrays(name, arrays)

        shown = list(classes)
        random.Random(len(shown)).shuffle(shown)
        people = {"equivalence_id": ("int64", shown), "size": ("int64", [len(classes[number]) for number in shown])}
        sizes = table("sizes", people)
        around = table("population", {**people, "outside": ("int64", [0] * len(shown))})
        if self.model.attribute is None:
            # Each class shows another value in one column.
            columns = table("columns", dict.fromkeys(("equivalence_id", "column_1"), ("int64", shown)))
            return Classes(sizes, population=around, columns=columns, names=("group",))
        held = [(number, value, count) for number in shown for value, count in Counter(classes[number]).items()]
        ids, values, counts = zip(*held, strict=True)
        histogram = {"equivalence_id": ("int64", ids), "value": ("float64", values), "records": ("int64", counts)}
        everybody = Counter(value for members in POOL for value in members)
        overall = {"value": ("float64", list(everybody)), "records": ("int64", list(everybody.values()))}
        nodes = [
            (value, node, level) for value in range(_VALUES) for level, node in ((0, value), (1, 100 + value // 3))
        ]
        below, node, level = zip(*nodes, strict=True)
        tree = {
            "value": ("float64", below),
            "node": ("int64", node),
            "cost": ("float64", [0.5] * len(nodes)),
            "level": ("int64", level),
        }
        return Classes(
            sizes,
            table("histogram", histogram),
            table("overall", overall),
            self.kind,
            table("tree", tree) if self.model.needs_hierarchy else None,
            around,
        )


@dataclass(frozen=True)
class ModelCheck:
    """One promise of every privacy model; call it with a model, a class or one with its parameters."""

    name: str
    promise: str
    try_on: Callable[[ModelTrial], None] = field(repr=False)

    def __str__(self) -> str:
        return self.name

    def __call__(self, model: type[PrivacyModel] | PrivacyModel) -> None:
        """Try a model.

        Parameters
        ----------
        model : subclass of PrivacyModel, or one of its objects
            A class is tried with several values for each of its parameters.

        Raises
        ------
        CheckFailed
            If the promise is broken.
        """
        with Store() as store:
            for tried in list_models(model):
                kinds: tuple[Kind, ...] = ("category", "number") if tried.needs_kind else ("category",)
                for kind in kinds:
                    trial = ModelTrial(tried, kind, store)
                    try:
                        self.try_on(trial)
                    except Exception as error:
                        seen = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
                        raise CheckFailed(self.promise, str(trial), seen, "privacy model") from error


def _count_sizes(classes: Sequence[Members]) -> list[tuple[int, int]]:
    return sorted(Counter(map(len, classes)).items())


def _require_monotone_release(model: ReleaseModel) -> None:
    """Merge two classes of the pool after each other, where the model claims that this never measures more."""
    left = list(POOL)
    draw = random.Random(5)
    while model.monotone and len(left) > 1:
        before = model.judge(_count_sizes(left))[0]
        first, second = draw.sample(range(len(left)), 2)
        merged = left[first] + left[second]
        left = [*(one for place, one in enumerate(left) if place not in (first, second)), merged]
        after = model.judge(_count_sizes(left))[0]
        require(after <= before, f"{before} becomes {after} as two classes merge")


def list_models(model: type[PrivacyModel] | PrivacyModel) -> list[PrivacyModel]:
    """Return what is tried: an object alone, a class with each of some parameters that it takes.

    Raises
    ------
    CheckFailed
        If it takes none of them.
    """
    if isinstance(model, PrivacyModel):
        return [model]
    made = list(_make_models(model))
    made = made[:: max(1, -(-len(made) // _MOST_MODELS))]
    if not made:
        promise = "Take small numbers as parameters, or say in measured_with which are tried"
        raise CheckFailed(promise, model.__name__, "it takes none", "privacy model")
    return made


def _make_models(model: type[PrivacyModel]) -> Iterator[PrivacyModel]:
    own = [each for each in fields(model) if each.name != "attribute" and each.name not in model.measured_with]
    needed = [each for each in own if each.default is MISSING and each.default_factory is MISSING]
    tried = [_NUMBERS.get(str(getattr(each.type, "__name__", each.type)), ()) for each in needed]
    known: dict[str, Any] = {**model.measured_with, **({"attribute": "illness"} if model.needs_attribute else {})}
    for values in product(*tried):
        with suppress(Exception):
            named: dict[str, Any] = {each.name: value for each, value in zip(needed, values, strict=True)}
            yield model(**known, **named)


_CHECKS: list[ModelCheck] = []


def _check(try_on: Callable[[ModelTrial], None]) -> ModelCheck:
    """Make a check from a function, whose docstring is the promise."""
    _CHECKS.append(ModelCheck(try_on.__name__, (try_on.__doc__ or "").rstrip("."), try_on))
    return _CHECKS[-1]


@_check
def every_class_is_measured_once(trial: ModelTrial) -> None:
    """Measure each class once, by a number, and say of each number whether it is enough."""
    for number, answer in enumerate(trial.answers(POOL)):
        is_number = isinstance(answer.achieved, (int, float)) and not isinstance(answer.achieved, bool)
        require(is_number and not math.isnan(answer.achieved), f"{POOL[number]} achieves {answer.achieved!r}")
        require(isinstance(answer.holds, bool), f"whether {POOL[number]} is enough is {answer.holds!r}")


@_check
def order_and_names_of_classes_do_not_matter(trial: ModelTrial) -> None:
    """Measure a class the same under any id, at any place, and whenever it is asked."""
    usual = trial.answers(POOL)
    require(_have_same_answers(usual, trial.answers(POOL)), "two answers to the same question")
    order = random.Random(3).sample(range(len(POOL)), len(POOL))
    moved = trial.answers([POOL[place] for place in order], [1000 - 7 * place for place in order])
    require(_have_same_answers([usual[place] for place in order], moved), "other answers for other ids")


@_check
def classes_are_judged_one_by_one(trial: ModelTrial) -> None:
    """Measure a class the same, whichever others are released with it."""
    if trial.model.counts_outside or trial.model.of_release:
        return
    usual = trial.answers(POOL)
    for place in range(0, len(POOL), 5):
        alone = trial.answers([POOL[place]])
        require(
            _have_same_answers([usual[place]], alone),
            f"{POOL[place]} achieves {usual[place][0]}, and alone {alone[0][0]}",
        )


@_check
def the_worst_class_decides(trial: ModelTrial) -> None:
    """Hold for a table exactly if no class violates it: the worst achieved value is enough if all are."""
    answers = trial.answers(POOL)
    sound = [members for members, answer in zip(POOL, answers, strict=True) if answer.holds]
    groups = [POOL, sound, *([members] for members in POOL[::4])]
    for group in filter(None, groups):
        expected = all(answer.holds for answer in trial.answers(group))
        worst = trial.worst(group)
        require(worst.holds is expected, f"{len(group)} classes achieve {worst.achieved}; enough: {worst.holds}")
        values = [answer.achieved for answer in trial.answers(group)]
        require(any(_close(worst.achieved, value) for value in values), f"{worst.achieved} is achieved by no class")


@_check
def there_is_one_bound(trial: ModelTrial) -> None:
    """Compare with one bound: if a value is enough, so are all on the better side of it."""
    answers = sorted({(float(answer.achieved), answer.holds) for answer in trial.answers(POOL)})
    changes = sum(first[1] is not second[1] for first, second in pairwise(answers))
    require(changes <= 1, f"whether a value is enough changes {changes} times from the smallest to the largest")
    required = trial.model.required
    require(isinstance(required, (int, float)) and not math.isnan(required), f"required is {required!r}")
    enough = [value for value, holds in answers if holds]
    short = [value for value, holds in answers if not holds]
    if enough and short:
        low, high = (max(short), min(enough)) if short[0] < enough[0] else (max(enough), min(short))
        lies = low - 1e-6 <= required <= high + 1e-6
        require(lies, f"{required} is required, and the bound lies between {low:g} and {high:g}")


@_check
def its_claim_to_be_monotone_is_true(trial: ModelTrial) -> None:
    """Be satisfied by two classes together if each satisfies it, where it claims to be monotone."""
    if isinstance(trial.model, ReleaseModel):
        _require_monotone_release(trial.model)
    elif trial.model.monotone:
        sound = _find_satisfying_classes(trial)
        _require_satisfied(trial, [(first, second) for first, second in combinations(sound, 2)])


@_check
def its_claim_that_suppression_helps_is_true(trial: ModelTrial) -> None:
    """Be satisfied by a satisfying class with any other one, where it claims that suppression helps."""
    if trial.model.suppression_helps:
        _require_satisfied(trial, list(product(_find_satisfying_classes(trial), POOL)))


@_check
def no_smaller_class_satisfies_it(trial: ModelTrial) -> None:
    """Name in least_records a whole number, and be satisfied by no smaller class."""
    least = trial.model.least_records
    require(isinstance(least, int) and not isinstance(least, bool) and least >= 0, f"least_records is {least!r}")
    smallest = min(map(len, _find_satisfying_classes(trial)), default=least)
    require(smallest >= least, f"a class of {smallest} satisfies it, and least_records is {least}")


@_check
def settings_without_meaning_are_refused(trial: ModelTrial) -> None:
    """Refuse numbers that are none, and a missing attribute that it protects, with SettingError."""
    wrong: list[dict[str, Any]] = [
        {name: math.nan} for name, value in trial.model.parameters().items() if isinstance(value, (int, float))
    ]
    wrong += [{"attribute": None}] if trial.model.needs_attribute else []
    for changed in wrong:
        try:
            replace(trial.model, **changed)
        except SettingError:
            continue
        fail(f"a model with {', '.join(f'{name}={value}' for name, value in changed.items())}")


@_check
def it_can_be_sent_and_compared(trial: ModelTrial) -> None:
    """Be a frozen dataclass: equal to its copy, in sets and in other processes."""
    sent = pickle.loads(pickle.dumps(trial.model))
    require(sent == trial.model and hash(sent) == hash(trial.model), "another model after it was sent")
    with suppress(AttributeError):
        name = next(iter(trial.model.parameters()), "attribute")
        setattr(trial.model, name, getattr(trial.model, name))
        fail(f"a model whose {name} can be changed")


@_check
def it_is_described(trial: ModelTrial) -> None:
    """Say in its docstring what it is and what each parameter means; if installed, answer to its name alone."""
    model = type(trial.model)
    told = model.__doc__ or ""
    require(told.strip() != "" and not told.startswith(f"{model.__name__}("), "no docstring")
    lacking = [name for name in trial.model.parameters() if f"{name} :" not in told]
    require(not lacking, f"no description of {', '.join(lacking)}")
    others = [
        each.__name__ for each in list_installed_models() if each.name.lower() == model.name.lower() and each != model
    ]
    require(not others, f"{', '.join(others)} under the name {model.name}")


def _find_satisfying_classes(trial: ModelTrial) -> list[Members]:
    return [members for members, answer in zip(POOL, trial.answers(POOL), strict=True) if answer.holds]


def _require_satisfied(trial: ModelTrial, pairs: list[tuple[Members, Members]]) -> None:
    """Stop where the classes of a pair violate the model together."""
    if not pairs:
        return
    for pair, answer in zip(pairs, trial.answers([first + second for first, second in pairs]), strict=True):
        require(answer.holds is True, f"{pair[0]} satisfies it, and together with {pair[1]} does not")


def _have_same_answers(first: Sequence[ClassAnswer], second: Sequence[ClassAnswer]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(_close(one.achieved, other.achieved) and one.holds == other.holds for one, other in pairs)


def _close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


MODEL_CHECKS = tuple(_CHECKS)
