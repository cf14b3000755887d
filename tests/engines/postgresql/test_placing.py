"""A release takes its place at once, with the rights on the old one, and under names that the server does not cut."""

from __future__ import annotations

import pytest
from engines.contract import ID, TEXT, hard_records, publish_all, recoding
from engines.postgresql_bench import REQUEST, PostgreSQLBench, staged

from toolbox.engines.engine import CountRequest
from toolbox.errors import OutputError
from toolbox.treatments.treatment import ReleasedColumn


def test_of_two_runs_into_one_table_the_second_is_refused(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    with bench.engine() as first, bench.engine() as second:
        one, other = staged(first, "first"), staged(second, "second")
        first.publish(one)
        with pytest.raises(OutputError, match="somebody has made a table by this name meanwhile") as caught:
            second.publish(other)
    assert caught.value.exit_status == 2
    assert {row[0] for row in bench.released() or []} == {"first"}


def test_of_two_runs_that_may_replace_the_last_wins(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    with bench.engine(replace=True) as first, bench.engine(replace=True) as second:
        one, other = staged(first, "first"), staged(second, "second")
        first.publish(one)
        second.publish(other)
    released = bench.released() or []
    assert (len(released), {row[0] for row in released}) == (400, {"second"})


def test_rights_on_the_old_release_hold_for_the_new_one(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    publish_all(bench, "old")
    table = bench.quoted("Release")
    bench.server.run(
        'DROP ROLE IF EXISTS "Reader 100%"',
        'CREATE ROLE "Reader 100%"',
        f'GRANT SELECT ON {table} TO "Reader 100%" WITH GRANT OPTION',
        f"GRANT INSERT, UPDATE ON {table} TO PUBLIC",
    )
    rights = f"SELECT relacl::text[] FROM pg_class WHERE oid = '{table}'::regclass"
    before = bench.server.rows(rights)
    publish_all(bench, "new", replace=True)
    assert [sorted(row[0]) for row in bench.server.rows(rights)] == [sorted(row[0]) for row in before]
    assert any("Reader 100%" in right and "r*" in right for right in before[0][0])


def test_an_old_release_on_which_a_view_depends_stays(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    old = publish_all(bench, "old")
    bench.server.run(f"CREATE VIEW {bench.quoted('Readable')} AS SELECT * FROM {bench.quoted('Release')}")
    with bench.engine(replace=True) as engine:
        written = staged(engine, "new")
        with pytest.raises(OutputError, match="other objects, such as views, depend on the old release"):
            engine.publish(written)
    assert bench.released() == old


@pytest.mark.parametrize("header", ["", "x" * 64, "é" * 32])
def test_a_header_that_a_server_would_cut_is_refused(bench: PostgreSQLBench, header: str) -> None:
    bench.fill(hard_records(3))
    with bench.engine() as engine:
        engine.schema()
        with pytest.raises(OutputError, match="No column of PostgreSQL can be called"):
            engine.write(recoding(REQUEST, {}, {}, [], (ReleasedColumn(header, source=ID),)))


@pytest.mark.parametrize(("columns", "message"), [
    ((ReleasedColumn("a", source=ID), ReleasedColumn("a", source=TEXT)), "Two columns of the release are called 'a'"),
    ((ReleasedColumn("ctid", source=ID),), "has the name of a column of the system"),
])  # fmt: skip
def test_names_that_no_table_can_have_are_refused(
    bench: PostgreSQLBench, columns: tuple[ReleasedColumn, ...], message: str
) -> None:
    bench.fill(hard_records(3))
    with bench.engine() as engine:
        engine.schema()
        with pytest.raises(OutputError, match=message):
            engine.write(recoding(REQUEST, {}, {}, [], columns))


def test_a_header_of_as_many_bytes_as_there_can_be_is_kept(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    with bench.engine() as engine:
        engine.schema()
        name = "é" * 31
        written = engine.write(recoding(REQUEST, {}, {}, [], (ReleasedColumn(name, source=ID),)))
        assert engine.recount(written, CountRequest(by=(name,))).combinations.num_rows == 0
