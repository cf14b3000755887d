"""A saved configuration says what the options said: each option alone, and any of them together."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from toolbox.config.editing.saving import Saving, list_differences, require_replaceable
from toolbox.config.model import Config
from toolbox.config.reading.declarations import NO_DECLARATIONS, Declarations
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import read_config
from toolbox.errors import ConfigurationError
from toolbox.methods.anonymizer import collect_method_facts
from toolbox.privacy.registry import collect_model_facts

METHODS, MODELS = collect_method_facts(), collect_model_facts()
FILE = """\
<?xml version="1.0"?>
<!-- why it is so -->
<config method="Datafly" k="7" SUPPTHRESHOLD="3" seed="1">
  <!-- last year -->
  <input filename="old.csv" header="true" missing="-"/>
  <output filename="old_release.csv" order="sorted"/>

  <qid><att name="age"><vgh file="age.csv"/></att></qid>
</config>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "age.csv").write_text("1;low;*\n2;low;*\n")
    (tmp_path / "old" / "c.xml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path: Path | None, overrides: Overrides, declarations: Declarations = NO_DECLARATIONS) -> Config:
    return read_config(path, overrides=overrides, declarations=declarations, methods=METHODS, models=MODELS)


def saved(
    overrides: Overrides,
    declarations: Declarations = NO_DECLARATIONS,
    path: Path | None = None,
    target: str = "new/s.xml",
) -> tuple[Config, Config, str]:
    """Return what the options say, what the file says that was saved from them, and its text."""
    config = read(path, overrides, declarations)
    facts = METHODS[(overrides.method or config.method).strip().lower()]
    text = Saving(config, Path(target), overrides, MODELS, declarations, facts).text()
    Path(target).write_bytes(text)
    return config, read(Path(target), Overrides()), text.decode()


def said(config: Config) -> dict[str, object]:
    """Return what a configuration says, by an account of its own: paths made real, lines left out."""
    source, output, people = config.input, config.output, config.population
    return {
        "population": people and replace(people, path=Path(os.path.realpath(people.path))),
        "input": source
        and replace(
            source, path=Path(os.path.realpath(source.path)), more=tuple(Path(os.path.realpath(p)) for p in source.more)
        ),
        "output": replace(output, path=output.path and Path(os.path.realpath(output.path)), configuration=None),
        "run": (config.method, config.settings, config.k, config.suppression_threshold, config.seed),
        "report": [config.others.get(name) for name in ("organisation", "purpose", "decided_by")],
        "modes": (config.compatibility, config.undeclared, config.rows_are_people, config.engine, config.periods),
        "models": [(one.model, one.attribute, dict(one.parameters)) for one in config.requirements],
        "id": [(column.index, column.name) for column in config.identifiers],
        "columns": [
            (
                *(one.column.index, one.column.name, one.kind, one.format, one.ordered, one.listed),
                dict(one.categories or {}),
                [(node.interval, node.label, depth) for node, depth in one.hierarchy.nodes()]
                if one.hierarchy
                else None,
                *(getattr(one, name, None) for name in ("priority", "weight", "periods")),
            )
            for one in (*config.quasi_identifiers, *config.sensitive)
        ],
    }


OPTIONS: dict[str, list[str]] = {
    "method": ["Mondrian", "datafly", "LocalRecoding", "Incognito_l"],
    "k": ["2", " 30 "],
    "l": ["3", "2.5"],
    "c": ["2", "0"],
    "t": ["0.3"],
    "supp_threshold": ["0", "12"],
    "input": ["people.csv", "data/*.csv", "sub/", "/abs/people.csv", "people's & co.csv"],
    "population": ["register.csv", "sub/", "people's & co.csv"],
    "separator": [";", "\t", "\\t", "'", "<"],
    "decimal": [","],
    "thousands": ["'", " "],
    "encoding": ["latin-1"],
    "header": ["no", "true"],
    "missing": ["", "n/a", "\t"],
    "on_missing": ["keep", "FAIL"],
    "output": ["out.csv", "new/out.parquet"],
    "output_separator": ["|", "\t"],
    "output_format": ["genValsDist"],
    "split_size": ["5MB"],
    "escape_formulas": ["true"],
    "organisation": ["Clinic & Co."],
    "purpose": ["a register's yearly table"],
    "decided_by": ["Ada Lovelace"],
    "order": ["sorted", "input"],
    "statistics": ["rounded"],
    "suppressed": ["drop"],
    "max_rejects": ["5%", "3"],
    "seed": ["7"],
    "undeclared": ["drop", "pass"],
    "rows_are_people": ["true"],
    "input_digest": ["plain"],
}


def with_parts(given_options: dict[str, str]) -> Overrides:
    return Overrides(**{"input": "people.csv", "output": "out.csv", **given_options})


COLUMNS = Declarations(
    identifiers=["name"],
    quasi_identifiers=["age", "born"],
    sensitive=["ill"],
    hierarchies={"age": "old/age.csv", "born": "dates:month,year"},
    kinds={"born": "date:%d.%m.%Y"},
)
BY_NUMBER = Declarations(
    identifiers=["0"],
    quasi_identifiers=["1", "2"],
    sensitive=["3"],
    hierarchies={"1": "old/age.csv"},
    kinds={"2": "date"},
)


def columns_for(options: dict[str, str]) -> Declarations:
    return BY_NUMBER if options.get("header") in (None, "no") else COLUMNS


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in OPTIONS.items() for value in values], ids=str
)
def test_each_option_alone_is_saved(name: str, value: str, folder: Path) -> None:
    takes = {"l": "Incognito_l", "c": "Incognito_l", "t": "Incognito_t"}
    options = {**({"method": takes[name]} if name in takes else {}), name: value}
    config, again, _ = saved(with_parts(options), columns_for(options))
    assert said(again) == said(config)
    assert said(config) != said(read(None, with_parts({}), columns_for({}))) or value in (
        *("people.csv", "out.csv", "Mondrian", "no", "0", "pass", "3", "2.5", "2", "0.3", "12"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", [None, "old/c.xml"])
@settings(max_examples=times(60, slow=2000), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_options_together_are_saved(path: str | None, data: st.DataObject, folder: Path) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(OPTIONS)), unique=True))
    options = {name: data.draw(st.sampled_from(OPTIONS[name])) for name in names}
    if options.get("thousands") == options.get("decimal", "."):
        return
    if path is None:
        options = {"input": "people.csv", "output": "out.csv", **options}
        declarations = columns_for(options)
    else:
        has_names = options.get("header") != "no"
        if not has_names:
            return
        declarations = Declarations(sensitive=["ill"], priorities={"age": "1"}) if "l" in options else NO_DECLARATIONS
    try:
        config = read(path and Path(path), Overrides(**options), declarations)
    except ConfigurationError:
        return  # such as Incognito without a sensitive attribute
    del config
    config, again, _ = saved(Overrides(**options), declarations, path and Path(path))
    assert said(again) == said(config)


