"""Columns with builders: in a configuration, and once their values are known."""

from pathlib import Path

import pytest
from helpers.built import built
from lxml import etree

from toolbox.config.built_columns import (
    add_missing_category,
    assign_category_codes,
    declare_builder,
    extend_root,
    find_unfit_kind,
)
from toolbox.config.model import Attribute, Column, QuasiIdentifier
from toolbox.hierarchy.builders.words import BUILDERS
from toolbox.hierarchy.outline import read_hierarchy_rows

PLAIN = Attribute(column=Column(index=0, name="a"), kind=None)


def listed(rows: str, other: str = "root") -> Attribute:
    found = read_hierarchy_rows([row.split() for row in rows.split(",")], "a")
    return Attribute(
        column=PLAIN.column, kind=found.kind, hierarchy=found.hierarchy, categories=found.categories,
        listed=found.listed, other=other,
    )  # fmt: skip


def shown(attribute: Attribute) -> list[tuple[str, str]]:
    assert attribute.hierarchy is not None
    return [(node.label, str(node.interval)) for node, _ in attribute.hierarchy.nodes()]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("intervals:5", "number"), ("prefix", "category"), ("ages:2026-01-01", None), ("auto", None)],
)
def test_a_builder_says_what_its_column_holds(text, kind):
    found = declare_builder(PLAIN, built(text))
    assert (found.kind, found.has_hierarchy, found.hierarchy) == (kind, True, None)


@pytest.mark.parametrize(
    ("text", "kind", "unfit"),
    [
        ("intervals:5", "category", "type='number'"), ("intervals:5", "number", None), ("ip", "number", "type='category'"),
        ("dates:year", "timestamp", None), ("dates:year", "number", "type='date'"), ("auto", "date", None),
    ],
)  # fmt: skip
def test_a_kind_that_a_builder_does_not_take_is_known(text, kind, unfit):
    assert find_unfit_kind(built(text), kind) == unfit


def test_texts_become_categories_in_the_order_of_their_tree():
    found = assign_category_codes(declare_builder(PLAIN, built("prefix:1")), {"ba": 1, "ab": 2, "?": 1, "aa": 1}, "?")
    assert dict(found.categories) == {"aa": 0, "ab": 1, "ba": 2}
    assert shown(found) == [("*", "[0:2]"), ("a*", "[0:1]"), ("b*", "[2]")]


def test_unknown_texts_have_codes_behind_all_others_which_only_the_root_takes_in():
    found = assign_category_codes(declare_builder(PLAIN, built("ip:other=root")), {"y": 1, "10.0.0.1": 1, "x": 1})
    assert dict(found.categories) == {"10.0.0.1": 0, "x": 1, "y": 2}
    assert shown(found)[0] == ("*", "[0:2]")
    assert {interval for _, interval in shown(found)[1:]} == {"[0]"}
    assert dict(add_missing_category(found, "?").categories) == {"10.0.0.1": 0, "x": 1, "y": 2, "?": 3}


def test_without_a_known_text_all_are_below_the_root():
    found = assign_category_codes(declare_builder(PLAIN, built("ip:other=root")), {"x": 1})
    assert shown(found) == [("*", "[0]")]
    assert assign_category_codes(declare_builder(PLAIN, built("ip")), {"x": 1}).categories == {}


def test_a_file_may_send_what_it_does_not_list_to_its_root():
    found = assign_category_codes(listed("Graz Styria *,Wien Vienna *"), {"Graz": 1, "Rome": 1})
    assert dict(found.categories) == {"Graz": 0, "Wien": 1, "Rome": 2}
    assert shown(found) == [("*", "[0:2]"), ("Styria", "[0]"), ("Vienna", "[1]")]
    assert assign_category_codes(listed("Graz Styria *", "error"), {"Rome": 1}) == listed("Graz Styria *", "error")


def test_the_root_of_numbers_takes_in_what_lies_outside():
    found = extend_root(listed("20 20s *,21 20s *,30 30s *"), 5, 99)
    assert shown(found) == [("*", "[5:99]"), ("20s", "[20:21]"), ("30s", "[30]")]
    assert extend_root(listed("20 20s *", "error"), 5, 99) == listed("20 20s *", "error")


# In a configuration


def test_the_root_of_a_written_tree_is_not_called_by_its_bounds_where_others_go_there(desk):
    found = qi(desk, "><vgh value='[0:100]' other='root'><node value='[0:50)'/><node value='[50:100]'/></vgh>")
    assert shown(extend_root(found, -3, 150)) == [("*", "[-3:150]"), ("[0:50)", "[0:50)"), ("[50:100]", "[50:100]")]
    sexes = "><map><entry cat='f' int='0'/><entry cat='m' int='1'/></map>"
    assert qi(desk, f"{sexes}<vgh value='[0:1]' other='root'/>").hierarchy.root.label == "*"
    assert qi(desk, f"{sexes}<vgh value='[0:1]' other='root' label='all'/>").hierarchy.root.label == "all"
    assert qi(desk, f"{sexes}<vgh value='[0:1]'/>").hierarchy.root.label == "{f,m}"


