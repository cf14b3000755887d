"""A mark of missing values is refused where an engine cannot find it: in sensitive attributes that hold no texts."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers.small_tables import declared

from toolbox.config.model import Attribute, Column, Config, OnMissing
from toolbox.errors import UsageError
from toolbox.flows.arguments.configuration import require_matchable_missing
from toolbox.store.input.layout import find_columns
from toolbox.store.load.counted import CountedSource

KINDS = {"age": pa.int64(), "pay": pa.int64(), "sick": pa.string(), "well": pa.bool_(), "day": pa.date32()}
SCHEMA = pa.schema(list(KINDS.items()))


def require(mark: str, *sensitive: str, on_missing: OnMissing = "skip", schema: pa.Schema = SCHEMA) -> None:
    attributes = [Attribute(column=Column(index=None, name=name), kind=None) for name in sensitive]
    config: Config = declared("age", sensitive=attributes, missing=mark, on_missing=on_missing)
    require_matchable_missing(config, find_columns(config, CountedSource("people", schema)), schema, "people")


@pytest.mark.parametrize(
    ("mark", "column"),
    [("-9", "pay"), ("0", "pay"), ("1900-01-01", "day"), ("false", "well"), ("NaN", "pay"), ("-inf", "pay")],
)
def test_a_mark_that_may_be_the_text_of_a_value_is_refused(mark: str, column: str) -> None:
    said = f"missing='{mark}' marks values of {column} as missing, but people holds no texts there"
    with pytest.raises(UsageError, match=said):
        require(mark, "sick", column)


@pytest.mark.parametrize("mark", ["?", "", "NA", "unknown"])
def test_a_mark_that_no_value_is_written_as_is_none_of_them(mark: str) -> None:
    require(mark, "pay", "day", "well")


def test_a_mark_is_found_in_a_column_of_texts() -> None:
    require("-9", "sick")
    coded = SCHEMA.set(2, pa.field("sick", pa.dictionary(pa.int32(), pa.string())))
    require("-9", "sick", schema=coded)


def test_of_quasi_identifiers_the_texts_are_known_here() -> None:
    require("-9")


def test_missing_values_that_are_kept_are_known_here() -> None:
    require("-9", "pay", on_missing="keep")


def test_a_declared_category_is_no_mark() -> None:
    flag = Attribute(column=Column(index=None, name="well"), kind="category", categories={"true": 0, "false": 1})
    config = declared("age", sensitive=[flag], missing="false")
    require_matchable_missing(config, find_columns(config, CountedSource("people", SCHEMA)), SCHEMA, "people")
