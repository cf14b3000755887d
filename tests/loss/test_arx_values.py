"""Six releases of Adult by ARX and by PrioPrivacy have the values that ARX recorded for them.

By default `test_brute_force` computes the same metrics from their definitions, and `test_adult` those of another program.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from helpers.comparisons import comparison, with_hierarchy
from helpers.releases import read_hierarchy, read_text_table

from toolbox.config.model import QuasiIdentifier
from toolbox.loss.metric import make_standard_metrics, measure_all
from toolbox.store.engine.store import Store

pytestmark = [pytest.mark.real, pytest.mark.slow]
OF_COLUMNS = {
    "gen_intensity": "generalisation intensity",
    "granularity": "granularity",
    "nue": "non-uniform entropy",
}
OF_TABLES = OF_COLUMNS | {"discernibility": "discernibility (ARX)", "avg_class_size": "average class size (ARX)"}


def recorded(folder: Path, file: str, experiment: int, method: str) -> list[dict[str, str]]:
    with (folder / file).open(encoding="utf-8", newline="") as lines:
        wanted = {"experiment": str(experiment), "method": method, "k": "5"}
        return [row for row in csv.DictReader(lines) if wanted.items() <= row.items()]


def weighted(folder: Path, experiment: int) -> dict[str, float]:
    with (folder / "priorities_weights.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["experiment"] == str(experiment)]
    return {row["attribute"]: float(row["arx_weight"]) for row in rows}


def declared(shared: Path, name: str, weight: float) -> QuasiIdentifier:
    """Declare a column with its hierarchy; the releases have a dash where the labels of its file have a blank."""
    tree = read_hierarchy(shared / "data" / "adult_hierarchies" / f"adult_hierarchy_{name}.csv")
    rows = [(value, *(label.replace(" ", "-") for label in labels)) for value, (_, *labels) in tree.items()]
    return with_hierarchy(name, rows, weight)


@pytest.mark.parametrize(
    ("experiment", "method"),
    [
        (1, "arx_nue"),
        (1, "prioprivacy"),
        (2, "arx_nue"),
        (2, "prioprivacy"),
        (3, "arx_nue"),
        (3, "prioprivacy"),
    ],
)
def test_the_recorded_values(store: Store, shared: Path, experiment: int, method: str) -> None:
    folder = shared / "fixtures" / "prioprivacy"
    adult = read_text_table(shared / "data" / "adult.csv", separator=";")
    weights = weighted(folder, experiment)
    names = list(weights)
    release = read_text_table(folder / "releases" / f"exp{experiment}_{method}_k5.csv.gz", separator=";")
    attributes = [declared(shared, name, weight) for name, weight in weights.items()]
    beside = comparison(store, adult.columns(names), release.columns(names), attributes)
    assert beside.unpaired == ""
    columns = {
        (metric, row["attribute"]): float(row[name])
        for row in recorded(folder, "attribute_level_quality.csv", experiment, method)
        for name, metric in OF_COLUMNS.items()
    }
    (of_table,) = recorded(folder, "dataset_level_quality.csv", experiment, method)
    table = {(metric, None): float(of_table[name]) for name, metric in OF_TABLES.items()}
    (derived,) = recorded(folder, "derived_weighted_nue.csv", experiment, method)
    wanted = (
        columns | table | {("weighted non-uniform entropy", None): float(derived["weighted_mean_of_attribute_nue"])}
    )
    assert len(columns) == 27
    asked = [metric for metric in make_standard_metrics() if metric.name in {name for name, _ in wanted}]
    found = {(one.name, one.attribute): one.value for one in measure_all(beside, asked).measures}
    assert {key: found[key] for key in wanted} == pytest.approx(wanted, rel=1e-11)
