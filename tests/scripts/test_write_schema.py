"""The schema, the page of attributes and the calls of a project say what the table of settings says."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import get_args

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import pandas as pd
import polars as pl
import pyarrow as pa
import write_schema
from lxml import etree

import toolbox
from toolbox import Project
from toolbox.api import release
from toolbox.config import settings as table
from toolbox.config.settings import list_settings
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import Reading
from toolbox.projects.settings import INPUT, OUTPUT

LEFT_OUT = {
    *(
        "input",
        "output",
        "output_table",
        "output_separator",
        "save_config",
        "rejects",
        "max_rejects",
        "split_size",
        "input_table",
        "header_line",  # header= takes the line, too
        "allow_network",  # limits= says it
        "partition_by",
    ),
    *(
        "escape_formulas",
        "report",
        "html",
        "report_kind",
        "report_language",
        "organisation",
        "purpose",
        "decided_by",
        "codebook",
        "lattice",
        "input_digest",
        "compatibility",
        "replace",
    ),
    *("engine", "engine_url", "input_query", "input_format"),
    *("memory_limit", "threads", "temp_dir", "lock_timeout", "store"),
    *("sample_weight", "sampling_fraction", "recoding", "small_classes", "epsilon", "delta"),
    *("earlier", "earlier_key", "earlier_repair", "suppress_by"),
}
"""Settings of files, tables and pages, which a call of Python does not write; those that `limits=` takes together, and
`table=`; those of a sample, which only judges look at; and those of earlier releases and of
persons who are suppressed, which stand among the settings of methods."""
XS = "{http://www.w3.org/2001/XMLSchema}"


def test_all_files_are_what_the_table_says() -> None:
    """If they are not: python scripts/write_schema.py."""
    for path, text in write_schema.write_files().items():
        assert path.read_text(encoding="utf-8") == text


def test_each_setting_of_an_element_is_one_of_its_attributes_in_the_words_of_the_help() -> None:
    schema = etree.parse(str(write_schema.SCHEMA)).getroot()
    types = {each.get("name"): each for each in schema.iter(f"{XS}complexType", f"{XS}element") if each.get("name")}
    for element in ("config", "input", "earlier", "output"):
        holder = (
            types[element].find(f"{XS}complexType")
            if element == "config"
            else schema.find(f"{XS}complexType[@name='{element}']")
        )
        told = {
            attribute.get("name"): attribute.findtext(f"{XS}annotation/{XS}documentation")
            for attribute in holder.findall(f"{XS}attribute")
        }
        for setting in list_settings(element, with_places=True):
            assert told[setting.attribute].startswith(setting.help)


def test_a_project_tells_each_setting_of_the_input_and_of_the_release() -> None:
    for call, settings in ((Project.set_input, INPUT), (Project.set_output, OUTPUT)):
        told = call.__doc__.split("**settings")[1].split("``")[1]
        assert {*told.replace(",", " ").split(), "filename"} == {*settings.attributes, "filename"}


def test_each_setting_that_stands_alone_is_asked_for_somewhere() -> None:
    alone = {name: setting for name, setting in vars(table).items() if isinstance(setting, table.RunSetting)}
    package = Path(table.__file__).parents[1]
    texts = [path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.name != "settings.py"]
    asked = {name for name in alone if any(re.search(rf"value_of\(\w+, {name}\)", text) for text in texts)}
    fields_alone = {setting.field for setting in list_settings(holder="others")}
    by_name = {name for name in fields_alone if any("SETTINGS[" in text and f'"{name}"' in text for text in texts)}
    assert fields_alone == {alone[name].field for name in asked} | by_name


def test_python_has_an_argument_for_each_setting_and_takes_the_words_of_the_table() -> None:
    """A new setting is one of the signature, of the docstring, and of those that carry it; or it is left out above."""
    settings = {name: each for name, each in write_schema.list_arguments().items() if each.field not in LEFT_OUT}
    signature = inspect.signature(toolbox.anonymize).parameters
    assert set(settings) <= set(signature)
    carried = {each.name for kind in (ColumnArguments, AnonymizeArguments, Reading) for each in fields(kind)}
    assert set(signature) - {"source"} == carried - {"columns", "call", "tables"}
    told = inspect.getdoc(toolbox.anonymize) or ""
    for name, setting in settings.items():
        annotation = eval(signature[name].annotation, {**vars(release), "pd": pd, "pl": pl, "pa": pa})
        words = {word for kind in get_args(annotation) for word in get_args(kind) if isinstance(word, str)}
        assert words == set(setting.choices), name
        assert (signature[name].default, NoneType in get_args(annotation)) == (None, True)
        assert re.search(rf"(?m)^(\w+, )*{name}(, \w+)* : ", told), name