def test_nodes_that_reach_beyond_the_last_code_end_before_the_others(desk):
    sexes = "><map><entry cat='f' int='0'/><entry cat='m' int='3'/></map>"
    tree = "<vgh value='[0:9]' other='root'><node value='[0:1]'/><node value='(1:9]'/></vgh>"
    found = assign_category_codes(qi(desk, sexes + tree), {"f": 1, "x": 1})
    assert dict(found.categories) == {"f": 0, "m": 3, "x": 4}
    assert shown(found) == [("*", "[0:4]"), ("f", "[0:1]"), ("m", "(1:4)")]


def qi(desk, content: str) -> QuasiIdentifier:
    (attribute,) = desk.read(desk.with_qid(f"<att index='0' name='a'{content}</att>")).quasi_identifiers
    return attribute


def test_a_builder_is_declared_in_a_vgh(desk):
    found = qi(desk, "><vgh build='intervals' width='5,10' top='90' other='root'/>")
    assert (found.builder, found.kind, found.other) == (built("intervals:5,10:top=90:other=root"), "number", "root")


def test_a_file_of_a_builder_is_found_beside_the_configuration(desk):
    desk.write("places.csv", "Graz;Styria\nWien;Vienna\n")
    assert qi(desk, "><vgh build='tree' file='places.csv'/>").builder.rows([])[0] == ("Graz", "Styria", "*")


def test_a_builder_is_a_hierarchy_for_methods_that_need_one(desk):
    for build in ("intervals' width='5", "prefix", "ages' at='2026-01-01", "auto"):
        text = desk.with_qid(f"<att index='0' name='a'><vgh build='{build}'/></att>", method="Datafly")
        assert desk.read(text).quasi_identifiers[0].builder is not None


def test_a_sensitive_attribute_may_have_a_builder(desk):
    config = desk.read(
        desk.with_qid("<att index='0' name='a'/>").replace(
            "</config>", "<sens><att index='1' name='b'><vgh build='icd10'/></att></sens></config>"
        )
    )
    assert (config.sensitive[0].builder, config.sensitive[0].kind) == (built("icd10"), "category")


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (
            "><vgh build='intervals' width='5,12' colour='3' other='maybe'/>",
            [
                "build='intervals' has no colour=. It takes: width=, origin=, bottom=, top=, other=, root=.",
                "other='maybe' is unknown. Write error or root.",
                "width= has 12 after 5, and is no multiple of it. Write each width as a multiple of the one before, such "
                "as 5,10,20.",
            ],
        ),
        (" type='number'><vgh build='prefix'/>", ["a is of type number, and build='prefix' takes texts. Write type='category', or another build=."]),
        (
            "><map><entry cat='x' int='0'/></map><vgh build='prefix'/>",
            ["a has a map, and a <vgh> with build=, which numbers the categories itself. Remove one of them."],
        ),
        ("><vgh build='ages' at='2026-02-30'/>", ["at='2026-02-30' is a date that does not exist. Write another day, such as 2026-01-31."]),
        ("><vgh build='ip'><node value='[0:1]'/></vgh>", ["<vgh> has no element <node>. It takes none."]),
        ("><vgh file='z.csv' width='3'/>", ["<vgh> has no attribute 'width'. It takes: value, label, file, header, other, build.", "file='z.csv': There is no such file. Write the path of a hierarchy file."]),
        ("><vgh build='tree' file='z.csv'/>", ["file='z.csv': There is no such file. Write the path of a hierarchy file."]),
        (
            "><vgh build='tree' file='https://example.org/p.csv'/>",
            ["file='https://example.org/p.csv' is a URL. Nothing is fetched: download the file, and write its path."],
        ),
        ("><vgh value='[0:9]' other='never'/>", ["other='never' is unknown. Write one of: error, root."]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_once(desk, content, faults):
    text = desk.with_qid(f"<att index='0' name='a'{content}</att>")
    line = text[: text.index("<att")].count("\n") + 1
    assert desk.faults(text) == [f"line {line}: {fault}" for fault in faults]


# The schema and the pages

TOP = Path(__file__).parents[2]
XS = "{http://www.w3.org/2001/XMLSchema}"


def test_the_schema_has_every_builder_and_every_setting():
    schema = etree.parse(TOP / "schemas" / "config.xsd").getroot()
    names = [
        one.get("value")
        for one in schema.findall(f"{XS}simpleType[@name='ownBuilder']/{XS}restriction/{XS}enumeration")
    ]
    known = {one.get("name") for one in schema.findall(f"{XS}complexType[@name='hierarchy']/{XS}attribute")}
    settings = {setting for name in BUILDERS.names for setting in BUILDERS[name].list_all_settings()}
    assert names == list(BUILDERS.names)
    assert known == settings | {"build", "value", "label", "file", "header"}


@pytest.mark.parametrize("name", BUILDERS.names)
def test_the_pages_show_every_builder_and_every_setting(name):
    page, table = ((TOP / "docs" / page).read_text() for page in ("hierarchies.md", "configuration.md"))
    assert f"hierarchies.{name}(" in page
    (row,) = (
        line
        for line in table[table.index("| `build` |") :].splitlines()
        if line.startswith("| `") and f"`{name}`" in line.split("|")[1]
    )
    assert {f"`{setting}`" for setting in BUILDERS[name].settings} <= set(row.replace(",", " ").split())
