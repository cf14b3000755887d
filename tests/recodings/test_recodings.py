"""A recoding that is saved and applied: the same names where they hold, wider ones where a class is too small."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import is_thorough, some, times
from helpers.brute_joint import expose, read_shown
from helpers.recoded_people import HIERARCHIES, METHODS, QUASI_IDENTIFIERS, TOWNS, fitted, people
from hypothesis import given, settings
from hypothesis import strategies as st

import toolbox
from toolbox import Recoding


def sizes_of(release: pd.DataFrame) -> Counter[tuple[str, ...]]:
    """Count the classes of a release by its own rows."""
    return Counter(map(tuple, release[QUASI_IDENTIFIERS].astype(str).to_numpy().tolist()))


def covers(name: str, value: object) -> bool:
    """Say whether a generalised value stands for a value, by what a reader sees of it."""
    if name in ("*", str(value)):
        return True
    if name[0] in "[(" and ":" in name:
        low, high = (float(end) for end in name[1:-1].split(":"))
        number = float(str(value))
        above = number > low or (name[0] == "[" and number == low)
        return above and (number < high or (name[-1] == "]" and number == high))
    if name[0] == "{":
        return str(value) in name[1:-1].split(",")
    return TOWNS.get(str(value)) == name


# The same table again.


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", [method for method in METHODS if method != "LocalRecoding"])
def test_the_table_of_which_it_was_made_gets_the_release_that_it_got(method: str) -> None:
    table = people(120, seed=1)
    asked = {"quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": ["illness"], "hierarchies": HIERARCHIES, "k": 3}
    naming = {"Mondrian": {"naming": "regions"}, "Singletons": {"ranges": "none"}}.get(method, {})
    first = toolbox.anonymize(table, **asked, **naming, method=method, order="input").release
    again = fitted(table, method, **naming).transform(table, order="input").release
    pd.testing.assert_frame_equal(first, again)


@pytest.mark.slow
def test_a_local_recoding_by_levels_keeps_its_classes_and_gives_each_record_the_narrowest() -> None:
    table = people(120, seed=1)
    recoding = fitted(table, "LocalRecoding")
    known = {tuple(row) for row in _list_cells(recoding)}
    release = recoding.generalise(table)
    assert {tuple(row) for row in release[QUASI_IDENTIFIERS].astype(str).to_numpy().tolist()} <= known


def _list_cells(recoding: Recoding) -> list[list[str]]:
    cells = json.loads(recoding.to_json())["cells"]
    names = [[_format(name) for name in column] for column in cells["names"]]
    return [[names[column][place] for column, place in enumerate(row)] for row in cells["rows"]]


def _format(name: dict[str, Any]) -> str:
    return str(name["label"]) if "label" in name else f"{name['value']:g}"


# Another table.


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("small", ["merge", None])
def test_every_class_of_another_table_has_k_records_that_its_name_covers(method: str, small: Any) -> None:
    recoding = fitted(people(100, seed=2), method)
    for seed in range(3, times(4, slow=40)):
        other = people(40 + seed, seed)
        result = recoding.transform(other, small_classes=small, order="input")
        release = result.release
        assert len(release) == len(other)
        assert release["illness"].tolist() == other["illness"].tolist()
        pairs = zip(release[QUASI_IDENTIFIERS].to_numpy(), other[QUASI_IDENTIFIERS].to_numpy(), strict=True)
        assert all(covers(str(name), value) for row in pairs for name, value in zip(*row, strict=True))
        few = [size for size in sizes_of(release).values() if size < 3]
        assert sum(few) <= result.summary.proof.records_suppressed


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_large_enough_keeps_the_name_that_the_recoding_says(method: str) -> None:
    """Unless a class that is too small needs it: then it is the smallest within a wider one."""
    recoding = fitted(people(150, seed=7), method)
    other = people(150, seed=8)
    said = recoding.generalise(other)
    counted = sizes_of(said)
    result = recoding.transform(other, small_classes="merge", order="input")
    released, found = result.release, result.summary.document()["recoding"]
    same = (released[QUASI_IDENTIFIERS].astype(str) == said[QUASI_IDENTIFIERS].astype(str)).all(axis=1)
    assert int(same.sum()) >= found["kept"]
    assert found["kept"] + found["merged"] + found["suppressed"] == len(other)
    large = [counted[tuple(row)] >= 3 for row in said[QUASI_IDENTIFIERS].astype(str).to_numpy().tolist()]
    changed = sum(is_large and not is_same for is_large, is_same in zip(large, same, strict=True))
    small = len(large) - sum(large)
    # Each class that is taken in is as small as one can be found, and there are no more of them than small records.
    assert changed <= 6 * small


@pytest.mark.slow
def test_all_small_classes_are_suppressed_on_request_or_that_is_refused() -> None:
    recoding = fitted(people(150, seed=7), "LocalRecoding", k=10)
    other = people(150, seed=9)
    said = sizes_of(recoding.generalise(other))
    small = sum(size for size in said.values() if size < 10)
    assert small > 0, "otherwise the example says nothing"
    result = recoding.transform(other, small_classes="suppress", suppression_threshold=small)
    assert result.summary.proof.records_suppressed == small
    with pytest.raises(
        toolbox.UnsatisfiableError, match=r"too small, and 10 may be suppressed\. Write small_classes='m"
    ):
        recoding.transform(other, small_classes="suppress")


@pytest.mark.slow
def test_a_value_that_the_recoding_does_not_know_goes_to_its_root_and_is_told() -> None:
    recoding = fitted(people(150, seed=7), "Mondrian", naming="regions")
    other = people(150, seed=9)
    other.loc[:4, "town"] = "Oslo"
    result = recoding.transform(other, order="input")
    assert set(result.release["town"].astype(str)[:5]) == {"*"}
    assert result.summary.document()["recoding"]["unseen"] == {"town": 5}
    assert any(
        "5 records have a value of town that the recoding does not know" in note for note in result.summary.notes
    )


@pytest.mark.slow
def test_what_is_unknown_is_told_in_a_column_of_one_level_too() -> None:
    table = pd.DataFrame({"town": ["Graz", "Linz"] * 4, "illness": ["flu", "cold"] * 4})
    asked: dict[str, Any] = {"quasi_identifiers": ["town"], "sensitive": ["illness"], "hierarchies": {"town": "auto"}}
    recoding = Recoding.fit(table, **asked, k=2, method="Flash", suppression_threshold=0)
    other = table.replace({"town": {"Linz": "Enns"}})
    result = recoding.transform(other, small_classes="merge")
    assert result.summary.document()["recoding"]["unseen"] == {"town": 4}


@pytest.mark.slow
def test_what_is_unknown_goes_to_the_root_where_leaves_lie_at_different_depths(tmp_path: Path) -> None:
    (tmp_path / "january.csv").write_text("town\n" + "Graz\n" * 3 + "Linz\n" * 2 + "Wels\n", encoding="utf-8")
    (tmp_path / "january.xml").write_text(
        "<config method='LocalRecoding' k='3'><input filename='january.csv' separator=',' header='true'/>"
        "<output filename='release.csv'/><qid><att name='town'><map><entry cat='Graz' int='0'/><entry cat='Linz' int='1'/>"
        "<entry cat='Wels' int='2'/></map><vgh value='[0:2]' other='root'><node value='[0]'/><node value='[1:2]'>"
        "<node value='[1]'/><node value='[2]'/></node></vgh></att></qid></config>",
        encoding="utf-8",
    )
    recoding = Recoding.fit(toolbox.load_config(tmp_path / "january.xml"))
    table = pd.DataFrame({"town": ["Graz"] * 3 + ["Linz"] * 3 + ["Enns"] * 2 + ["Ulm"] * 2})
    result = recoding.transform(table, small_classes="merge", order="input")
    assert result.summary.document()["recoding"]["unseen"] == {"town": 4}
    assert result.release["town"].tolist()[-4:] == ["*"] * 4, "two new values make one class of four"


@pytest.mark.slow
def test_the_open_end_of_the_known_numbers_is_not_known() -> None:
    """By twenty years, a table of ages up to 79 knows [0:80): who is 80 is in none of its regions."""
    recoding = fitted(people(300, seed=100), "Mondrian", naming="regions")
    other = people(260, seed=102, oldest=79)
    other.loc[:3, "age"] = 80
    result = recoding.transform(other, small_classes="merge", order="input")
    assert set(result.release["age"].astype(str)[:4]) == {"*"}
    assert result.summary.document()["recoding"]["unseen"] == {"age": 4}


@pytest.mark.slow
def test_the_name_of_a_root_is_not_given_to_values_from_outside() -> None:
    """A town of another country is not in Austria, though it goes to the root of the towns of Austria."""
    table = people(60, seed=1)
    towns = [(town, state, "Austria") for town, state in TOWNS.items()]
    columns: dict[str, Any] = {"quasi_identifiers": ["town"], "hierarchies": {"town": towns}}
    recoding = Recoding.fit(table, **columns, k=3, method="Flash", undeclared="drop", levels={"town": (2, 2)})
    other = people(60, seed=2)
    other.loc[:3, "town"] = "Oslo"
    assert set(recoding.transform(other).release["town"].astype(str)) == {"*"}


@pytest.mark.slow
def test_a_builder_goes_on_with_values_that_are_new() -> None:
    recoding = fitted(people(150, seed=7, oldest=59), "Flash")
    older = people(150, seed=9, oldest=99)
    names = set(recoding.generalise(older)["age"].astype(str))
    assert any(covers(name, 99) for name in names - {"*"})


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Mondrian", "LocalRecoding"])
def test_another_model_holds_in_every_class_too(method: str) -> None:
    models = [toolbox.KAnonymity(k=3), toolbox.DistinctLDiversity(l=2, attribute="illness")]
    recoding = fitted(people(150, seed=7), method, models=models)
    for seed in range(10, times(11, slow=30)):
        release = recoding.transform(people(90, seed)).release
        for _, group in release.groupby(QUASI_IDENTIFIERS, observed=True):
            assert len(group) >= 3
            assert group["illness"].nunique() >= 2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Mondrian", "LocalRecoding", "Flash"])
def test_classes_count_persons_where_these_are_declared(method: str) -> None:
    def visits(seed: int) -> pd.DataFrame:
        draw, table = random.Random(seed), people(80, seed)
        table["patient"] = [f"P{number}" for number in range(80)]
        return table.loc[[row for row in range(80) for _ in range(draw.randint(1, 3))]].reset_index(drop=True)

    recoding = fitted(visits(1), method, person="patient")
    other = visits(2)
    result = recoding.transform(other, small_classes="merge", order="input")
    release, told = result.release, result.summary.document()["recoding"]
    assert told["noun"] == "person"
    assert told["kept"] + told["merged"] + told["suppressed"] == other["patient"].nunique()
    assert "patient" not in release
    release["patient"] = other["patient"]
    assert release.groupby(QUASI_IDENTIFIERS, observed=True)["patient"].nunique().min() >= 3


@pytest.mark.slow
@given(st.data())
@settings(max_examples=times(3, slow=150), deadline=None)
def test_whatever_the_next_table_is_the_release_is_k_anonymous_and_complete(data: st.DataObject) -> None:
    method = data.draw(st.sampled_from(METHODS))
    one, other = (people(data.draw(st.integers(6, 40)), data.draw(st.integers(0, 1000))) for _ in range(2))
    recoding = fitted(one, method, suppression_threshold=0)
    again = Recoding.from_json(recoding.to_json())
    assert again == recoding
    release = again.transform(other, small_classes="merge", order="input").release
    assert release["illness"].tolist() == other["illness"].tolist()
    assert min(sizes_of(release).values()) >= 3


# Months.


@pytest.mark.slow
def test_twelve_months_are_each_proved_and_keep_their_labels(tmp_path: Path) -> None:
    """People come, go and grow older; columns change places; a new town opens. One recoding serves them all."""
    january = people(300, seed=100)
    file = tmp_path / "january.json"
    recoding = fitted(january, "LocalRecoding")
    recoding.to_json(file)
    labels = {name for row in _list_cells(recoding) for name in row}
    # In the last, a class that has the root of towns meets a town that nobody knew, at a level below the root.
    for month in range(2, 14) if is_thorough() else (3, 7, 13):
        table = people(240 + 10 * month, seed=100 + month, oldest=79 + month)
        if month % 3 == 0:
            table = table[["illness", "sex", "age", "town"]]
        if month > 6:
            table.loc[table.index[:3], "town"] = "Eisenstadt"
        result = Recoding.from_json(file).transform(table, small_classes="merge")
        assert result.summary.proof.smallest_class >= 3
        told = result.summary.document()["recoding"]
        assert told["kept"] > len(table) / 5
        assert told["kept"] + told["merged"] + told["suppressed"] == len(table)
        found = set(result.release["town"].astype(str))
        assert found <= labels | {"Eisenstadt", "*"}


@pytest.mark.slow
def test_twelve_months_beside_all_before_them_are_as_risky_as_a_count_of_each_person_says() -> None:
    """People come, go and grow older. Each month is repaired beside the three before it, and none is below k."""
    draw, k = random.Random(5), 2
    table = people(60, seed=300).assign(who=[f"P{number}" for number in range(60)])
    recoding = fitted(table.assign(patient=table["who"]), "Flash", k=k, person="patient")
    before: list[pd.DataFrame] = []
    for month in range(times(4, slow=12)):
        new = people(6, seed=400 + month).assign(who=[f"M{month}.{number}" for number in range(6)])
        table = pd.concat([table[[draw.random() < 0.93 for _ in range(len(table))]], new], ignore_index=True)
        table["age"] += month % 4 == 3
        earlier = [each.rename(columns={"who": "patient"}) for each in before[-3:]]
        asked = {"earlier": earlier, "earlier_repair": True} if earlier else {}
        result = recoding.transform(
            table.assign(patient=table["who"]),
            small_classes="merge",
            suppression_threshold="90%",
            order="input",
            **asked,
        )
        before.append(result.release)
        if earlier:
            shown = [
                read_shown(each, each["who"].tolist(), QUASI_IDENTIFIERS, "illness")
                for each in before[-1 - len(earlier) :]
            ]
            expected = expose(shown[-1], *shown[:-1])
            told = result.summary.document()["earlier"]["classes"]
            assert told["records"] == len(expected.fewest)
            assert told["smallest"] == min(expected.fewest.values()) >= k


@pytest.mark.slow
def test_a_column_that_is_lost_is_told_by_its_name() -> None:
    recoding = fitted(people(60, seed=1), "Flash")
    with pytest.raises(toolbox.UnknownColumnError, match="'town'"):
        recoding.transform(people(60, seed=2).drop(columns="town"))


# What cannot be saved.


def test_a_method_whose_classes_no_other_table_has_is_refused_with_those_that_can() -> None:
    with pytest.raises(toolbox.UsageError, match=r"of PrioPrivacy cannot be saved\. Those that can: Datafly, Flash,"):
        Recoding.fit(people(40, seed=1), quasi_identifiers=["age"], k=3, method="PrioPrivacy")


@pytest.mark.slow
def test_mondrian_names_regions_and_refuses_another_naming() -> None:
    with pytest.raises(toolbox.UsageError, match=r"naming is 'values'; write 'regions', as a recoding is saved"):
        fitted(people(40, seed=1), "Mondrian", naming="values")
    assert json.loads(fitted(people(40, seed=1), "Mondrian").to_json())["made"]["settings"]["naming"] == "regions"


def test_a_configuration_is_a_path_or_an_object_and_says_everything_itself(tmp_path: Path) -> None:
    people(40, seed=1).to_csv(tmp_path / "january.csv", index=False)
    files = "<input filename='january.csv' header='true'/><output filename='release.csv'/>"
    (tmp_path / "january.xml").write_text(f"<config k='3'>{files}<qid><att name='age' type='number'/></qid></config>")
    assert Recoding.fit(tmp_path / "january.xml") == Recoding.fit(toolbox.load_config(tmp_path / "january.xml"))
    with pytest.raises(toolbox.UsageError, match="so k cannot be combined with it"):
        Recoding.fit(tmp_path / "january.xml", k=2)
    with pytest.raises(
        toolbox.UsageError, match=r"save_recoding= has no place in fit\(\)\. Write the file by Recoding"
    ):
        Recoding.fit(people(40, seed=1), quasi_identifiers=["age"], save_recoding=tmp_path / "x.json")


# What it holds.


@pytest.mark.slow
def test_it_holds_no_record_and_tells_how_many_values_it_holds() -> None:
    table = people(120, seed=1)
    table["illness"] = [f"rare illness {row}" for row in range(120)]
    for method in some(METHODS, every=3):
        text = fitted(table, method).to_json()
        assert "rare illness" not in text
    counted = json.loads(fitted(table, "Mondrian").to_json())
    ages = {node[1] for node in counted["regions"]["nodes"] if node and node[0] == 0}
    assert counted["valuesOfData"]["age"] == len(ages)


@pytest.mark.slow
def test_no_key_is_in_it(tmp_path: Path) -> None:
    table = people(40, seed=1)
    table["name"] = [f"N{row}" for row in range(40)]
    key = tmp_path / "secret.key"
    from toolbox.treatments.pseudonym import make_key_file

    make_key_file(key)
    recoding = fitted(table, "Flash", treatments={"name": "pseudonym"}, key=key)
    text = recoding.to_json()
    assert "secret" not in text
    assert key.read_text(encoding="utf-8").strip() not in text
    assert "treat='pseudonym'" in text
    with pytest.raises(toolbox.UsageError, match="key"):
        recoding.transform(table)
    assert recoding.transform(table, key=key).release["name"].nunique() == 40


# Two recodings.


@pytest.mark.slow
def test_a_difference_names_the_columns_whose_levels_or_labels_changed() -> None:
    one, other = (fitted(people(60, seed), "Flash", k=k) for seed, k in ((1, 2), (1, 12)))
    levels = [json.loads(each.to_json())["levels"] for each in (one, other)]
    changed = [name for name, *pair in zip(QUASI_IDENTIFIERS, *levels, strict=True) if pair[0] != pair[1]]
    assert [column.name for column in one.diff(other).columns] == changed
    assert one.diff(one).is_empty
