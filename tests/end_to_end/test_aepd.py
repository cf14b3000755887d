"""The tables of the Spanish data protection agency's note on k-anonymity, on the screen and through the toolbox."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from helpers import in_order
from helpers.configurations import Qid, write_configuration
from helpers.releases import label_covers, read_hierarchy, read_text_table
from helpers.running import run_in_process

pytestmark = [pytest.mark.real, pytest.mark.sampled(2)]

QIDS = ("Postcode", "Age")
TABLES = [
    # what the note says of each, and what it is: table 6 as printed has one record (37***, 30 - 39)
    ("table1", 2),
    ("table2", 1),
    ("table3_global", 2),
    ("table4_local", 2),
    ("table5", 1),
    ("table5_global_lvl3_1_no_suppression", 1),
    ("table6_as_printed", 1),
    ("table6_fixed_suppress_both", 2),
    ("table6_fixed_wider_age", 2),
]


@pytest.fixture(scope="module")
def aepd(shared: Path) -> Path:
    return shared / "fixtures" / "aepd"


@pytest.mark.parametrize(("name", "k"), TABLES)
def test_each_table_has_the_k_that_counting_gives(aepd: Path, name: str, k: int) -> None:
    expected = json.loads((aepd / "expected.json").read_text(encoding="utf-8"))[name]
    counted = Counter(read_text_table(aepd / f"{name}.csv").columns(QIDS))
    assert {"|".join(values): size for values, size in counted.items()} == expected["classes"]
    assert min(counted.values()) == expected["k"] == k


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), TABLES)
def test_a_table_that_is_already_k_anonymous_is_released_as_it_is_with_its_classes_proved(
    aepd: Path, name: str, k: int
) -> None:
    """Datafly generalises nothing where no class is smaller than k, so its proof counts the table as it was loaded."""
    table = pd.read_csv(aepd / f"{name}.csv", dtype=str)
    flat = {column: [(value, "*") for value in table[column].unique()] for column in QIDS}
    result = in_order.anonymize(
        table,
        quasi_identifiers=QIDS,
        hierarchies=flat,
        kinds=dict.fromkeys(QIDS, "category"),
        method="Datafly",
        k=k,
        suppression_threshold=0,
    )
    expected = json.loads((aepd / "expected.json").read_text(encoding="utf-8"))[name]
    pd.testing.assert_frame_equal(result.release, table, check_dtype=False)
    proof = result.summary.proof
    assert (proof.records, proof.classes, proof.smallest_class) == (expected["rows"], len(expected["classes"]), k)
    assert proof.average_class == pytest.approx(expected["rows"] / len(expected["classes"]))


# Both columns have 5 values, so Postcode, the first, rises. 2470*, 2810*, 3700*, 3789*, 5001* are 5 again, and so are
# 247**, 281**, 370**, 378**, 500**; at level 3 they are 4, and 6 records are alone. Now Age with its 5 values rises,
# to decades; the pairs meet, and the 2 records that are still alone may be suppressed.
TABLE_5_RELEASED = [
    ("37***", "40 - 49", "Y"),
    ("28***", "40 - 49", "Y"),
    ("24***", "30 - 39", "N"),
    ("24***", "30 - 39", "N"),
    ("37***", "40 - 49", "Y"),
    ("28***", "40 - 49", "Y"),
    ("*****", "*", "N"),
    ("*****", "*", "Y"),
]


@pytest.mark.slow
def test_datafly_makes_table_5_truly_2_anonymous(aepd: Path, tmp_path: Path, pycanon_k) -> None:
    qids = [Qid(name, aepd / f"hierarchy_{name.lower()}.csv", "category") for name in QIDS]
    config = write_configuration(tmp_path / "config.xml", source=aepd / "table5.csv", separator=",", qids=qids)
    output = tmp_path / "release.csv"
    summary = run_in_process("-config", config, "-method", "Datafly", "-k", 2, "-output", output, "--json")
    release = read_text_table(output)
    assert list(map(tuple, release.rows)) == TABLE_5_RELEASED
    assert summary.succeeded().document["records_suppressed"] == 2
    assert min(Counter(release.columns(QIDS)).values()) == 2
    assert pycanon_k(output, QIDS) == 2


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("as_frames", [False, True], ids=["hierarchies in files", "hierarchies in DataFrames"])
def test_a_data_frame_is_anonymised_like_the_file(aepd: Path, as_frames: bool) -> None:
    files = {name: aepd / f"hierarchy_{name.lower()}.csv" for name in QIDS}
    frames = {name: pd.read_csv(file, sep=";", header=None, dtype=str) for name, file in files.items()}
    table = pd.read_csv(aepd / "table5.csv", dtype=str)
    result = in_order.anonymize(
        table,
        quasi_identifiers=QIDS,
        hierarchies=frames if as_frames else files,
        kinds=dict.fromkeys(QIDS, "category"),
        method="datafly",
        k=2,
    )
    assert list(result.release.itertuples(index=False, name=None)) == TABLE_5_RELEASED


@pytest.mark.slow
def test_without_suppression_table_5_is_generalised_until_nobody_is_alone(
    aepd: Path, pycanon_k, tmp_path: Path
) -> None:
    table = pd.read_csv(aepd / "table5.csv", dtype=str)
    files = {name: aepd / f"hierarchy_{name.lower()}.csv" for name in QIDS}
    result = in_order.anonymize(
        table,
        quasi_identifiers=QIDS,
        hierarchies=files,
        kinds=dict.fromkeys(QIDS, "category"),
        method="Datafly",
        k=2,
        suppression_threshold=0,
    )
    released = tmp_path / "release.csv"
    result.release.to_csv(released, index=False)
    assert result.summary.proof.records_suppressed == 0
    assert pycanon_k(released, QIDS) == min(Counter(read_text_table(released).columns(QIDS)).values()) >= 2
    for name in QIDS:
        hierarchy = read_hierarchy(files[name])
        pairs = zip(result.release[name], table[name], strict=True)
        assert all(label_covers(shown, original, hierarchy) for shown, original in pairs)
