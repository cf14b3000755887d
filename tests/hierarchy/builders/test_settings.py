"""The settings of builders as texts."""

from datetime import date
from decimal import Decimal

import pytest

from toolbox.hierarchy.builders import builder as settings


@pytest.mark.parametrize("text", ["1", "-2.50", "+.5", "1e3", "007", "1e-320", "-0"])
def test_numbers_are_read_exactly(text):
    assert settings.number(f" {text} ") == Decimal(text)


@pytest.mark.parametrize("text", ["", "x", "1_000", "1e999", "nan", "0x1", "1,5", "9" * 2000, "1e-99999999999"])
def test_other_texts_are_no_numbers_or_are_nothing(text):
    try:
        assert settings.number(text) == 0
    except settings.BadSettingError as error:
        assert len(error.args) == 2


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        (settings.NUMBERS, "5,10.5,1E+40"), (settings.COUNTS, "8,4,2"), (settings.NUMBERS_BY_LEVEL, "1,2/1"),
        (settings.DAY, "2024-02-29"), (settings.TEXTS, 'low,"a,b","say ""x"""'), (settings.OTHER, "root"),
    ],
)  # fmt: skip
def test_what_is_read_is_written_again(setting, text):
    assert setting.write(setting.read(text)) == text


def test_texts_may_stand_apart_and_hold_commas():
    assert settings.parse_texts('low, mid,"high, or more"') == ("low", "mid", "high, or more")


@pytest.mark.parametrize("text", ["2026-02-30", "26-01-01", "2026-13-01", "0000-01-01", "tomorrow", "2026-1-1"])
def test_a_day_exists(text):
    assert settings.parse_day("2026-01-31") == date(2026, 1, 31)
    with pytest.raises(settings.BadSettingError):
        settings.parse_day(text)
