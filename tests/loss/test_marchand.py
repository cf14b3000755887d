"""The four tables of Marchand (2019), by hand. Where the paper's formulas slip, the corrected ones are computed."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import pytest
from helpers.comparisons import measured, reasons, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.config.model import Limits, QuasiIdentifier
from toolbox.loss.cells import Granularity, IyengarLoss, NormalisedCertaintyPenalty, Precision
from toolbox.loss.distances import AbsoluteDistance, FullDomainPrecision, RelativeDistance
from toolbox.loss.entropy import ConditionalEntropy, NormalisedConditionalEntropy
from toolbox.loss.metric import LossMetric
from toolbox.loss.sizes import ClassificationMetric, Discernibility, NormalisedClassificationMetric, NumberOfClasses
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

GENDER = quasi_identifier("Gender", hierarchy="F {F,N} {F,M,N}\nN {F,N} {F,M,N}\nM {M} {F,M,N}")
AGE = quasi_identifier("Age", hierarchy="24 {24,29}\n29 {24,29}")
ORIGINAL = """
F 29
F 24
M 24
M 24
N 24
"""
# Behind the quasi-identifiers: the balance, and whether it is at least 250.
TABLES = {
    1: "F 29 250 rich\nF 24 100 poor\nM 24 -50 poor\nM 24 500 rich\nN 24 250 rich",
    2: "{F,N} {24,29} 250 rich\n{F,N} {24,29} 100 poor\nM {24,29} -50 poor\nM {24,29} 500 rich\n{F,N} {24,29} 250 rich",
    3: "{F,N} {24,29} 250 rich\n{F,N} {24,29} 100 poor\nM 24 -50 poor\nM 24 500 rich\n{F,N} {24,29} 250 rich",
    4: "{F,M} {24,29} 250 rich\n{F,M} {24,29} 100 poor\n{F,M} {24,29} -50 poor\n{M,N} 24 500 rich\n{M,N} 24 250 rich",
}
TWO_OF_F_AND_N = log2(3) - 2 / 3
ONE_OF_FOUR_OLD = log2(5) - 8 / 5


def beside(store: Store, number: int, *attributes: QuasiIdentifier) -> Comparison:
    return unpaired(store, ORIGINAL, TABLES[number], attributes, sensitive=["balance", "rich"])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Comparison]]:
    """Put each table beside the original."""
    with Store(tmp_path_factory.mktemp("marchand"), Limits(threads=1)) as opened:
        yield {number: beside(opened, number, GENDER, AGE) for number in TABLES}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "values"),
    [
        (NumberOfClasses(), (4, 2, 2, 2)),
        # 1 + 1 + 4 + 1, then 9 + 4
        (Discernibility(), (7, 13, 13, 13)),
        # Of ten cells: three genders of 2/3 and five ages; three and three; three and three, and two genders of 2/3.
        (NormalisedCertaintyPenalty(), (0, 7 / 10, 1 / 2, 19 / 30)),
        (IyengarLoss(), (0, 13 / 20, 9 / 20, 11 / 20)),
        (Precision(), (1, 7 / 20, 11 / 20, 9 / 20)),
        (
            ConditionalEntropy(),
            (
                0,
                3 * TWO_OF_F_AND_N + 5 * ONE_OF_FOUR_OLD,
                3 * TWO_OF_F_AND_N + 3 * ONE_OF_FOUR_OLD,
                3 + 2 * TWO_OF_F_AND_N + 3 * ONE_OF_FOUR_OLD,
            ),
        ),
        (
            NormalisedConditionalEntropy(),
            tuple(bits / 11.219280948873621 for bits in (0, 6.3645279766002805, 4.920671786825556, 7.002375952771066)),
        ),
    ],
)
def test_all_four_tables(tables: dict[int, Comparison], metric: LossMetric, values: tuple[float, ...]) -> None:
    found = [measured(metric, one)[None] for one in tables.values()]
    assert found == pytest.approx(values, rel=1e-14, abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(("label", "values"), [("rich", (1, 2, 2, 1)), ("balance", (1, 2, 2, 3))])
def test_the_classification_metric(tables: dict[int, Comparison], label: str, values: tuple[int, ...]) -> None:
    assert [measured(ClassificationMetric(), one, label)[None] for one in tables.values()] == list(values)
    shares = [measured(NormalisedClassificationMetric(label=label), one)[None] for one in tables.values()]
    assert shares == [value / 5 for value in values]


@pytest.mark.slow
def test_the_entropy_of_each_column(tables: dict[int, Comparison]) -> None:
    found = [measured(ConditionalEntropy(), one) for one in tables.values()]
    assert [one["Gender"] for one in found] == pytest.approx(
        [0, 2.7548875021634687, 2.7548875021634687, 4.836591668108979], rel=1e-14
    )
    assert [one["Age"] for one in found] == pytest.approx(
        [0, 3.6096404744368114, 2.165784284662087, 2.165784284662087], rel=1e-14
    )


@pytest.mark.slow
def test_distances_and_full_domain_precision_of_the_tables_with_one_level_per_column(
    tables: dict[int, Comparison],
) -> None:
    """An M of table 2 is the group {M} of level 1, which stands for the same values as M itself."""
    first, second = tables[1], tables[2]
    assert [measured(AbsoluteDistance(), one)[None] for one in (first, second)] == [0, 2]
    assert [measured(RelativeDistance(), one)[None] for one in (first, second)] == [0, 1.5]
    assert [measured(FullDomainPrecision(), one)[None] for one in (first, second)] == [1, 0.25]
    assert measured(RelativeDistance(), second) == {"Gender": 0.5, "Age": 1, None: 1.5}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("number", "column"), [(3, "Age"), (4, "Gender, Age")])
def test_tables_without_one_level_per_column_have_no_distance(
    tables: dict[int, Comparison], number: int, column: str
) -> None:
    for metric in (AbsoluteDistance(), RelativeDistance(), FullDomainPrecision()):
        assert reasons(metric, tables[number]) == [f"{column}: not generalised to one level"]
        assert None not in measured(metric, tables[number])


@pytest.mark.slow
def test_both_equations_of_the_penalty_agree_on_two_ages(store: Store) -> None:
    """{24,29} is both of two values, and all of a width of five years; the penalty is 1 either way."""
    both = [beside(store, 2, GENDER, age) for age in (AGE, quasi_identifier("Age", kind="number"))]
    values = [
        measured(NormalisedCertaintyPenalty(numbers=numbers), one)
        for one in both
        for numbers in ("auto", "count", "width")
    ]
    assert values == [pytest.approx({"Gender": 2 / 5, "Age": 1, None: 7 / 10}, rel=1e-14)] * 6


def test_granularity_is_what_the_loss_metric_leaves_but_weighs_columns_by_their_values(
    tables: dict[int, Comparison],
) -> None:
    found = measured(Granularity(), tables[2])
    assert found["Gender"] == pytest.approx(1 - 3 / 10)
    assert found["Age"] == 0
    # 2/3 for three genders, 1/2 for two ages
    assert found[None] == pytest.approx((2 / 3 * 0.7 + 1 / 2 * 0) / (2 / 3 + 1 / 2))
