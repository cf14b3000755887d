"""Dates as people write them in Python."""

from datetime import UTC, date, datetime

import pandas as pd
import pytest
from helpers.built import built

from toolbox.hierarchy.builders.builder import BuilderError


def test_dates_come_as_texts_or_objects_in_their_order_and_missing_ones_are_left_out():
    values = [date(1971, 3, 5), None, "1970-01-01", pd.Timestamp("1969-05-05"), datetime(1990, 1, 1, tzinfo=UTC)]
    assert [row[1] for row in built("dates:year").rows(values)] == ["1969", "1970", "1971", "1990"]


def test_what_is_no_date_is_refused_without_being_shown():
    with pytest.raises(BuilderError) as caught:
        built("dates:year").rows(["Ada Lovelace"])
    assert "Ada" not in str(caught.value)
