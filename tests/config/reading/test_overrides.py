"""Options of the command line: they win over the file, and their faults come together with its own."""

import sys
from pathlib import Path

import pytest
from helpers import children

from toolbox.config.model import Limits
from toolbox.config.settings import REPORT_KIND, value_of


def test_options_win_over_the_file(desk):
    text = desk.with_root("method='Incognito_k' k='3' suppThreshold='6' seed='7' cut='fallback'")
    config = desk.read(
        text.replace("Incognito_k", "Mondrian"),
        k="30", supp_threshold="60", seed="70", suppressed="drop", output_format="anatomy",
        separator=";", settings={"cut": "classic"},
    )  # fmt: skip
    assert config.k == 30
    assert (config.suppression_threshold, config.seed, config.settings) == (60, 70, {"cut": "classic"})
    assert (config.output.suppressed, config.output.format.name, config.input.separator) == ("drop", "anatomy", ";")


def test_options_win_over_each_parameter_of_privacy(desk):
    given = "k='3' l='4' c='5' t='0.3'"
    assert desk.parameters(given) == (3, 4.0, 5.0, 0.3)
    assert desk.parameters(given, k="30", l="40", c="0", t="0.4") == (30, 40.0, None, 0.4)


def test_options_may_supply_what_the_file_leaves_out(desk):
    text = "<config><qid><att index='0'/></qid></config>"
    config = desk.read(text, input=str(desk.folder / "a"), output=str(desk.folder / "b"))
    assert (config.input.path, config.output.path) == (desk.folder / "a", desk.folder / "b")


def test_options_for_the_machine_and_the_files_beside_the_release(desk):
    options = {name: str(desk.folder / name) for name in ("rejects", "report", "store")}
    config = desk.read(desk.with_root(""), memory_limit="2gib", threads="4", lock_timeout="0.5", **options)
    assert config.limits == Limits(memory="2GiB", threads=4, store=desk.folder / "store", lock_timeout=0.5)
    assert (config.output.rejects, config.output.report) == (desk.folder / "rejects", desk.folder / "report")
    page = desk.read(desk.with_root(""), html=str(desk.folder / "page.HTML"), report_kind="public")
    assert (page.output.html, value_of(page, REPORT_KIND)) == (desk.folder / "page.HTML", "public")
    assert value_of(config, REPORT_KIND) == "internal"
    assert desk.folder / "page.HTML" in desk.read(desk.with_root(""), html=str(desk.folder / "page.HTML")).written_paths


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("option", "text", "fault"),
    [
        ("k", "0", "-k '0' is too small. Write a whole number of at least 1."),
        ("l", "-1", "-l '-1' is not positive. Write a number above 0."),
        ("c", "x", "-c 'x' is not a number. Write a number such as 2 or 0.5."),
        ("t", "2", "-t '2' is not between 0 and 1. Write a number above 0 and below 1, such as 0.2."),
        ("supp_threshold", "x", "-suppThreshold 'x' is not a whole number. Write a whole number of at least 0."),
        ("method", "Datafly2", "-method 'Datafly2' is unknown. Did you mean 'Datafly'? Write one of: Datafly, Incognito_k, Mondrian."),
        ("output_format", "csv", "-outputFormat 'csv' is unknown. Write one of: anatomy, genVals, genValsDist."),
        ("separator", "", "-separator '' is empty. Write the characters between two fields, such as a comma."),
        ("input", " ", "-input ' ' names no file. Write the path of a file."),
        ("output", "\0", "-output '\\x00' names no file. Write the path of a file."),
        ("lock_timeout", "-1", "--lock-timeout '-1' is no time to wait. Write seconds, such as 30; 0 for not waiting."),
        ("lock_timeout", "1e9", "--lock-timeout '1e9' is no time to wait. Write seconds, such as 30; 0 for not waiting."),
        ("lock_timeout", "1 h", "--lock-timeout '1 h' is not a number. Write a number such as 2 or 0.5."),
        ("html", "page.pdf", "--html is 'page.pdf', which no browser opens by its name. Write a name that ends in .html or .htm."),
        ("report_kind", "public", "--report-kind describes a page, and no page is asked for. Name its file with --html."),
        ("suppressed", "x", "--suppressed 'x' is unknown. Write one of: keep, drop."),
        ("seed", "1.5", "--seed '1.5' is not a whole number. Write a whole number of at least 0."),
        ("threads", "0", "--threads '0' is too small. Write a whole number of at least 1."),
        ("memory_limit", "2", "--memory-limit '2' is not an amount of memory. Write a number and a unit, such as 512MB, 2GB or 2GiB."),
        ("memory_limit", "0GB", "--memory-limit '0GB' is not an amount of memory. Write a number and a unit, such as 512MB, 2GB or 2GiB."),
        ("memory_limit", "99999999999TB", "--memory-limit '99999999999TB' is more than any machine has. Write a number and a unit, such as 512MB, 2GB or 2GiB."),
        ("settings", {"cut": "x"}, "--cut 'x' is unknown. Write one of: fallback, classic."),
        ("settings", {"cutt": "x"}, "Mondrian has no setting --cutt. Did you mean 'cut'? It has: cut, dimension, note."),
    ],
)  # fmt: skip
def test_a_wrong_option_is_named_as_its_user_writes_it(desk, option, text, fault):
    assert desk.fault(desk.with_root(""), **{option: text}) == fault


def test_options_are_checked_even_where_the_file_cannot_be_read(desk):
    assert desk.faults("<config", k="0", threads="none", output_format="x") == [
        "--threads 'none' is not a whole number. Write a whole number of at least 1.",
        "-k '0' is too small. Write a whole number of at least 1.",
        "-outputFormat 'x' is unknown. Write one of: anatomy, genVals, genValsDist.",
        "line 1: A tag does not end with '>'. End it with '>' or '/>'.",
    ]


def test_a_wrong_value_of_the_file_is_reported_even_if_an_option_replaces_it(desk):
    assert desk.fault(desk.with_root("k='x'"), k="5").startswith("line 1: k='x' is not a whole number.")


def test_the_command_line_can_hold_options_without_loading_the_xml_parser():
    code = "import sys, toolbox.config.reading.overrides; sys.exit('lxml' in sys.modules)"
    assert children.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[2]).returncode == 0
