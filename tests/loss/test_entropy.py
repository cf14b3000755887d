"""Conditional entropy in bits, and as a share of what can be lost."""

from math import log2

import pytest
from helpers.comparisons import measured, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.entropy import ConditionalEntropy, NormalisedConditionalEntropy
from toolbox.store.engine.store import Store

AGE = quasi_identifier("age", kind="number")
JOB = quasi_identifier("job", hierarchy="cook kitchen *\nbaker kitchen *\npilot sky *\nsteward sky *")


def test_values_are_as_likely_as_they_are_frequent(store: Store) -> None:
    """Of 2, 2, 4, 8: {2,4} leaves log2(3) - 2/3 bits, [4:8] one bit, and all values one and a half."""
    beside = unpaired(store, "2\n2\n4\n8", "{2,4}\n2\n[4:8]\n*", [AGE])
    bits = (log2(3) - 2 / 3) + 0 + 1 + 1.5
    assert measured(ConditionalEntropy(), beside) == {"age": pytest.approx(bits), None: pytest.approx(bits)}
    assert measured(NormalisedConditionalEntropy(), beside)["age"] == pytest.approx(bits / (4 * 1.5))


def test_values_that_nobody_has_leave_no_doubt(store: Store) -> None:
    """Nobody is a steward: whoever works in the sky is a pilot."""
    beside = unpaired(store, "cook\nbaker\npilot\npilot", "kitchen\nkitchen\nsky\nsky", [JOB])
    assert measured(ConditionalEntropy(), beside)["job"] == 2


@pytest.mark.slow
def test_the_bits_of_all_columns_add_up(store: Store) -> None:
    beside = unpaired(store, "1 cook\n2 baker", "* kitchen\n2 baker", [AGE, JOB])
    assert measured(ConditionalEntropy(), beside) == {"age": 1, "job": 1, None: 2}
    assert measured(NormalisedConditionalEntropy(), beside) == {"age": 0.5, "job": 0.5, None: 0.5}


def test_a_column_of_one_value_has_nothing_to_lose(store: Store) -> None:
    beside = unpaired(store, "1\n1", "*\n*", [AGE])
    assert measured(ConditionalEntropy(), beside) == {"age": 0, None: 0}
    assert measured(NormalisedConditionalEntropy(), beside) == {"age": 0, None: 0}


def test_a_missing_value_is_a_value(store: Store) -> None:
    assert measured(ConditionalEntropy(), unpaired(store, "1\n-", "*\n-", [AGE]))["age"] == 1


def test_records_that_the_release_lacks_leave_all_doubt(store: Store) -> None:
    beside = unpaired(store, "1\n2\n1\n2", "1\n2", [AGE])
    assert measured(ConditionalEntropy(), beside)["age"] == 2
    assert measured(NormalisedConditionalEntropy(), beside)["age"] == 0.5


@pytest.mark.slow
def test_many_records_lose_no_digits(store: Store) -> None:
    """A thousand values of three people each: log2(1000) bits for each of 3,000; a pair of neighbours leaves one bit."""
    values = [(str(number),) for number in range(1000) for _ in range(3)]
    hidden = unpaired(store, values, [("*",)] * 3000, [AGE])
    assert measured(ConditionalEntropy(), hidden)["age"] == pytest.approx(3000 * log2(1000), rel=1e-13)
    paired = [(f"[{int(value) // 2 * 2}:{int(value) // 2 * 2 + 1}]",) for (value,) in values]
    assert measured(ConditionalEntropy(), unpaired(store, values, paired, [AGE]))["age"] == pytest.approx(3000)
