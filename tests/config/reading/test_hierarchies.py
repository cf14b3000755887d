"""Hierarchies in a configuration: written out over numbers or codes, or named as a file."""

import pytest

SEXES = "<map><entry cat='Female' int='0'/><entry cat='Male' int='1'/></map>"
STATES = (
    "<map><entry cat='Ohio' int='0'/><entry cat='Utah' int='1'/>"
    "<entry cat='Washington, D.C.' int='2'/><entry cat='Maine' int='5'/></map>"
)


def qi(desk, content, **kwargs):
    (attribute,) = desk.read(desk.with_qid(f"<att index='0' name='a' {content}", **kwargs)).quasi_identifiers
    return attribute


def test_an_interval_is_labelled_as_its_author_wrote_it_without_blanks(desk):
    age = qi(
        desk, "><vgh value=' [ 0 : 1e2 ) '><node value='[0:050)'/><node value='[50.0:100)' label='old'/></vgh></att>"
    )
    assert age.kind == "number"
    assert [(node.label, node.text) for node, _ in age.hierarchy.root.walk()] == [
        ("[0:1e2)", " [ 0 : 1e2 ) "),
        ("[0:050)", "[0:050)"),
        ("old", "[50.0:100)"),
    ]


def test_a_set_of_categories_is_labelled_by_its_names_in_the_order_of_codes(desk):
    tree = "<vgh value='[0:5]' label='*'><node value='[0:1]'/><node value='(1:2]'/><node value='(2:9)'/></vgh></att>"
    state = qi(desk, f">{STATES}{tree.replace('(2:9)', '(2:5]')}")
    assert [node.label for node, _ in state.hierarchy.root.walk()] == ["*", "{Ohio,Utah}", "Washington, D.C.", "Maine"]
    root = qi(desk, f">{STATES}<vgh value='[0:5]'/></att>").hierarchy.root
    assert root.label == '{Ohio,Utah,"Washington, D.C.",Maine}'


def test_children_keep_the_order_of_their_author(desk):
    age = qi(desk, "><vgh value='[0:2]'><node value='(1:2]'/><node value='[0:1]'/></vgh></att>")
    assert [child.label for child in age.hierarchy.root.children] == ["(1:2]", "[0:1]"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("><vgh value='0-9'/></att>", "'0-9' is not an interval. Write it as [a:b], [a:b), (a:b], (a:b) or [a]."),
        ("><vgh value='[9:0]'/></att>", "'[9:0]' contains no number. Write the smaller bound first."),
        ("><vgh value='[0:1e999]'/></att>", "'[0:1e999]' has a bound beyond the largest number (1.8e308). Write a finite one."),
        ("><vgh value='[0:1]' label=''/></att>", "label='' is empty. Write what a release shows, or remove label=."),
        ("><vgh/></att>", "<vgh> has none of value=, file= and build=. Write value='[a:b]', file='...' or build='...'."),
        (" type='category'><vgh value='[0:1]'/></att>", "a is a category without a map, so that no interval can stand for its values. Add a <map>, or name a hierarchy file: <vgh file='...'/>."),
        (f">{SEXES}<vgh value='[1:2]'/></att>", "[1:2] leaves out the category 'Female' of the map. Write [0:1], say."),
        (f">{SEXES}<vgh value='[2:3]'/></att>", "[2:3] leaves out the categories 'Female', 'Male' of the map. Write [0:1], say."),
        (f">{STATES}<vgh value='[0:5]'><node value='[0:1]'/><node value='[5]'/></vgh></att>", "the category 'Washington, D.C.' lies in [0:5], but in no child of it. Add a child, or widen one."),
        (f">{STATES}<vgh value='[0:5]'><node value='[0:2]'/><node value='[3:4]'/><node value='[5]'/></vgh></att>", "[3:4] holds no code of the map. Remove it, or correct its bounds."),
    ],
)  # fmt: skip
def test_a_wrong_hierarchy_is_reported(desk, content, fault):
    assert desk.fault(desk.with_qid(f"<att index='0' name='a' {content}")) == f"line 3: {fault}"


