"""The arguments by which people look at a session."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import toolbox
from toolbox.errors import UsageError
from toolbox.flows.arguments.checks import require_whole


def test_what_is_right_is_returned() -> None:
    assert require_whole("k", np.int64(2), 1) == 2


def test_what_is_wrong_is_said_with_what_to_write() -> None:
    for value in (True, 1.0, "2", 0, None):
        with pytest.raises(UsageError, match="write a whole number of at least 1"):
            require_whole("k", value, 1)
    with toolbox.open(pd.DataFrame({"age": [1, 2]}), quasi_identifiers=["age"]) as session:
        assert session.values("age").column == "age"
        with pytest.raises(UsageError, match="Did you mean 'age'"):
            session.values("aeg")
        with pytest.raises(UsageError, match="write value, count or risk"):
            session.values("age", sort=None)