TEXTS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"), min_size=1, max_size=4
)


@pytest.mark.slow
@settings(max_examples=times(60, slow=2000), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    names=st.lists(TEXTS.filter(str.strip), min_size=2, max_size=6, unique=True),
    categories=st.lists(TEXTS, min_size=2, max_size=3, unique=True),
    missing=st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"), max_size=3),
)
@example(names=["a='b'", "<x>&amp;"], categories=[",", '"'], missing=" ")
def test_any_names_and_categories_are_saved(
    names: list[str], categories: list[str], missing: str, folder: Path
) -> None:
    first, *others = names
    columns = Declarations(
        identifiers=others[1:],
        quasi_identifiers=[first],
        sensitive=others[:1],
        ordered={first: categories},
        weights={first: "2"},
        models=["k-anonymity:k=3"],
    )
    config, again, _ = saved(with_parts({"header": "yes", "missing": missing}), columns)
    assert said(again) == said(config)
    assert [column.name for column in again.identifiers] == others[1:]


def test_a_file_keeps_its_comments_and_its_words(folder: Path) -> None:
    _, again, text = saved(Overrides(k="20", output="out.csv", report="r.json"), path=Path("old/c.xml"))
    assert again.k == 20
    assert text == (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<!-- why it is so -->\n"
        "<!-- Not in it, as no configuration says so: -report -->\n"
        "<config method='Datafly' k='20' SUPPTHRESHOLD='3' seed='1'>\n"
        "  <!-- last year -->\n"
        "  <input filename='../old/old.csv' header='true' missing='-'/>\n"
        "  <output filename='../out.csv' order='sorted'/>\n"
        "\n"
        "  <qid>\n"
        "    <att name='age'><vgh file='../old/age.csv'/></att>\n"
        "  </qid>\n"
        "</config>\n"
    )


