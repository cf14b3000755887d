"""Numbers with check digits: published examples are right, and a wrong digit is found. The sums are in the comments."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toolbox.knowledge import known_values as checksums

RIGHT: list[tuple[Callable[[str], bool], str]] = [
    (checksums.is_iban, "AT611904300234573201"),
    (checksums.is_iban, "DE89370400440532013000"),
    (checksums.is_iban, "GB82WEST12345698765432"),
    # 4 + 1s: doubled 8, 2, 2, 2, 2, 2, 2, 2 are 22, the others 8: 30.
    (checksums.is_card, "4111111111111111"),
    (checksums.is_card, "4111 1111 1111 1111"),
    (checksums.is_card, "378282246310005"),
    # 7+6+2+7+7+9 = 38 and 3 (5+9+1+0+6+8) = 87: 125, and 5 to 130.
    (checksums.is_ahv, "756.9217.0769.85"),
    (checksums.is_ahv, "7569217076985"),
    # The sum is below.
    (checksums.is_svnr, "1237 010180"),
    (checksums.is_steuer_id, "86095742719"),
    (checksums.is_steuer_id, "47 036 892 816"),
    # 12,345,678 leaves 14 of 23, the letter Z.
    (checksums.is_dni, "12345678Z"),
    (checksums.is_dni, "X1234567L"),
    (checksums.is_codice_fiscale, "RSSMRA85T10A562S"),
    (checksums.is_codice_fiscale, "MRTMTT91D08F205J"),
    # 2,550,814,168,025 leaves 59 of 97, and 97 - 59 is 38.
    (checksums.is_nir, "255081416802538"),
    # The sum is below.
    (checksums.is_nhs, "943 476 5919"),
    (checksums.is_ssn, "078-05-1120"),
]


def by_hand(weights: str, digits: str) -> int:
    return sum(int(digit) * int(weight) for digit, weight in zip(digits, weights.split(), strict=True))


def test_the_sums_that_are_done_by_hand_agree_with_the_examples() -> None:
    # Austria: the weights 3 7 9 for the running number, 5 8 4 2 1 6 for the day of birth.
    assert by_hand("3 7 9 5 8 4 2 1 6", "123010180") % 11 == 7
    # England: the weights 10 to 2; 11 less the remainder.
    assert 11 - by_hand("10 9 8 7 6 5 4 3 2", "943476591") % 11 == 9
    assert 2_550_814_168_025 % 97 == 59
    assert "TRWAGMYFPDXBNJZSQVHLCKE"[12_345_678 % 23] == "Z"


@pytest.mark.parametrize(("test", "text"), RIGHT)
def test_a_number_with_the_right_check_is_one(test: Callable[[str], bool], text: str) -> None:
    assert test(text)


@pytest.mark.parametrize(("test", "text"), [(test, text) for test, text in RIGHT if test is not checksums.is_ssn])
def test_another_last_character_is_found(test: Callable[[str], bool], text: str) -> None:
    last = text[-1]
    others = "0123456789" if last.isdigit() else "ABCDEFGHJKLMNPQRSTUVWXYZ"
    if test is checksums.is_svnr:
        # The check digit is the fourth.
        assert not any(test(f"{text[:3]}{digit}{text[4:]}") for digit in others if digit != text[3])
    else:
        assert not any(test(text[:-1] + other) for other in others if other != last)


@pytest.mark.parametrize(
    ("test", "text"),
    [
        (checksums.is_iban, "AT61"),
        (checksums.is_iban, ""),
        (checksums.is_card, "0000000000000000"),
        (checksums.is_card, "41111111"),
        (checksums.is_svnr, "1237 459980"),
        (checksums.is_steuer_id, "12345678903"),
        (checksums.is_nhs, "000 000 0000"),
        (checksums.is_ssn, "666-12-3456"),
        (checksums.is_ssn, "900-12-3456"),
        (checksums.is_ssn, "123-00-4567"),
        (checksums.is_ssn, "123456789"),
        (checksums.is_national, "12345"),
        (checksums.is_national, ""),
        (checksums.is_national, "٣" * 10),
    ],
)
def test_what_no_authority_gives_is_none(test: Callable[[str], bool], text: str) -> None:
    assert not test(text)


@pytest.mark.parametrize("text", ["756.9217.0769.85", "2 55 08 14 168 025 38", "rssmra85t10a562s", " 12345678Z "])
def test_a_number_of_any_state_is_one_however_it_is_spaced(text: str) -> None:
    assert checksums.is_national(text)
