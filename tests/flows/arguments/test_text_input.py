"""How text is read of which no configuration tells."""

from __future__ import annotations

import pytest

from toolbox.errors import SettingError, UsageError
from toolbox.flows.arguments.checks import make_text_input


def test_the_separator_is_guessed_unless_it_is_named() -> None:
    assert (make_text_input(None, None).separator, make_text_input(None, None).guesses_separator) == (",", True)
    assert (make_text_input(";", None).separator, make_text_input(";", None).guesses_separator) == (";", False)


def test_text_has_a_header_and_is_utf_8_with_decimal_points() -> None:
    file = make_text_input(None, None)
    assert (file.header, file.encoding, file.decimal, file.thousands) == (True, "utf-8", ".", "")


def test_an_encoding_that_nobody_knows_is_refused() -> None:
    with pytest.raises(SettingError, match="the name of an encoding, such as 'latin-1'"):
        make_text_input(None, "nope")


def test_one_character_cannot_stand_before_decimals_and_between_thousands() -> None:
    with pytest.raises(UsageError, match="thousands=',' stands before the decimals as well"):
        make_text_input(None, None, ",", ",")