def test_faults_in_different_branches_are_all_reported(desk):
    tree = (
        "<att index='0'><vgh value='[0:100]'>\n"
        "<node value='[0:50)'>\n<node value='[0:20)'/>\n<node value='[30:50)'/></node>\n"
        "<node value='[50:100]'>\n<node value='fifty'/>\n</node>\n"
        "<node value='[100:120]'/></vgh></att>"
    )
    faults = desk.faults(desk.with_qid(tree))
    assert [fault.split(".")[0] for fault in faults] == [
        "line 6: [20:30) lies in [0:50), but in no child of it",
        "line 8: 'fifty' is not an interval",
        "line 10: [100:120] does not lie within [0:100], its parent",
    ]


def test_leaves_at_unequal_depth_trouble_methods_that_generalise_whole_columns_only(desk):
    tree = (
        "<att index='0'><vgh value='[0:4]'>\n<node value='[0:2)'>\n<node value='[0:1)'/><node value='[1:2)'/>\n</node>\n"
        "<node value='[2:4]'/></vgh></att>"
    )
    assert desk.read(desk.with_qid(tree)).quasi_identifiers[0].hierarchy.height == 3
    assert desk.fault(desk.with_qid(tree, method="Datafly")) == (
        "line 7: The leaf [2:4] lies 1 levels below the root, others 2. Add nodes below it: "
        "Datafly generalises whole columns, level by level. Mondrian does not need that."
    )


def test_such_a_method_needs_a_hierarchy_of_every_quasi_identifier(desk):
    assert desk.fault(desk.with_qid("<att index='0' name='zip'/>", method="Datafly")) == (
        "line 3: zip has no hierarchy, which Datafly needs to generalise it. "
        "Add a <vgh>, or use Mondrian, which needs none. Dates have one with type='date'."
    )


def test_a_hierarchy_file_lies_beside_the_configuration(desk):
    desk.write("ages.csv", "1;0-4;*\n5;5-9;*\n2;0-4;*\n")
    age = qi(desk, "><vgh file='ages.csv'/></att>", method="Datafly")
    assert (age.kind, age.listed, age.categories) == ("number", (1.0, 2.0, 5.0), None)
    assert list(age.hierarchy.labels()) == [("*", 2), ("0-4", 1), ("5-9", 1)]
    as_codes = qi(desk, " type='category'><vgh file='ages.csv'/></att>")
    assert (as_codes.kind, as_codes.listed, as_codes.categories) == ("category", None, {"1": 0, "2": 1, "5": 2})


def test_faults_of_a_hierarchy_file_name_the_file_and_its_line(desk):
    desk.write("sexes.csv", "Male;*\nFemale\nMale;*\n")
    assert desk.fault(desk.with_qid("<att index='0'><vgh file='sexes.csv'/></att>")) == (
        "sexes.csv, line 2: The row has 1 column, that of line 1 has 2. Give every value a label on each level."
    )


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("<vgh file='absent.csv'/>", "file='absent.csv': There is no such file. Write the path of a hierarchy file."),
        ("<vgh file='.'/>", "file='.': The file cannot be read (Is a directory). Write the path of a file."),
        ("<vgh file=''/>", "file='' names no file. Write the path of a file."),
        (f"{SEXES}<vgh file='s.csv'/>", "a has a map, and a hierarchy file, which numbers the categories itself. Remove the <map>."),
        ("<vgh file='s.csv' value='[0:1]'><node value='[0:1]'/></vgh>", "<vgh> has file=, and value= and <node> as well. Keep the file or the hierarchy written here, not both."),
    ],
)  # fmt: skip
def test_a_wrong_reference_to_a_file_is_reported(desk, content, fault):
    desk.write("s.csv", "Male;*\nFemale;*\n")
    assert desk.fault(desk.with_qid(f"<att index='0' name='a'>{content}</att>")) == f"line 3: {fault}"
