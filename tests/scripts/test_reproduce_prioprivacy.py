"""The experiments of the PrioPrivacy paper, against what was recorded of them."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from adult_experiments import COLUMNS, EXPERIMENTS, SIZES, Adult
from helpers.amounts import some
from prioprivacy_plot import plot_attributes, plot_datasets
from published_entropy import consistent, quality
from reproduce_prioprivacy import REPRODUCED, STRICT, Point, measured, recorded_points, reproduced, table

# Hand-made releases


def test_entropy_goes_up_the_levels_that_occur() -> None:
    """Four values, one record each: 8 bits.

    Two records at the middle level and two at the top: all four lose 1 bit on the way to the middle, two more on the
    way to the top, counted among these two alone, which are equal already.
    """
    codes = [[np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])]]
    assert quality(codes, np.array([[0, 0, 0, 0]])).dataset == 1
    assert quality(codes, np.array([[1, 1, 2, 2]])).dataset == pytest.approx(1 - 4 / 8)
    assert quality(codes, np.array([[1, 2, 1, 2]])).dataset == pytest.approx(1 - (4 + 2) / 8)


def test_a_person_fits_what_covers_all_values() -> None:
    """{*, 20, *} of the paper: whoever knows its person finds no other record that could be his."""
    codes = [
        [np.array([0, 0, 1, 1, 1]), np.zeros(5, np.int64)],
        [np.zeros(5, np.int64), np.zeros(5, np.int64)],
        [np.array([0, 0, 1, 1, 0]), np.zeros(5, np.int64)],
    ]
    levels = np.array([[0, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
    assert consistent(codes, levels).tolist() == [3, 3, 3, 3, 1]


def test_a_table_has_a_line_for_each_point() -> None:
    points = [Point(1, 5, "ARX", 0.75, 0.9, ()), Point(1, 5, STRICT, 0.7, 0.9, (), below=0, starred=3, seconds=2)]
    assert table(points).splitlines()[2].split() == ["1", "5", "0.7500", "0.7000", "0", "2.0"]


@pytest.mark.slow
def test_both_figures_are_drawn(tmp_path: Path) -> None:
    points = [Point(1, k, method, 0.8, 0.9, (0.1, 0.9)) for k in (2, 3) for method in ("published", "ARX")]
    plot_datasets(points, tmp_path / "one.svg")
    plot_attributes(points, ["b", "a"], ["a", "b"], tmp_path / "two.svg")
    assert all((tmp_path / name).read_text().startswith("<?xml") for name in ("one.svg", "two.svg"))


# The real data


@pytest.fixture(scope="module")
def adult(shared: Path) -> Adult:
    return Adult(shared)


@pytest.mark.real
@pytest.mark.slow
def test_recorded_releases_have_their_recorded_quality_and_risk(adult: Adult) -> None:
    points = {(one.experiment, one.k, one.method): one for one in recorded_points(adult)}
    below = {}
    experiments = some((1, 2, 3), every=3)
    for experiment in experiments:
        for name, method in (("prioprivacy", "published"), ("arx_nue", "ARX")):
            levels = adult.levels(adult.published_release(experiment, name))
            found, expected = quality(adult.codes, levels), points[experiment, 5, method]
            assert found.dataset == pytest.approx(expected.nue, abs=1e-9)
            assert found.attributes == pytest.approx(np.array(expected.attributes), abs=1e-9)
            below[experiment, method] = int((consistent(adult.codes, levels) < 5).sum())
    recorded = {1: 2479, 2: 9541, 3: 7833}
    assert all(below[experiment, "published"] == recorded[experiment] for experiment in experiments)
    assert max(below[experiment, "ARX"] for experiment in experiments) <= 9


@pytest.mark.real
def test_weights_are_those_of_the_recorded_means(adult: Adult) -> None:
    recorded = adult.recorded("derived_weighted_nue").set_index(["experiment", "method", "k"]).iloc[:, 0]
    names = {"published": "prioprivacy", "ARX": "arx_nue"}
    for one in recorded_points(adult):
        assert one.weighted == pytest.approx(recorded[one.experiment, names[one.method], one.k], abs=1e-9)


def _require_reproduced(adult: Adult, experiment: int, k: int) -> np.ndarray:
    """Make a release and return its levels; compare it with all that was recorded of a release: its quality to the last digit, its classes, stars and changes."""
    checks = adult.recorded("output_file_checks")
    mine = (checks.method == "prioprivacy") & (checks.experiment == experiment) & (checks.k == k)
    recorded = checks[mine].iloc[0]
    (published,) = (
        one for one in recorded_points(adult) if (one.experiment, one.k, one.method) == (experiment, k, "published")
    )
    levels = reproduced(adult, experiment, k)
    roots = np.array([len(codes) - 1 for codes in adult.codes])[:, None]
    assert (levels == roots).sum() == recorded.cells_starred
    assert (levels == roots).all(axis=0).sum() == recorded.fully_suppressed_rows
    assert _changed(adult, levels) == recorded.cells_changed
    found = quality(adult.codes, levels)
    assert found.dataset == pytest.approx(published.nue, abs=1e-9)
    assert found.attributes == pytest.approx(np.array(published.attributes), abs=1e-9)
    sizes = _class_sizes(adult, levels)
    assert len(sizes) == recorded.classes
    assert (sizes.min(), sizes[sizes < k].sum()) == (recorded.min_class, recorded.rows_in_classes_below_k)
    return levels


def _class_sizes(adult: Adult, levels: np.ndarray) -> np.ndarray:
    """Count the records that show the same texts."""
    shown = [
        [rows[value][level] for value, level in zip(adult.records[name], of, strict=True)]
        for name, of in zip(COLUMNS, levels, strict=True)
        for rows in [{row[0]: row for row in adult.hierarchies[name]}]
    ]
    return np.array(list(Counter(zip(*shown, strict=True)).values()))


def _changed(adult: Adult, levels: np.ndarray) -> int:
    """Count cells whose text is another one."""
    changed = 0
    for name, of in zip(COLUMNS, levels, strict=True):
        rows = {row[0]: row for row in adult.hierarchies[name]}
        changed += sum(rows[value][level] != value for value, level in zip(adult.records[name], of, strict=True))
    return changed


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("experiment", some((2, 1, 3), every=3))
def test_the_recorded_releases_are_reproduced_cell_by_cell(adult: Adult, experiment: int) -> None:
    """In experiment 2, sets of three and more columns in another order changed 1,246 records."""
    recorded = adult.levels(adult.published_release(experiment, "prioprivacy"))
    assert (_require_reproduced(adult, experiment, 5) == recorded).all()


@pytest.mark.real
@pytest.mark.slow
def test_all_36_points_are_reproduced(adult: Adult) -> None:
    for experiment in EXPERIMENTS:
        for k in SIZES:
            _require_reproduced(adult, experiment, k)


@pytest.mark.real
@pytest.mark.parametrize(
    ("experiment", "least", "weighted"),
    [pytest.param(1, 0.740, 0.926, marks=pytest.mark.slow), pytest.param(2, 0.750, 0.714, marks=pytest.mark.slow)],
)
def test_strict_leaves_nobody_below_k(adult: Adult, experiment: int, least: float, weighted: float) -> None:
    point = measured(adult, experiment, 5, STRICT)
    assert point.below == 0
    assert point.nue > least
    assert point.weighted > weighted


@pytest.mark.slow
@pytest.mark.real
def test_as_published_people_are_left_below_k(adult: Adult) -> None:
    assert measured(adult, 1, 5, REPRODUCED).below == 2479
