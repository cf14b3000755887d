"""Codes of countries by region and continent."""

from __future__ import annotations

import pytest
from helpers.built import built

from toolbox.hierarchy.builders.builder import BuilderError


@pytest.mark.parametrize(
    ("code", "region", "continent"),
    [
        ("AT", "Western Europe", "Europe"),
        ("aut ", "Western Europe", "Europe"),
        ("EL", "Southern Europe", "Europe"),
        ("GRC", "Southern Europe", "Europe"),
        ("UK", "Northern Europe", "Europe"),
        ("TR", "Western Asia", "Asia"),
        ("MEX", "Central America", "Americas"),
        ("EG", "Northern Africa", "Africa"),
        ("NZ", "Australia and New Zealand", "Oceania"),
        ("AQ", "Antarctica", "Antarctica"),
    ],
)
def test_the_regions_are_those_of_the_united_nations(code: str, region: str, continent: str) -> None:
    assert built("countries").rows([code]) == [(code, region, continent, "*")]


def test_neighbours_stand_together_so_that_each_region_is_one_range() -> None:
    rows = built("countries").rows(["AT", "JP", "BE", "SE", "CN", "FR"])
    assert [row[0] for row in rows] == ["CN", "JP", "SE", "AT", "BE", "FR"]


def test_what_is_no_code_is_refused_or_goes_to_the_root() -> None:
    with pytest.raises(BuilderError, match="ISO 3166"):
        built("countries").rows(["AT", "Austria"])
    assert built("countries:other=root").rows(["Austria", "AT"])[1] == ("Austria", "*", "*", "*")
