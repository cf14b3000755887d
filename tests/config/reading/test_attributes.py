"""The columns: how an ``att`` names one, what it says of its values, and that none is declared twice."""

import pytest


def test_a_column_is_named_by_its_position_or_by_its_header(desk):
    config = desk.read(desk.with_qid("<att index='4' name='sex'/><att name='age'/>", header="header='yes'"))
    columns = [attribute.column for attribute in config.quasi_identifiers]
    assert [(column.index, column.name, column.line) for column in columns] == [(4, "sex", 3), (None, "age", 3)]


def test_a_name_alone_needs_a_header(desk):
    assert desk.fault(desk.with_qid("<att name='age'/>")) == (
        "line 3: The column 'age' is named by its header, but the input has none. "
        "Add index='...', or header='true' to <input> if its first line holds the names."
    )


@pytest.mark.parametrize("name", ["in.parquet", "IN.PQ"])
def test_a_parquet_file_has_its_header_in_itself(desk, name):
    text = desk.with_qid("<att name='age'/>")
    assert desk.read(text.replace("in.csv", name)).quasi_identifiers[0].column.index is None
    assert desk.read(text, input=name).quasi_identifiers[0].column.name == "age"


@pytest.mark.parametrize(
    ("att", "fault"),
    [
        ("<att/>", "<att> names no column. Add index='...', the column's position from 0, or name='...'."),
        ("<att index='-1' name='a'/>", "index='-1' is too small. Write a whole number of at least 0."),
        ("<att index='1.0' name='a'/>", "index='1.0' is not a whole number. Write a whole number of at least 0."),
        ("<att index='1' name=' '/>", "name=' ' is empty. Write the column's header, or remove name=."),
        ("<att index='1' type='text'/>", "type='text' is unknown. Write one of: number, category, date, timestamp."),
        (
            "<att index='1' minLevel='1'/>",
            "minLevel='1' means nothing to Mondrian. Leave it out, or choose Flash, OLA, MinGen, Incognito or Datafly.",
        ),
        ("<att index='1' priority='0'/>", "priority='0' is too small. Write a whole number of at least 1."),
        ("<att index='1' weight='0'/>", "weight='0' is not positive. Write a number above 0."),
        ("<att index='1' weight='inf'/>", "weight='inf' is not a number. Write a number such as 2 or 0.5."),
    ],
)
def test_a_wrong_attribute_is_reported(desk, att, fault):
    assert desk.fault(desk.with_qid(att)) == f"line 3: {fault}"


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ("index='1'", "index='01'", "column 1"),
        ("index='1' name='a'", "index='2' name='a'", "name 'a'"),
        ("index='1' name='a'", "name='a'", "name 'a'"),
        ("index='1' name='a'", "index='1' name='b'", "column 1"),
    ],
)
@pytest.mark.parametrize("section", ["id", "sens"])
def test_a_column_may_be_declared_once_only(desk, first, second, what, section):
    text = desk.with_qid(f"<att {first}/>\n", header="header='1'")
    text = text.replace("</config>", f"<{section}><att {second}/></{section}></config>")
    lines = "line 3 (qid) and line 4 (sens)" if section == "sens" else "line 4 (id) and line 3 (qid)"
    (fault,) = desk.faults(text)
    assert fault.endswith(f"The {what} is declared twice: in {lines}. Keep one of the two.")


def test_priority_and_weight_belong_to_quasi_identifiers(desk):
    config = desk.read(desk.with_qid("<att index='0' priority='2' weight='0.5'/>"))
    assert (config.quasi_identifiers[0].priority, config.quasi_identifiers[0].weight) == (2, 0.5)
    sens = "<sens><att index='1' priority='2'/></sens><id><att index='2' type='number'/></id></config>"
    config = desk.read(desk.with_qid("<att index='0'/>").replace("</config>", sens))
    assert config.warnings == (
        "line 3: priority means nothing here, and is ignored.",
        "line 3: type means nothing here, and is ignored.",
    )


@pytest.mark.parametrize(
    ("content", "kind", "categories"),
    [
        ("/>", None, None),
        (" type='NUMBER'/>", "number", None),
        (" type='category'/>", "category", None),
        ("><map><entry cat='b' int='1'/><entry cat='a' int='0'/></map></att>", "category", {"a": 0, "b": 1}),
        (" type='category'><map><entry cat='a' int='-3'/></map></att>", "category", {"a": -3}),
    ],
)
@pytest.mark.parametrize("section", ["qid", "sens"])
def test_what_is_known_of_the_values(desk, content, kind, categories, section):
    own = f"<{section}><att index='1'{content}</{section}>"
    other = "" if section == "qid" else "<qid><att index='0'/></qid>"
    config = desk.read(f"<config><input filename='a'/><output filename='b'/>{own}{other}</config>")
    (attribute,) = config.sensitive or config.quasi_identifiers
    assert (attribute.kind, attribute.categories) == (kind, categories)


@pytest.mark.parametrize(
    ("entries", "faults"),
    [
        ("<entry cat='a' int='0'/>\n<entry cat='a' int='1'/>", ["line 4: The category 'a' is in line 3 already. Keep one of the entries."]),
        ("<entry cat='a' int='0'/>\n<entry cat='b' int='00'/>", ["line 4: The code 0 is that of line 3 already. Give each category a number of its own."]),
        ("<entry cat='a' int='x'/>", ["line 3: int='x' is not a whole number. Write a whole number of at least -9007199254740992."]),
        ("<entry cat='a' int='9007199254740993'/>", ["line 3: int='9007199254740993' is too large. Write a whole number from -9007199254740992 to 9007199254740992."]),
    ],
)  # fmt: skip
def test_a_wrong_map_is_reported(desk, entries, faults):
    # and the hierarchy over it is not blamed as well
    text = desk.with_qid(f"<att index='0'><map>{entries}</map><vgh value='[7:9]'/></att>")
    assert desk.faults(text) == faults


def test_a_number_has_no_map(desk):
    fault = desk.fault(desk.with_qid("<att index='0' type='number'><map><entry cat='a' int='0'/></map></att>"))
    assert fault == "line 3: column 0 has type='number', and a map. Remove one of them."
