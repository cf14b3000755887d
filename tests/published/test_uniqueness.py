"""Population uniqueness: the published figures of Adult, models that are true, and samples of known people."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from helpers.adult_sizes import ADULT
from hypothesis import given
from hypothesis import strategies as st

from toolbox.published.uniqueness import (
    _estimate_by_snb,
    _estimate_by_zayatz,
    _fit_pitman,
    estimate_population_uniqueness,
)


@pytest.mark.parametrize(
    ("fraction", "chosen", "share"),
    [
        (0.01, "Pitman", 0.1446083531),
        (0.1, "Pitman", 0.2768499388),
        (0.2, "Zayatz", 0.3577099235),
        (1, "sample", 0.5142895033485844),
    ],
)
def test_the_rule_of_dankar_estimates_what_arx_publishes_of_adult(fraction: float, chosen: str, share: float) -> None:
    found = estimate_population_uniqueness(ADULT, fraction)
    assert found.chosen == chosen
    assert found.dankar == pytest.approx(share, abs=1e-10)


def test_zayatz_and_the_average_risk_are_those_that_arx_publishes() -> None:
    found = estimate_population_uniqueness(ADULT, 0.1)
    assert found.zayatz == pytest.approx(0.3207402393, abs=1e-9)
    assert (found.average_risk, found.sample_share) == (0.6465751607983555, 0.5142895033485844)


def likelihood(theta: float, alpha: float) -> float:
    """Return the logarithm of Pitman's sampling formula for Adult, without what no parameter changes."""
    classes, records = sum(count for _, count in ADULT), sum(size * count for size, count in ADULT)
    named = sum(math.log(theta + number * alpha) for number in range(1, classes))
    drawn = sum(math.log(theta + number) for number in range(1, records))
    return named - drawn + sum(count * sum(math.log(i - alpha) for i in range(1, size)) for size, count in ADULT)


def test_the_parameters_of_pitman_have_the_highest_likelihood() -> None:
    found = _fit_pitman(ADULT)
    assert found is not None
    theta, alpha = found
    best = likelihood(theta, alpha)
    around = [(theta * 1.001, alpha), (theta * 0.999, alpha), (theta, alpha + 1e-4), (theta, alpha - 1e-4)]
    assert all(likelihood(*other) < best for other in around)


def test_zayatz_is_the_hypergeometric_share_of_single_draws() -> None:
    # Ten people, five drawn: a class of one is drawn with 1/2, a class of two exactly once with 5/9.
    share = 2 * 0.5 / (2 * 0.5 + 1 * (2 * math.comb(8, 4) / math.comb(10, 5)) + 0)
    assert _estimate_by_zayatz([(1, 3), (2, 1)], 0.5) == pytest.approx(3 * 0.5 / (3 * 0.5 + 5 / 9) * 3 / 0.5 / 10)
    assert share == pytest.approx(1 / (1 + 5 / 9))


def expected_classes(mean: float, p: float, people: int, fraction: float) -> list[tuple[int, float]]:
    """Return the classes of each size that a sample of a slide negative binomial population is expected to have."""
    r, classes = (mean - 1) * p / (1 - p), people / mean
    found: Counter[int] = Counter()
    for others in range(400):
        log = math.lgamma(others + r) - math.lgamma(r) - math.lgamma(others + 1)
        share = math.exp(log + r * math.log(p) + others * math.log(1 - p))
        size = 1 + others
        for drawn in range(1, min(size, 3) + 1):
            binomial = math.comb(size, drawn) * fraction**drawn * (1 - fraction) ** (size - drawn)
            found[drawn] += classes * share * binomial
    return sorted(found.items())


def test_snb_finds_the_population_whose_sample_it_was() -> None:
    mean, p, people, fraction = 2.5, 0.3, 1_000_000, 0.25
    classes = expected_classes(mean, p, people, fraction)
    r, q = (mean - 1) * p / (1 - p), 1 - p
    seen = people / mean * (1 - (1 - fraction) * (p / (1 - q * (1 - fraction))) ** r)
    records, alone = round(people * fraction), round(classes[0][1])
    # All other classes of one size, and one that takes the rest: the estimate looks at no more of them.
    others = round(seen) - alone
    size, rest = divmod(records - alone, others)
    sample = [(1, alone), (size, others - rest), (size + 1, rest)]
    assert _estimate_by_snb(sample, fraction) == pytest.approx(p**r / mean, rel=2e-3)


def test_where_nobody_is_alone_in_the_sample_nobody_is_in_the_population() -> None:
    found = estimate_population_uniqueness([(2, 5), (7, 1)], 0.1)
    assert (found.dankar, found.chosen, found.pitman, found.zayatz) == (0.0, "sample", None, None)


def test_where_everybody_is_alone_pitman_says_nothing_and_zayatz_stands_in() -> None:
    found = estimate_population_uniqueness([(1, 50)], 0.05)
    assert (found.pitman, found.chosen, found.dankar) == (None, "Zayatz", 1.0)


def test_of_no_records_nothing_is_estimated() -> None:
    assert estimate_population_uniqueness([], 0.05).dankar == 0.0


@given(
    st.dictionaries(st.integers(1, 60), st.integers(1, 5_000), min_size=1, max_size=8),
    st.floats(1e-6, 1),
)
def test_every_estimate_is_a_share(histogram: dict[int, int], fraction: float) -> None:
    found = estimate_population_uniqueness(sorted(histogram.items()), fraction)
    shares = [found.pitman, found.zayatz, found.snb, found.dankar]
    assert all(share is None or 0 <= share <= 1 for share in shares)


def make_people(random: np.random.Generator, people: int) -> np.ndarray:
    """Draw people by age, sex, place and work; places and works are of very different sizes."""
    age = random.binomial(90, 0.45, people)
    place = np.minimum(random.zipf(1.5, people), 400)
    work = np.minimum(random.zipf(1.3, people), 60)
    return ((age * 2 + random.integers(0, 2, people)) * 401 + place) * 61 + work


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fraction", "error"), [(0.01, 0.5), (0.02, 0.5), (0.05, 0.3), (0.1, 0.3), (0.2, 0.3), (0.4, 0.3)]
)
def test_samples_of_known_people_are_estimated_within_an_error(fraction: float, error: float) -> None:
    random = np.random.default_rng(7)
    people = make_people(random, 100_000)
    _, classes = np.unique(people, return_inverse=True)
    truth = np.count_nonzero(np.bincount(classes) == 1) / len(classes)
    found = []
    for _ in range(100):
        drawn = random.choice(classes, round(len(classes) * fraction), replace=False)
        sizes = Counter(np.bincount(drawn).tolist())
        histogram = [(size, count) for size, count in sorted(sizes.items()) if size]
        found.append(estimate_population_uniqueness(histogram, fraction).dankar)
    assert np.mean(found) == pytest.approx(truth, rel=error)
