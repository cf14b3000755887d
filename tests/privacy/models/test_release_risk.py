"""Models of a whole release: their figures by hand, and all methods that honour them beside a brute force."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from helpers.adult_sizes import ADULT

import toolbox
from toolbox.privacy.model import ReleaseModel
from toolbox.published.uniqueness import estimate_population_uniqueness

LEVELS = [dict(zip("abcd", labels, strict=True)) for labels in ("abcd", ("ab", "ab", "cd", "cd"), "****")]
"""The labels of four values at each level."""
TREE = [(value, LEVELS[1][value], "*") for value in "abcd"]
COSTS = (0, 1 / 3, 1)
"""Of a column at each level, by Iyengar's loss: of four values one, two or four."""
METHODS = ["Flash", "OLA", "MinGen", "Incognito", "Datafly", "LocalRecoding"]


def draw(seed: int, columns: int) -> pd.DataFrame:
    """Draw a table in which some values are rare."""
    generator = np.random.default_rng(seed)
    records = int(generator.integers(8, 30))
    shares = [0.55, 0.25, 0.15, 0.05]
    return pd.DataFrame({f"c{column}": generator.choice(list("abcd"), records, p=shares) for column in range(columns)})


def count_sizes(table: pd.DataFrame, levels: tuple[int, ...]) -> Counter[int]:
    """Count the classes of each size at a node, row by row."""
    rows = [tuple(LEVELS[level][value] for level, value in zip(levels, row, strict=True)) for row in table.to_numpy()]
    return Counter(Counter(rows).values())


def achieve(model: ReleaseModel, sizes: Counter[int]) -> float:
    """Measure a release from scratch."""
    records, classes = sum(size * count for size, count in sizes.items()), sum(sizes.values())
    if isinstance(model, toolbox.AverageRisk):
        return classes / records
    if isinstance(model, toolbox.SampleUniqueness):
        return sizes[1] / records
    assert isinstance(model, toolbox.PopulationUniqueness)
    return estimate_population_uniqueness(sorted(sizes.items()), model.fraction).dankar


def anonymize(table: pd.DataFrame, method: str, models: list[toolbox.PrivacyModel]) -> toolbox.Result:
    hierarchies = dict.fromkeys(table, TREE)
    return toolbox.anonymize(
        table,
        quasi_identifiers=list(table),
        hierarchies=hierarchies,
        method=method,
        models=models,
        suppression_threshold=0,
        order="input",
    )


MODELS: list[ReleaseModel] = [
    toolbox.AverageRisk(0.4),
    toolbox.AverageRisk(0.2),
    toolbox.SampleUniqueness(0.1),
    toolbox.SampleUniqueness(0),
    toolbox.PopulationUniqueness(0.02, fraction=0.1),
    toolbox.PopulationUniqueness(0.05, fraction=0.5),
]


def require_best(table: pd.DataFrame, model: ReleaseModel, method: str, k: int) -> None:
    """Compare the release of a method with all nodes of the lattice."""
    asked: list[toolbox.PrivacyModel] = [model] if k == 1 else [toolbox.KAnonymity(k), model]
    satisfying = {
        levels: sum(COSTS[level] for level in levels)
        for levels in product(range(3), repeat=table.shape[1])
        for sizes in [count_sizes(table, levels)]
        if achieve(model, sizes) <= model.required and min(sizes) >= k
    }
    result = anonymize(table, method, asked)
    released = Counter(Counter(map(tuple, result.release.to_numpy())).values())
    proved = result.summary.proof.models[-1]
    assert proved.achieved == pytest.approx(achieve(model, released), abs=1e-12)
    assert proved.holds
    assert proved.is_estimated == isinstance(model, toolbox.PopulationUniqueness)
    assert achieve(model, released) <= model.required
    if method == "LocalRecoding":
        # Its classes have levels of their own; it loses no more than the roots do.
        assert min(released) >= k
        return
    levels = tuple(max(map(_find_level, result.release[column])) for column in table)
    assert levels in satisfying
    if method in ("Flash", "OLA", "MinGen"):
        assert satisfying[levels] == pytest.approx(min(satisfying.values()))
    if method == "Incognito":
        below = [(*levels[:place], level - 1, *levels[place + 1 :]) for place, level in enumerate(levels) if level]
        assert not any(lower in satisfying for lower in below)


