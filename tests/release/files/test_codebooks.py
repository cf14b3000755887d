"""What the columns of a release keep of what a statistics package said of those of the input."""

from __future__ import annotations

from sqlalchemy import literal, select

from toolbox.release.files.part import Part
from toolbox.store.input.formats.table import Codebook
from toolbox.store.input.source import Source
from toolbox.treatments.treatment import ReleasedColumn

AGE = Codebook("Age in years", {98.0: "98 or more"})
SEX = Codebook("Sex", {1.0: "male", 2.0: "female"})


class Survey(Source):
    """An input of two columns."""

    def __init__(self, *headers: str) -> None:
        super().__init__("survey", headers, [None] * len(headers))

    relation = places = account = None  # type: ignore[assignment]


Survey.__abstractmethods__ = frozenset()


def test_what_passes_through_keeps_all_and_what_is_generalised_its_name() -> None:
    source = Survey("age", "sex", "town")
    source.codebooks = {0: AGE, 1: SEX}
    others = (ReleasedColumn(name, name, position=position) for position, name in ((1, "sex"), (2, "town")))
    shown = (ReleasedColumn("age", text="label_1"), *others)
    part = Part(suffix="", headers=("age", "sex", "town"), rows=select(literal(1)), columns=shown)
    found = part.with_codebooks(source)
    assert found.codebooks == {0: Codebook("Age in years"), 1: SEX}


def test_without_a_package_nothing_is_said() -> None:
    part = Part(suffix="", headers=("age",), rows=select(literal(1)))
    assert part.with_codebooks(Survey("age")) == part
