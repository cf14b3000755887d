"""The first line of a hierarchy file may name the levels: then it is left out, or refused, and never a value."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from helpers.running import run_in_process

import toolbox
from toolbox.errors import ConfigurationError
from toolbox.hierarchy.outline import FileHierarchy, read_hierarchy_file

TOWNS = "Graz;Styria;*\nLinz;Upper Austria;*\nWels;Upper Austria;*\n"
AGES = "21;20-29;all\n22;20-29;all\n35;30-39;all\n"
AUSTRIA = TOWNS.replace("*", "Austria")


def read(folder: Path, text: str, **options: object) -> FileHierarchy:
    path = folder / "tree.csv"
    path.write_text(text)
    return read_hierarchy_file(path, **options)


@pytest.mark.parametrize(
    ("header", "rows", "name"),
    [
        ("town;province;country\n", TOWNS, "town"),
        ("Town;province;country\n", AUSTRIA, "town"),
        ("value;level 1;level 2\n", TOWNS, "town"),
        ("value;level 1;level 2\n", AGES, "age"),
        ("value;level 1;level 2\n", AGES, None),
        ("town;province\n", "Graz;Styria\nLinz;Upper Austria\n", "town"),
    ],
)
def test_a_header_is_left_out_with_a_note(tmp_path: Path, header: str, rows: str, name: str | None) -> None:
    found = read(tmp_path, header + rows, name=name)
    assert found.note == f"{tmp_path / 'tree.csv'}, line 1 is taken for a header, and left out."
    plain = read(tmp_path, rows)
    assert (found.kind, found.categories, found.listed) == (plain.kind, plain.categories, plain.listed)
    assert found.hierarchy == plain.hierarchy
    assert plain.note is None


@pytest.mark.parametrize(
    "rows",
    [
        TOWNS,
        AGES,
        AUSTRIA,
        # A value of its own group, the name of a column among the values, two roots, a root that also occurs below.
        "unknown;unknown;*\n" + TOWNS,
        "Munich;Bavaria;Germany\n" + AUSTRIA + "Hamburg;Hamburg;Germany\n",
        "x;other\ny;main\nz;main\n",
        "value\nGraz\nLinz\nWels\n",
        "Graz;Styria;*\n",
    ],
)
def test_a_value_is_none(tmp_path: Path, rows: str) -> None:
    found = read(tmp_path, rows, name="province")
    assert found.note is None
    values = len(found.categories or found.listed or ())
    assert values == len(rows.splitlines())


def test_a_line_that_may_be_either_is_refused_with_the_reason(tmp_path: Path) -> None:
    text = "city;province;country\n" + AUSTRIA
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text, name="town")
    assert str(caught.value) == (
        f"{tmp_path / 'tree.csv'}: line 1: The line may be a header: all others end in 'Austria', it ends in 'country'. "
        "Write header='true' or header='false' beside file= in <vgh>; or remove it, or move it down, if it is a value."
    )
    assert list(read(tmp_path, text, header=True).categories) == ["Graz", "Linz", "Wels"]
    assert list(read(tmp_path, text, header=False).categories) == ["city", "Graz", "Linz", "Wels"]


def test_a_header_alone_is_no_hierarchy(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="The hierarchy is empty"):
        read(tmp_path, "town;province\n", header=True)


@pytest.mark.slow
def test_a_configuration_says_whether_there_is_one_and_a_run_notes_what_it_takes_for_one(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("town;province;country\n" + TOWNS)
    (tmp_path / "in.csv").write_text("town\nGraz\nGraz\nLinz\nWels\n")

    def notes(vgh: str) -> list[str]:
        (tmp_path / "c.xml").write_text(
            "<config k='2' method='Datafly'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
            f"<qid><att name='town'>{vgh}</att></qid></config>"
        )
        return run_in_process("-config", tmp_path / "c.xml", "--json").succeeded().document["notes"]

    told = notes("<vgh file='towns.csv'/>")
    assert any("towns.csv, line 1 is taken for a header, and left out. Write header='true' or" in note for note in told)
    assert not any("header" in note for note in notes("<vgh file='towns.csv' header='true'/>"))
    (tmp_path / "c.xml").write_text(
        "<config><qid><att name='a'><vgh value='[0:1]' header='true'/></att></qid></config>"
    )
    assert (
        "<vgh> has header=, and no file= that could have one." in run_in_process("-config", tmp_path / "c.xml").stderr
    )


def test_a_python_call_warns_of_it(tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text("town;province;country\n" + TOWNS)
    people = pd.DataFrame({"town": ["Graz", "Graz", "Linz", "Wels"]})
    with pytest.warns(UserWarning, match=r"towns.csv, line 1 is taken for a header, and left out"):
        toolbox.anonymize(people, quasi_identifiers=["town"], hierarchies={"town": path}, k=2)