def test_what_is_said_of_the_file_is_said_anew_when_it_is_saved_again(folder: Path) -> None:
    _, _, first = saved(replace(with_parts({"header": "yes", "undeclared": "fail"}), threads="2"), COLUMNS)
    assert first.splitlines()[1:4] == [
        "<!-- Written by toolbox with -save-config. Run it: toolbox -config s.xml",
        "     undeclared='fail': a column that is not named below stops the run.",
        "     Not in it, as no configuration says so: -threads -->",
    ]
    _, _, second = saved(Overrides(undeclared="drop"), path=Path("new/s.xml"), target="new/t's.xml")
    its = "'t'\"'\"'s.xml'"  # as a shell reads it
    assert second.splitlines()[1] == f"<!-- Written by toolbox with -save-config. Run it: toolbox -config {its} -->"
    assert second.count("Written by") == 1


def test_the_settings_of_another_method_go_with_it(folder: Path) -> None:
    (folder / "old" / "c.xml").write_text(FILE.replace("Datafly", "Mondrian").replace("seed", 'cut="classic" seed'))
    _, _, kept = saved(Overrides(), path=Path("old/c.xml"))
    assert "cut='classic'" in kept
    _, _, gone = saved(Overrides(method="Datafly"), path=Path("old/c.xml"))
    assert "cut" not in gone
    _, again, _ = saved(Overrides(settings={"cut": "fallback"}), path=Path("old/c.xml"))
    assert again.settings == {"cut": "fallback"}


def test_the_hierarchy_of_a_child_table_is_found_from_the_new_folder(folder: Path) -> None:
    (folder / "old" / "wards.csv").write_text("a;*\nb;*\n")
    child = (
        "<table name='visits' filename='visits.csv'><qid><att name='ward'><vgh file='wards.csv'/></att></qid></table>"
    )
    text = FILE.replace("<qid>", "<person><att name='patient'/></person><qid>")
    (folder / "old" / "c.xml").write_text(text.replace("</config>", f"<tables>{child}</tables></config>"))
    config, again, written = saved(Overrides(), path=Path("old/c.xml"))
    assert "<vgh file='../old/wards.csv'/>" in written
    assert list_differences(config, again) == []


def test_the_size_of_a_class_is_not_written_into_a_model_that_counts_others(folder: Path) -> None:
    models = '<privacy><model name="k-anonymity" k="2"/><model name="k-map" k="9"/></privacy></config>'
    with_models = FILE.replace(' k="7"', "").replace("</config>", models)
    (folder / "old" / "c.xml").write_text(with_models.replace("<output", '<population filename="p.csv"/><output'))
    _, again, _ = saved(Overrides(k="3"), path=Path("old/c.xml"))
    assert said(again)["models"] == [("k-anonymity", None, {"k": 3}), ("k-map", None, {"k": 9})]


