"""Settings by their names in Python are the attributes of a configuration."""

import pytest

from toolbox.errors import UsageError
from toolbox.projects.settings import INPUT, OUTPUT, ROOT, name_settings


def test_values_of_any_type_become_texts_and_none_takes_one_back() -> None:
    assert INPUT.written({"header": False, "separator": "\t", "max_rejects": "2%", "missing": None}) == {
        "header": "false",
        "separator": "\\t",
        "maxRejects": "2%",
        "missing": None,
    }
    assert ROOT.written({"seed": 7}) == {"seed": "7"}


def test_attributes_are_found_in_any_case_and_others_left_out() -> None:
    assert name_settings(ROOT, {"SUPPTHRESHOLD": "5", "k": "3"}) == {"suppression": "5"}


def test_an_unknown_setting_is_told_with_those_that_there_are() -> None:
    with pytest.raises(
        UsageError, match=r"The release has no setting 'formt'. Did you mean 'format'\? It has: filename, "
    ):
        OUTPUT.written({"formt": "genVals"})
