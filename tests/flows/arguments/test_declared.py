"""Columns that nobody declared stop a run whose configuration says so."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from helpers.small_tables import declared

from toolbox.config.model import Undeclared
from toolbox.errors import UsageError
from toolbox.flows.arguments.configuration import require_declared
from toolbox.store.input.layout import Layout, find_columns
from toolbox.store.load.counted import CountedSource

CONFIG = declared("age", identifiers="name")


def layout(*names: str) -> Layout:
    schema = pa.schema([(name, pa.string()) for name in names])
    return find_columns(CONFIG, CountedSource("people", schema))


def test_a_column_that_nobody_declared_is_named() -> None:
    with pytest.raises(UsageError, match=r"undeclared='fail', and nobody declared note, pay\. Declare each column"):
        require_declared(replace(CONFIG, undeclared="fail"), layout("name", "note", "age", "pay"))


def test_a_table_of_declared_columns_is_fine() -> None:
    require_declared(replace(CONFIG, undeclared="fail"), layout("age", "name"))


@pytest.mark.parametrize("policy", ["pass", "drop"])
def test_others_let_them_pass_or_leave_them_out(policy: Undeclared) -> None:
    require_declared(replace(CONFIG, undeclared=policy), layout("name", "note", "age"))
