"""How many records are alone in the population, estimated from the sizes of the classes of a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

_Histogram: TypeAlias = Sequence[tuple[int, int]]
"""Sizes of classes of a sample in records, with the number of classes that have them."""
_Estimator: TypeAlias = Literal["Pitman", "Zayatz", "SNB", "sample"]

_SMALL_SAMPLE: Final = 0.1
"""The sampling fraction up to which Pitman's estimate is the best (Dankar and others)."""
_LEAST_ALPHA: Final = 1e-6
"""An alpha of Pitman's model that is as good as 0."""
_STEPS: Final = 200
"""Halvings of an interval; a double has fewer bits."""


@dataclass(frozen=True, kw_only=True)
class EstimatedUniqueness:
    """The people of a population who are alone there by their quasi-identifiers, as a share of it; all estimated."""

    fraction: float
    """The share of the population that is in the sample."""
    sample_unique: int
    """Records that are alone in their class."""
    sample_share: float
    """The same, as a share of the records."""
    pitman: float | None
    """None where the model does not fit the sample."""
    zayatz: float | None
    snb: float | None
    dankar: float
    """The share by the rule of Dankar and others, which chooses one of the estimates; 0 where no record is alone."""
    chosen: _Estimator
    """The estimate that the rule has chosen; ``sample`` where the sample is the population."""
    average_risk: float
    """Mean over the records of the risk of the sample, one over the size of the class: classes over records."""


def estimate_population_uniqueness(histogram: _Histogram, fraction: float) -> EstimatedUniqueness:
    """Estimate how many people of the population are alone, by every model and by Dankar's rule.

    The rule takes Pitman's estimate up to a sampling fraction of 10 %. Above, it takes the slide negative binomial
    (SNB), unless Zayatz says less. Where a model does not fit, the next one stands in: Zayatz always has an estimate.

    Parameters
    ----------
    histogram : sequence of (size, classes)
        Of the sample, without suppressed records.
    fraction : float, above 0 and at most 1
        The share of the population that is in the sample.

    References
    ----------
    Dankar, El Emam, Neisa and Roffey (2012). Estimating the re-identification risk of clinical data sets.
    doi:10.1186/1472-6947-12-66

    Examples
    --------
    >>> found = estimate_population_uniqueness([(1, 40), (2, 15), (3, 5), (8, 2)], 0.2)
    >>> found.chosen, round(found.dankar, 4)
    ('SNB', 0.1126)
    """
    classes = [(int(size), int(count)) for size, count in histogram if count]
    records, alone = sum(size * count for size, count in classes), dict(classes).get(1, 0)
    share = alone / records if records else 0.0
    average = sum(count for _, count in classes) / records if records else 0.0
    estimates: dict[_Estimator, float | None] = {"Pitman": None, "Zayatz": None, "SNB": None, "sample": share}
    if fraction < 1 and alone:
        estimates["Pitman"] = _estimate_by_pitman(classes, fraction)
        estimates["Zayatz"] = _estimate_by_zayatz(classes, fraction)
        estimates["SNB"] = _estimate_by_snb(classes, fraction)
    chosen = _choose_by_dankar(estimates, fraction) if alone else "sample"
    return EstimatedUniqueness(
        fraction=fraction,
        sample_unique=alone,
        sample_share=share,
        pitman=estimates["Pitman"],
        zayatz=estimates["Zayatz"],
        snb=estimates["SNB"],
        dankar=estimates[chosen] or 0.0,
        chosen=chosen,
        average_risk=average,
    )


def _choose_by_dankar(estimates: dict[_Estimator, float | None], fraction: float) -> _Estimator:
    if fraction >= 1:
        return "sample"
    if fraction <= _SMALL_SAMPLE:
        return "Zayatz" if estimates["Pitman"] is None else "Pitman"
    snb, zayatz = estimates["SNB"], estimates["Zayatz"]
    assert zayatz is not None, "it is computed of every sample with records alone"
    return "Zayatz" if snb is None or snb > zayatz else "SNB"


# Zayatz: of a record alone in the sample, the probability that it is alone in the population.


def _estimate_by_zayatz(histogram: _Histogram, fraction: float) -> float:
    """Estimate the share of the population that is alone, with the class sizes of the sample for the population's.

    References
    ----------
    Zayatz (1991). Estimation of the percent of unique population elements on a microdata file using the sample.

    Examples
    --------
    >>> round(_estimate_by_zayatz([(1, 40), (2, 15), (3, 5), (8, 2)], 0.2), 4)
    0.2056
    """
    records = sum(size * count for size, count in histogram)
    alone = dict(histogram).get(1, 0)
    people = max(round(records / fraction), records)
    drawn = [count * _find_share_drawn_once(size, records, people) for size, count in histogram]
    by_chance = alone * _find_share_drawn_once(1, records, people)
    return by_chance / math.fsum(drawn) * alone / fraction / people


def _find_share_drawn_once(size: int, records: int, people: int) -> float:
    """Return the probability that a sample of some records draws exactly one of a class, which is hypergeometric."""
    if size > people - records + 1:
        return 0.0
    rest = _log_choose(people - size, records - 1) - _log_choose(people, records)
    return min(1.0, size * math.exp(rest))


def _log_choose(many: int, few: int) -> float:
    return math.lgamma(many + 1) - math.lgamma(few + 1) - math.lgamma(many - few + 1)


# Pitman: the sample is a draw of Pitman's sampling formula, whose parameters have the highest likelihood.


