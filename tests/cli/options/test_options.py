"""The options of the command line."""

from __future__ import annotations

from toolbox.cli.options.options import ANONYMIZE, COMMON


def test_no_two_options_have_the_same_name_but_for_case_and_dashes() -> None:
    names = [option.name.replace("-", "").lower() for option in (*ANONYMIZE, *COMMON)]
    assert len(set(names)) == len(names)