def test_models_and_their_options(folder: Path) -> None:
    models = Declarations(
        quasi_identifiers=["age"],
        sensitive=["ill", "pay"],
        models=["entropy l-diversity:l=3:attribute=ill", "t-closeness:t=0.2:attribute=pay"],
    )
    config, again, _ = saved(with_parts({"header": "yes", "k": "5", "t": "0.1"}), models)
    assert said(again) == said(config)
    assert said(again)["models"] == [
        ("k-anonymity", None, {"k": 5}),
        ("entropy l-diversity", "ill", {"l": 3.0}),
        (
            "t-closeness",
            "pay",
            {"t": 0.1, "distance": "auto"} if "distance" in config.requirements[2].parameters else {"t": 0.1},
        ),
    ]


@pytest.mark.parametrize(
    "options",
    [
        {
            "input": "postgresql://h/d",
            "input_table": "a.b",
            "output": "postgresql://h/d",
            "output_table": "c",
            "replace": "true",
        },
        {"input": "postgresql://h/d", "input_query": "select 1", "output": "out.csv"},
        {"engine": "postgresql", "engine_url": "postgresql://h/d", "input_table": "a", "output_table": "b"},
        {"engine_url": "postgresql://h/d", "input_table": "a", "output": "out.csv"},
        {"engine": "spark", "engine_url": "local[2]", "input": "s3a://b/p/", "output": "data/r", "input_format": "csv"},
        {"engine": "spark", "engine_url": "local[2]", "input_table": "db.t", "output": "r"},
    ],
    ids=str,
)
def test_tables_that_are_no_files_are_saved(options: dict[str, str], folder: Path) -> None:
    given_settings = {"spark.x": "1"} if options.get("engine") == "spark" else {}
    config, again, _ = saved(
        Overrides(**options, engine_settings=given_settings), Declarations(quasi_identifiers=["age"])
    )
    assert said(again) == said(config)
    assert (config.engine is None) == ("engine" not in options and "output_table" not in options)


def test_another_place_of_the_records_takes_the_place_of_the_old_one(folder: Path) -> None:
    table = "<input url='postgresql://h/d' table='t'/>"
    (folder / "old" / "c.xml").write_text(FILE.replace('<input filename="old.csv" header="true" missing="-"/>', table))
    config, again, text = saved(Overrides(input=("a.csv", "b.csv"), header="true"), path=Path("old/c.xml"))
    assert said(again) == said(config)
    assert "postgresql" not in text
    config, again, text = saved(Overrides(input="c.csv"), path=Path("new/s.xml"), target="t.xml")
    assert said(again) == said(config)
    assert "<file" not in text


def test_a_method_at_hand_is_no_part_of_a_file(folder: Path) -> None:
    overrides = replace(with_parts({"header": "yes"}), method="toolbox.methods.datafly:Datafly")
    config = read(None, overrides, COLUMNS_WITH_TREES)
    text = Saving(config, Path("new/s.xml"), overrides, MODELS, COLUMNS_WITH_TREES, METHODS["datafly"]).text().decode()
    assert "Not in it, as no configuration says so: -method toolbox.methods.datafly:Datafly" in text
    assert "method=" not in text


COLUMNS_WITH_TREES = Declarations(quasi_identifiers=["age"], hierarchies={"age": "old/age.csv"})


@pytest.mark.parametrize("name", ["missing", "separator"])
def test_what_xml_cannot_hold_is_said(name: str, folder: Path) -> None:
    overrides = with_parts({"header": "yes", name: "\x01"})
    config = read(None, overrides, COLUMNS)
    with pytest.raises(ConfigurationError, match=rf"--{name} holds the character U\+0001"):
        Saving(config, Path("new/s.xml"), overrides, MODELS, COLUMNS, METHODS["mondrian"]).text()


@pytest.mark.parametrize("text", ["a,b\n", "<html/>", "", "<config>"])
def test_only_a_configuration_is_replaced(text: str, folder: Path) -> None:
    (folder / "there").write_text(text)
    with pytest.raises(ConfigurationError, match="'there' is there, and no configuration"):
        require_replaceable(Path("there"))
    assert (folder / "there").read_text() == text
    require_replaceable(Path("old/c.xml"))
    require_replaceable(Path("nothing"))
