"""Taiwanese credit data (30,000 records): Mondrian beside the recorded runs of Marchand's report.

The recorded runs are of two other implementations. ``mondrian_metrics.csv`` is the classic cut with bounds that are
tightened only in dimensions that were tried; ``mondrian_metrics_fallback.csv`` has tight bounds and the fallback cut.
Both take as median the first value with at least n // 2 records up to it, where the toolbox takes the first one with at
least n / 2, so their numbers and ours differ by some classes. The bridge between them is the plain Mondrian of this
test: with the recorded median it gives the recorded numbers, with ours it gives the toolbox's classes, one by one.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from helpers.brute_mondrian import Classes, mondrian
from helpers.configurations import Qid, write_configuration
from helpers.losses import discernibility, ncp
from helpers.releases import TextTable, number_is_covered, partition, read_text_table
from helpers.running import run_in_process

pytestmark = pytest.mark.real

# Table 5 of the report: the amount of credit, gender, education, marital status and age, all taken as numbers.
QIDS = ("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE")
Numbers = tuple[int, int, float]
"""Classes, discernibility and NCP."""

measure_ncp = partial(ncp, hierarchies=[None] * len(QIDS))


@pytest.fixture(scope="module")
def credit(shared: Path) -> TextTable:
    return read_text_table(shared / "data" / "credit_default.csv.gz")


def numbers(credit: TextTable) -> list[tuple[float, ...]]:
    return [tuple(map(float, row)) for row in credit.columns(QIDS)]


def recorded(path: Path, algorithm: str) -> dict[int, dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return {int(row["k"]): row for row in csv.DictReader(file) if row["algo"] == algorithm}


def named(found: Classes, rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Write each record of a partition as ``[min:max]`` of its class."""
    shown: dict[int, tuple[str, ...]] = {}
    for one in found:
        columns = zip(*(map(float, rows[number]) for number in one), strict=True)
        name = tuple(f"[{min(column)}:{max(column)}]" for column in columns)
        shown |= dict.fromkeys(one, name)
    return [shown[number] for number in range(len(rows))]


def release(shared: Path, folder: Path, k: int, cut: str) -> TextTable:
    source = shared / "data" / "credit_default.csv.gz"
    config = write_configuration(folder / "config.xml", source=source, separator=",", qids=[Qid(name) for name in QIDS])
    output = folder / "release.csv"
    arguments = ("-config", config, "-method", "Mondrian", "-k", k, "--cut", cut, "-output", output, "--quiet")
    run_in_process(*arguments).succeeded()
    return read_text_table(output)


@pytest.mark.slow
def test_the_five_quasi_identifiers_of_the_report_form_the_recorded_original_classes(
    shared: Path, credit: TextTable
) -> None:
    original = recorded(shared / "fixtures" / "credit" / "mondrian_metrics.csv", "original")[1]
    found = credit.columns(QIDS)
    assert len(found) == int(original["n"]) == 30_000
    assert len(partition(found)) == int(original["classes"]) == 10_517
    assert discernibility(found) == int(original["DM"]) == 238_404


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("k", [pytest.param(2, marks=pytest.mark.slow), 5, pytest.param(10, marks=pytest.mark.slow)])
def test_the_plain_mondrian_of_these_tests_gives_the_recorded_numbers_with_the_recorded_median(
    shared: Path, credit: TextTable, k: int
) -> None:
    found = mondrian(numbers(credit), k, cut="fallback", median_at="n//2")
    shown = named(found, credit.columns(QIDS))
    expected = recorded(shared / "fixtures" / "credit" / "mondrian_metrics_fallback.csv", "own_strict_fallback_tight")[
        k
    ]
    assert (len(found), discernibility(shown)) == (int(expected["classes"]), int(expected["DM"]))
    assert measure_ncp(shown, credit.columns(QIDS)) == pytest.approx(float(expected["NCP_weighted"]), rel=1e-9)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("k", "classic", "fallback", "gain"),
    [
        # recorded:   4,630 / 930,160 / .1332189          6,929 / 254,112 / .0023722
        pytest.param(2, (4116, 969_648, 0.1470365), (6915, 254_356, 0.0024328), 20, marks=pytest.mark.slow),
        # recorded:   2,510 / 979,726 / .1571112          3,563 / 336,442 / .0087489
        (5, (2373, 1_012_698, 0.1668132), (3559, 336_900, 0.0087497), 10),
        # recorded:   1,514 / 1,101,210 / .1794711        1,970 / 521,700 / .0179558
        pytest.param(10, (1460, 1_134_110, 0.1860010), (1973, 521_756, 0.0179172), 5, marks=pytest.mark.slow),
    ],
)
def test_mondrian_cuts_credit_like_a_plain_mondrian_and_the_fallback_loses_many_times_less(
    shared: Path, credit: TextTable, k: int, classic: Numbers, fallback: Numbers, gain: int, tmp_path: Path
) -> None:
    """Classic cuts lose so much because 60 % of the records share the highest SEX, 2, which is then never cut off."""
    losses = {}
    for cut, (classes, squares, certainty) in {"classic": classic, "fallback": fallback}.items():
        found = release(shared, tmp_path, k, cut)
        shown, original = found.columns(QIDS), credit.columns(QIDS)
        assert partition(shown) == mondrian(numbers(credit), k, cut=cut)
        assert (len(partition(shown)), discernibility(shown)) == (classes, squares)
        losses[cut] = measure_ncp(shown, original)
        assert losses[cut] == pytest.approx(certainty, abs=1e-7)

        others = [name for name in credit.header if name not in QIDS]
        assert found.columns(others) == credit.columns(others)
        pairs = {pair for row in zip(shown, original, strict=True) for pair in zip(*row, strict=True)}
        assert [pair for pair in pairs if not number_is_covered(*pair)] == []
    assert losses["classic"] > gain * losses["fallback"]
