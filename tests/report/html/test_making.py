"""Where a release comes from."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import rows, words
from helpers.small_summary import SUMMARY

from toolbox.report.html.making import render_columns, render_data, render_method
from toolbox.store.tables import Searched


def test_the_data_are_told_with_their_counts_and_checksums() -> None:
    said = words(render_data(INTERNAL))
    assert "Input /home/ada/people.csv Records read 1,210 Left out, as a declared value is missing 10" in said
    assert "SHA-256 of the input aa Records released 5 SHA-256 of release.csv ab12" in said


def test_a_public_page_tells_the_release_alone() -> None:
    assert words(render_data(PUBLIC)) == "Data Records in classes 4 SHA-256 of release.csv ab12"
    assert "Records released 5" in words(render_data(replace(PUBLIC, counts=PUBLIC.counts._replace(suppressed=2))))


def test_the_columns_have_their_roles_and_undeclared_ones_a_warning() -> None:
    page = render_columns(INTERNAL)
    assert rows(page)[2] == ["age", "quasi-identifier, generalised", "number", "intervals:10", "1"]
    assert "Nobody declared this column, and it is released unchanged: visits." in words(page)
    assert "they are released unchanged: a, b." in words(render_columns(replace(INTERNAL, undeclared=("a", "b"))))
    assert "Nobody declared" not in words(render_columns(replace(INTERNAL, undeclared=())))


def test_the_method_has_its_settings_inside_and_its_name_outside() -> None:
    inside, outside = words(render_method(INTERNAL)), words(render_method(PUBLIC))
    assert "Datafly Setting suppression_threshold 10 Suppressed records 3; they are left out" in inside
    assert outside == "Method Method Datafly Order of the records random: the order tells nothing"


def test_the_order_of_the_input_is_explained() -> None:
    assert "can join the two line by line" in words(render_method(replace(PUBLIC, order="input")))


def test_a_release_by_nobody_knows_whom_says_so() -> None:
    assert "by which program" in words(render_method(replace(PUBLIC, method=None)))


def test_a_search_says_how_much_it_has_looked_at() -> None:
    found = Searched(nodes=120, checked=30, objective="ncp", value=0.25, bound=None, is_proved=True)
    said = words(render_method(replace(INTERNAL, summary=replace(SUMMARY, searched=found))))
    nothing = replace(found, objective="average class size", value=None)
    without = words(render_method(replace(INTERNAL, summary=replace(SUMMARY, searched=nothing))))
    assert "whole columns, and no release that satisfies the models has a value of average class size." in without
    assert "checked 30 of 120 ways to generalise whole columns. No other way costs less: its ncp is 0.25." in said
