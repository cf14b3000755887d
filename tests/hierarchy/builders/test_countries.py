"""Countries by region and continent."""

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
        ("The Netherlands", "Western Europe", "Europe"),
        ("Österreich", "Western Europe", "Europe"),
        ("ÉTATS-UNIS", "Northern America", "Americas"),
        ("Paesi Bassi", "Western Europe", "Europe"),
        ("España", "Southern Europe", "Europe"),
        ("Côte d’Ivoire", "Western Africa", "Africa"),
        ("Bosnia & Herzegovina", "Southern Europe", "Europe"),
        ("Iran, Islamic Republic of", "Southern Asia", "Asia"),
        ("Weißrussland", "Eastern Europe", "Europe"),
        ("Türkei", "Western Asia", "Asia"),
    ],
)
def test_the_regions_are_those_of_the_united_nations(code: str, region: str, continent: str) -> None:
    assert built("countries").rows([code]) == [(code, region, continent, "*")]


def test_neighbours_stand_together_so_that_each_region_is_one_range() -> None:
    rows = built("countries").rows(["AT", "JP", "BE", "SE", "CN", "FR"])
    assert [row[0] for row in rows] == ["CN", "JP", "SE", "AT", "BE", "FR"]


def test_names_that_begin_as_others_do_are_countries_of_their_own() -> None:
    regions = {
        "Guinea": "Western Africa",
        "Papua New Guinea": "Melanesia",
        "Equatorial Guinea": "Middle Africa",
        "Niger": "Western Africa",
        "Northern Ireland": "Northern Europe",
        "Georgia": "Western Asia",
    }
    assert {row[0]: row[1] for row in built("countries").rows(list(regions))} == regions


def test_what_is_no_country_is_refused_or_goes_to_the_root() -> None:
    with pytest.raises(BuilderError, match="ISO 3166"):
        built("countries").rows(["AT", "Atlantis"])
    assert built("countries:other=root").rows(["Atlantis", "AT"])[1] == ("Atlantis", "*", "*", "*")
