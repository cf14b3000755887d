"""The contract of builders."""

import pickle

import pytest
from helpers.built import built

from toolbox.errors import UsageError
from toolbox.hierarchy.builders.builder import BuilderError, Wrong

SOME = [
    "intervals:5,10:top=90", "cuts:18,30.5/18", "quantiles:8,4", "dates:month,year", "ages:2026-01-01:width=5",
    "prefix:3,1:mask=#", "suffix", "icd10", "telephone:country=43", "ip", "email:other=root", 'order:low,"a,b":size=2',
    "auto:2:root=everything", "auto:0", "countries:other=root",
]  # fmt: skip


@pytest.mark.parametrize("text", SOME)
def test_a_builder_is_made_again_from_its_attributes(text):
    from toolbox.hierarchy.builders.words import make_builder

    build = built(text)
    assert make_builder(build.attributes()) == build


def test_attributes_leave_out_what_is_usual():
    assert built("intervals:5:origin=0:other=error").attributes() == {"build": "intervals", "width": "5"}
    assert built("cuts:1e3,2000:root=x").attributes() == {"build": "cuts", "at": "1000,2000", "root": "x"}


@pytest.mark.parametrize(
    "text", ["intervals:{}", "cuts:{}", "quantiles:{}", "prefix:{}", "order:a,b:size={}", "ages:2026-01-01:width={}"]
)
def test_there_are_as_many_levels_as_in_a_file_at_most(text):
    many = ("/" if text.startswith("cuts") else ",").join(["1"] * 2000)
    with pytest.raises(BuilderError, match=r"lists 2,000 levels. Write at most 63."):
        built(text.format(many))


def test_a_builder_is_a_value():
    assert built("prefix:3") == built("prefix:3")
    assert pickle.loads(pickle.dumps(built("intervals:5"))) == built("intervals:5")
    assert {built("ip"), built("ip")} == {built("ip")}


def test_an_error_tells_everything_and_pickles():
    error = BuilderError("cuts", [Wrong("One is wrong.", "Write two."), Wrong("So is three.", "")])
    assert str(pickle.loads(pickle.dumps(error))) == "cuts: One is wrong. Write two. So is three."
    assert isinstance(error, UsageError)