def _estimate_by_pitman(histogram: _Histogram, fraction: float) -> float | None:
    """Estimate the share of the population that is alone, by Pitman's model; None where it has no parameters.

    References
    ----------
    Hoshino (2001). Applying Pitman's sampling formula to microdata disclosure risk assessment. J. Official Statistics
    17(4), 499-520.

    Examples
    --------
    >>> round(_estimate_by_pitman([(1, 40), (2, 15), (3, 5), (8, 2)], 0.2), 4)
    0.1415
    """
    records, classes = sum(size * count for size, count in histogram), sum(count for _, count in histogram)
    parameters = _fit_pitman(histogram)
    if parameters is None:
        return None
    theta, alpha = parameters
    people = records / fraction
    unique = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(people)) / people
    return unique if unique <= 1 and classes < records else None


def _fit_pitman(histogram: _Histogram) -> tuple[float, float] | None:
    """Return theta and alpha of the highest likelihood; None where there is none inside of the parameters."""
    records, classes = sum(size * count for size, count in histogram), sum(count for _, count in histogram)
    if classes in (1, records):
        return None

    def find_excess(alpha: float) -> float:
        """Return the sum of theta and alpha, which is positive, with the highest likelihood for an alpha."""

        def slope(log: float) -> float:
            excess = math.exp(log)
            named = (_digamma(excess / alpha + classes - 1) - _digamma(excess / alpha)) / alpha
            return named - (_digamma(excess - alpha + records) - _digamma(excess - alpha + 1))

        # It falls from plus infinity.
        found = _find_root(slope, -20.0, 60.0)
        return math.nan if found is None else math.exp(found)

    def slope_of_alpha(alpha: float) -> float:
        excess = find_excess(alpha)
        if math.isnan(excess):
            return math.nan
        shift = (excess - alpha) / alpha
        harmonic = _digamma(excess / alpha + classes - 1) - _digamma(excess / alpha)
        named = ((classes - 1) - shift * harmonic) / alpha
        inner = math.fsum(
            count * (_digamma(size - alpha) - _digamma(1 - alpha)) for size, count in histogram if size > 1
        )
        return named - inner

    alpha = _find_root(slope_of_alpha, _LEAST_ALPHA, 1 - 1e-9)
    if alpha is None and slope_of_alpha(_LEAST_ALPHA) < 0:
        # The likelihood falls with alpha: the best is Ewens' sampling formula, whose alpha is 0.
        alpha = _LEAST_ALPHA
    return None if alpha is None else (find_excess(alpha) - alpha, alpha)


# The slide negative binomial: a class of the population has one person and a negative binomial number of others.


def _estimate_by_snb(histogram: _Histogram, fraction: float) -> float | None:
    """Estimate the share of the population that is alone, by the slide negative binomial; None where it does not fit.

    Its three parameters are those at which the people of the population, the classes of the sample and its records
    that are alone are what is expected.

    References
    ----------
    Chen and Keller-McNulty (1998). Estimation of identification disclosure risk in microdata. J. Official Statistics
    14(1), 79-95.

    Examples
    --------
    >>> round(_estimate_by_snb([(1, 40), (2, 15), (3, 5), (8, 2)], 0.2), 4)
    0.1126
    """
    records, classes = sum(size * count for size, count in histogram), sum(count for _, count in histogram)
    people, alone = records / fraction, dict(histogram).get(1, 0)

    def find_success(mean: float) -> float | None:
        """Return the p of the model at which the sample has so many classes, where a class has so many people."""

        def surplus(log: float) -> float:
            return people / mean * _expect_slid(mean, -math.expm1(-math.exp(log)), fraction)[0] - classes

        return _find_root(surplus, -30.0, 3.5)

    def surplus_alone(log: float) -> float:
        mean = 1 + math.exp(log)
        success = find_success(mean)
        if success is None:
            return math.nan
        return people / mean * _expect_slid(mean, -math.expm1(-math.exp(success)), fraction)[1] - alone

    grid = [-12 + 0.25 * step for step in range(int((math.log(people) + 12) / 0.25) + 1)]
    found = _find_first_root(surplus_alone, grid)
    if found is None:
        return None
    mean = 1 + math.exp(found)
    success = find_success(mean)
    if success is None:
        return None
    p = -math.expm1(-math.exp(success))
    return math.exp((mean - 1) * p / (1 - p) * math.log(p)) / mean


def _expect_slid(mean: float, p: float, fraction: float) -> tuple[float, float]:
    """Return the probabilities that a class of the population is in the sample, and that it has one record there."""
    q, out = 1 - p, 1 - fraction
    r = (mean - 1) * p / q
    base = 1 - q * out
    power = math.exp(r * (math.log(p) - math.log(base)))
    return 1 - out * power, fraction * power * (1 + out * r * q / base)


# Roots of one variable, and the derivative of the logarithm of the gamma function.


def _find_root(slope: Callable[[float], float], low: float, high: float) -> float | None:
    """Halve an interval until its ends agree; None where the slope has one sign at both."""
    at_low, at_high = slope(low), slope(high)
    if math.isnan(at_low) or math.isnan(at_high) or at_low * at_high > 0:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        found = slope(middle)
        if found * at_low > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _find_first_root(slope: Callable[[float], float], grid: Iterable[float]) -> float | None:
    """Return the first root between two places of a grid."""
    before: tuple[float, float] | None = None
    for place in grid:
        found = slope(place)
        if before is not None and not math.isnan(found) and before[1] * found <= 0:
            return _find_root(slope, before[0], place)
        before = None if math.isnan(found) else (place, found)
    return None


def _digamma(x: float) -> float:
    """Return the digamma function of a positive number, by its recurrence and its asymptotic series."""
    total = 0.0
    while x < 10:
        total -= 1 / x
        x += 1
    square = 1 / (x * x)
    tail = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return total + math.log(x) - 1 / (2 * x) - tail
