"""Which columns of which table a question means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from toolbox.config.compatibility import AS_IN_2010
from toolbox.config.formats import ANATOMY, GEN_VALS_DIST, ReleaseFormat
from toolbox.config.model import Attribute, Column, Config, Input, Output, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.flows.question import Question, by_names
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.store.layout import Layout


def column(index: int | None = None, name: str | None = None) -> Column:
    return Column(index=index, name=name)


def configured(**changes: object) -> Question:
    """Ask by a configuration: identifiers 0 and 3, quasi-identifiers 1 and 4, sensitive 5, all by their positions."""
    config = Config(
        source="c.xml",
        path=None,
        input=Input(path=Path("in.csv"), separator=";", encoding="latin-1"),
        output=Output(path=Path("out.csv")),
        identifiers=(column(0), column(3)),
        quasi_identifiers=(
            QuasiIdentifier(column=column(1, "age"), kind="number"),
            QuasiIdentifier(column=column(4, "town"), kind="category"),
        ),
        sensitive=(Attribute(column=column(5, "illness"), kind=None),),
    )
    return Question(config=replace(config, **changes))  # type: ignore[arg-type]


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
    released = configured().released(layout(has_header=True))
    assert places(released) == [(None, "years"), (None, "place"), (None, "what")]
    assert released.identifiers == ()


@pytest.mark.parametrize("original", [None, layout(has_header=False)], ids=["gone", "there"])
def test_without_one_columns_move_up_by_the_identifiers_before_them(original: Layout | None) -> None:
    assert places(configured().released(original)) == [(0, "age"), (2, "town"), (3, "illness")]


def test_statistics_stand_behind_each_quasi_identifier() -> None:
    question = configured(output=Output(path=None, format=GEN_VALS_DIST))
    assert places(question.released(layout(has_header=False))) == [(0, "age"), (3, "town"), (5, "illness")]


@pytest.mark.parametrize("format_of_2010", [ANATOMY, GEN_VALS_DIST], ids=str)
def test_a_format_of_2010_without_generalised_values_cannot_be_judged(format_of_2010: ReleaseFormat) -> None:
    question = configured(output=Output(path=None, format=format_of_2010), compatibility=AS_IN_2010)
    with pytest.raises(UsageError, match="--qi"):
        question.released(None)


def test_a_release_of_ours_is_utf_8_with_the_separator_of_the_output() -> None:
    question = configured(output=Output(path=None, separator="|"))
    given = question.input_of(Path("release.csv"), is_release=True)
    assert (given.separator, given.encoding) == ("|", "utf-8")
    original = question.input_of(Path("people.csv"))
    assert (original.separator, original.encoding) == (";", "latin-1")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_by_names_the_separator_is_the_one_that_yields_the_columns(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(separator.join(["age", "town, or place"]) + "\n", encoding="utf-8") if separator != "," else (
        path.write_text('age,"town, or place"\n', encoding="utf-8")
    )
    question = by_names("test", quasi_identifiers=["age", "town, or place"])
    assert question.input_of(path).separator == separator


def test_a_separator_that_is_given_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,town\n", encoding="utf-8")
    assert by_names("test", quasi_identifiers=["age"], separator=";").input_of(path).separator == ";"


def test_k_is_the_largest_that_is_required() -> None:
    models = [KAnonymity(k=3), KAnonymity(k=7)]
    assert by_names("test", quasi_identifiers=["age"], models=models).smallest_class == 7
    assert by_names("test", quasi_identifiers=["age"]).smallest_class is None


def test_a_label_becomes_a_sensitive_column_once() -> None:
    question = by_names("test", quasi_identifiers=["age"], sensitive=["illness"])
    assert question.with_sensitive("illness") is question
    assert [str(one.column) for one in question.with_sensitive("income").sensitive] == ["illness", "income"]


def test_weights_of_unknown_columns_are_an_error() -> None:
    with pytest.raises(UsageError, match="twon"):
        by_names("test", quasi_identifiers=["town"], weights={"twon": 2})
