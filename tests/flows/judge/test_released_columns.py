"""Where the columns of a release stand."""

from __future__ import annotations

import pytest
from helpers.questions import configured

from toolbox.config.formats import AS_IN_2010, FORMATS, ReleaseFormat
from toolbox.config.model import Config, Output
from toolbox.errors import UsageError
from toolbox.flows.judge.question import declare_released_columns
from toolbox.store.input.layout import Layout


def places(config: Config) -> list[tuple[int | None, str | None]]:
    declared = [*config.quasi_identifiers, *config.sensitive]
    return [(one.column.index, one.column.name) for one in declared]


def layout(*, has_header: bool) -> Layout:
    return Layout(
        names=("who", "years", "note", "id", "place", "what"),
        has_header=has_header,
        quasi_identifiers=(1, 4),
        quasi_identifier_kinds=("number", "category"),
        sensitive=(5,),
        sensitive_kinds=(None,),
        identifiers=(0, 3),
    )


def test_where_there_is_a_header_a_release_is_read_by_the_names_of_the_original() -> None:
    released = declare_released_columns(configured(), layout(has_header=True))
    assert places(released) == [(None, "years"), (None, "place"), (None, "what")]
    assert released.identifiers == ()


@pytest.mark.parametrize("original", [None, layout(has_header=False)], ids=["gone", "there"])
def test_without_one_columns_move_up_by_the_identifiers_before_them(original: Layout | None) -> None:
    assert places(declare_released_columns(configured(), original)) == [(0, "age"), (2, "town"), (3, "illness")]


def test_statistics_stand_behind_each_quasi_identifier() -> None:
    question = configured(output=Output(path=None, format=FORMATS["genValsDist"]))
    assert places(declare_released_columns(question, layout(has_header=False))) == [
        (0, "age"),
        (3, "town"),
        (5, "illness"),
    ]


@pytest.mark.parametrize("format_of_2010", [FORMATS["anatomy"], FORMATS["genValsDist"]])
def test_a_format_of_2010_without_generalised_values_cannot_be_judged(format_of_2010: type[ReleaseFormat]) -> None:
    question = configured(output=Output(path=None, format=format_of_2010), compatibility=AS_IN_2010)
    with pytest.raises(UsageError, match="--qi"):
        declare_released_columns(question, None)
