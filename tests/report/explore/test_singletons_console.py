"""The table of `singletons`."""

from __future__ import annotations

from helpers.printing import printed
from helpers.small_reports import AS_IT_IS, TOWN_LOCALLY, variant

from toolbox.methods.singletons.comparing import VariantFigures
from toolbox.report.explore.singletons import print_singletons


def shown(*variants: VariantFigures, top: int = 20) -> list[str]:
    return printed(
        print_singletons,
        variants,
        k=2,
        records=1200,
        complete=1100,
        unchanged=AS_IT_IS,
        top=top,
        notes=["nothing else."],
    )


def test_the_elected_variant_leads_and_the_first_are_shown() -> None:
    assert shown(TOWN_LOCALLY, variant("town any", below_k=0, modified=4), AS_IT_IS, top=2) == [
        "records 1,200, of which 1,100 are complete",
        "below k=2 2 (50.00%) stand out as it is",
        "elected town any (local): 0 below k, 2 modified",
        "the variants in the order of the election, 2 of 3",
        "below k modified distinct variant",
        "0 0.00% 2 2 town any (local)",
        "0 0.00% 4 2 town any",
        "note nothing else.",
    ]


def test_centroids_are_marked_and_brackets_in_names_are_text() -> None:
    lines = shown(variant("born[x] middles", below_k=1, modified=1, covers=False))
    assert lines[2] == "elected born[x] middles: 1 below k, 1 modified"
    assert lines[3] == "the variants in the order of the election, 1 of 1"
    assert lines[5] == "1 25.00% 1 2 centroids born[x] middles"
