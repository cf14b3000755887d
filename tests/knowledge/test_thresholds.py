"""The shares from which something is said are shares, and what must be rare is said sooner than what is usual."""

from __future__ import annotations

from toolbox.knowledge import meanings as thresholds


def test_shares_are_shares() -> None:
    shares = {name: value for name, value in vars(thresholds).items() if name.isupper() and isinstance(value, float)}
    assert len(shares) == 10
    assert all(0 < share < 1 for share in shares.values())


def test_one_address_in_five_hundred_is_enough_and_telephone_numbers_must_be_usual() -> None:
    assert thresholds.EMAILS == 0.002
    assert thresholds.EMAILS < thresholds.WEB_ADDRESSES < thresholds.IBANS < thresholds.TELEPHONE_NUMBERS