def _find_level(label: str) -> int:
    return 2 if label == "*" else len(label) - 1


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("model", MODELS[::2], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_methods_release_what_a_brute_force_finds(model: ReleaseModel, method: str) -> None:
    if method == "Incognito" and not model.monotone:
        return
    require_best(draw(METHODS.index(method), 2), model, method, k=1 + METHODS.index(method) % 2)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_methods_release_what_a_brute_force_finds_on_200_tables(model: ReleaseModel, method: str) -> None:
    if method == "Incognito" and not model.monotone:
        return
    for seed in range(40):
        require_best(draw(100 + seed, 2 + seed % 2), model, method, k=1 + seed % 3)


@pytest.mark.parametrize("method", ["Mondrian", "PrioPrivacy", "Singletons", "Anatomy"])
def test_methods_that_form_one_class_after_the_other_name_those_that_can(method: str) -> None:
    with pytest.raises(toolbox.UsageError, match=r"cannot honour average-risk .*Datafly, Flash, Incognito"):
        anonymize(draw(1, 2), method, [toolbox.AverageRisk(0.5)])


def test_incognito_honours_only_what_is_monotone() -> None:
    with pytest.raises(toolbox.UsageError, match="Those that can: Datafly, Flash, LocalRecoding, MinGen, OLA"):
        anonymize(draw(1, 2), "Incognito", [toolbox.PopulationUniqueness(0.5, fraction=0.1)])


@pytest.mark.slow
def test_local_recoding_forms_larger_classes_until_all_together_are_few_enough() -> None:
    """Eight persons, each alone: in classes of two the average risk is 1/2, in classes of four 1/4."""
    table = pd.DataFrame({"c0": list("aabbccdd"), "c1": list("abababab"), "c2": list("aaaabbbb")})
    for threshold, most in [(1.0, 8), (0.5, 4), (0.25, 2), (0.125, 1)]:
        result = anonymize(table, "LocalRecoding", [toolbox.AverageRisk(threshold)])
        assert len(result.release.drop_duplicates()) == most
    assert anonymize(table, "LocalRecoding", [toolbox.SampleUniqueness(0)]).summary.proof.smallest_class >= 2


def test_what_not_even_one_class_satisfies_is_refused() -> None:
    table = draw(1, 2)
    with pytest.raises(toolbox.UnsatisfiableError, match="even all records together achieve only"):
        anonymize(table, "Flash", [toolbox.AverageRisk(1 / (len(table) + 1))])


@pytest.mark.slow
def test_suppressed_records_do_not_count() -> None:
    """Of six records two are alone, and suppressed for k = 2: the other four are one class."""
    table = pd.DataFrame({"c0": list("aaaabc"), "c1": list("aaaadb")})
    asked: list[toolbox.PrivacyModel] = [toolbox.KAnonymity(2), toolbox.AverageRisk(0.25)]
    result = toolbox.anonymize(
        table,
        quasi_identifiers=list(table),
        hierarchies=dict.fromkeys(table, TREE),
        method="Flash",
        models=asked,
        suppression_threshold=2,
        order="input",
    )
    assert (result.summary.proof.records_suppressed, result.summary.proof.models[1].achieved) == (2, 0.25)
    report = toolbox.check(result.release, quasi_identifiers=list(table), models=[toolbox.SampleUniqueness(0.1)])
    assert [one.holds for one in report.judged] == [True]


def test_check_judges_a_release() -> None:
    table = pd.DataFrame({"age": ["1", "1", "2", "3"]})
    asked: list[toolbox.PrivacyModel] = [
        toolbox.AverageRisk(0.75),
        toolbox.SampleUniqueness(0.4),
        toolbox.PopulationUniqueness(0.5, fraction=1),
    ]
    judged = toolbox.check(table, quasi_identifiers=["age"], models=asked).judged
    assert [(one.achieved, one.holds) for one in judged] == [(0.75, True), (0.5, False), (0.5, True)]
    assert [one.is_estimated for one in judged] == [False, False, True]


def test_persons_count_once() -> None:
    """Three visits of one person, and one visit each of two others who are alike."""
    visits = pd.DataFrame({"patient": list("pppqr"), "age": list("aaabb")})
    report = toolbox.check(visits, quasi_identifiers=["age"], person="patient", models=[toolbox.SampleUniqueness(0.5)])
    assert report.judged[0].achieved == pytest.approx(1 / 3)


def test_the_figures_of_adult_are_those_that_arx_publishes() -> None:
    assert toolbox.AverageRisk(1).measure(ADULT) == 0.6465751607983555
    assert toolbox.SampleUniqueness(1).measure(ADULT) == 0.5142895033485844
    for fraction, share in ((0.01, 0.1446083531), (0.1, 0.2768499388), (0.2, 0.3577099235), (1, 0.5142895033485844)):
        assert toolbox.PopulationUniqueness(1, fraction=fraction).measure(ADULT) == pytest.approx(share, abs=1e-10)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, True, "much"])
def test_a_threshold_is_a_share(wrong: float) -> None:
    for model in (toolbox.AverageRisk, toolbox.SampleUniqueness):
        with pytest.raises(toolbox.SettingError, match="threshold"):
            model(wrong)
    with pytest.raises(toolbox.SettingError, match="fraction"):
        toolbox.PopulationUniqueness(0.1, fraction=0)


@dataclass(frozen=True, kw_only=True)
class LargestClass(ReleaseModel):
    """The largest class holds few records: by somebody else."""

    name: ClassVar[str] = "largest class"
    monotone: ClassVar[bool] = False

    most: float

    @property
    def required(self) -> float:
        return self.most

    def measure(self, histogram: object) -> float:
        return "many" if self.most == 4 else max(size for size, _ in histogram)  # type: ignore[attr-defined,return-value]


@pytest.mark.slow
def test_a_model_of_somebody_else_is_honoured_and_its_faults_are_told() -> None:
    table = pd.DataFrame({"c0": list("aabbccdd")})
    result = anonymize(table, "MinGen", [toolbox.KAnonymity(2), LargestClass(most=2)])
    assert [(one.name, one.achieved, one.holds) for one in result.summary.proof.models][1] == ("largest class", 2, True)
    with pytest.raises(toolbox.ModelError, match="measure"):
        anonymize(table, "MinGen", [LargestClass(most=4)])
