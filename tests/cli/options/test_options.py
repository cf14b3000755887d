"""The options of the command line."""

from __future__ import annotations

import pytest

from toolbox.cli.options.commands import COMMANDS
from toolbox.cli.options.options import ANONYMIZE, COMMON


def test_no_two_options_have_the_same_name_but_for_case_and_dashes() -> None:
    names = [option.name.replace("-", "").lower() for option in (*ANONYMIZE, *COMMON)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (("anonymize", "singletons", "compare", "hierarchy"), "text of a missing value (default: ?)"),
        (("check", "measure", "risk", "report"), "in original records and the population, not in the release"),
        (("detect",), "text of a missing value (default: only an empty text)"),
    ],
)
def test_the_help_says_in_which_table_a_text_is_a_missing_value(commands: tuple[str, ...], said: str) -> None:
    for command in commands:
        (text,) = [option.help for option in COMMANDS[command].options if option.name == "missing"]
        assert said in text
