"""Which texts a spreadsheet would run, and how they are kept from it and read back."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from toolbox.queries.cells import escape_name, escape_text, is_formula, match_formula, remove_escape
from toolbox.store.engine.store import Store

RUN = ["=1+1", "=cmd|' /C calc'!A0", "+cmd", "-2+3", "@SUM(1)", "\tx", "\r=1", "--", "-5:2", "+43 1 2", "-1_000"]
HARMLESS = ["", "=", "a=1", "-5", "+3", "-.5e3", "-5.", "+1e9", "-", "+", "@", "'=1", "[-5:3]", " =1", "é"]


@pytest.mark.sampled(25)
@pytest.mark.parametrize(("text", "is_run"), [*((text, True) for text in RUN), *((text, False) for text in HARMLESS)])
def test_what_a_spreadsheet_would_run(store: Store, text: str, is_run: bool) -> None:
    table = store.create_constant("given", {"text": (str, [text])})
    assert (is_formula(text), store.scalar(select(match_formula(table.c.text)))) == (is_run, is_run)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1", "=1"),
        ("'=1", "'=1"),
        ("''@x", "''@x"),
        ("it's", None),
        ("'tis", None),
        ("-5", None),
        ("'-5", None),
        ("", None),
    ],
)
def test_an_apostrophe_goes_before_formulas_and_before_what_would_be_taken_for_one(
    store: Store, text: str, written: str | None
) -> None:
    wanted = text if written is None else f"'{written}"
    table = store.create_constant("given", {"text": (str, [text])})
    assert (escape_name(text), store.scalar(select(escape_text(table.c.text)))) == (wanted, wanted)


def test_a_missing_value_is_no_formula(store: Store) -> None:
    table = store.create_constant("given", {"text": (str, [None])})
    assert store.row(select(match_formula(table.c.text), escape_text(table.c.text))) == (False, None)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(st.sampled_from("=+-@\t\r' 5.e1aé")), min_size=1, max_size=20))
def test_what_is_escaped_reads_back_and_is_never_run(store: Store, texts: list[str]) -> None:
    table = store.create_constant("given", {"text": (str, texts)})
    written = select(table.c.text, escape_text(table.c.text).label("written")).subquery()
    rows = store.rows(
        select(written.c.text, written.c.written, remove_escape(written.c.written), match_formula(written.c.written))
    )
    assert [(text, shown) for text, shown, _, _ in rows] == [(text, escape_name(text)) for text in texts]
    assert all(back == text and not is_run for text, _, back, is_run in rows)
    store.drop(table)
