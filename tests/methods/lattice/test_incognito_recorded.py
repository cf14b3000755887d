"""Incognito beside the original of 2010: the same node of the lattice in every recorded run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers import brute_models as brute
from helpers.amounts import some
from helpers.brute_incognito import Outcome, classes_of, evaluate
from helpers.recorded import RecordedRun
from helpers.releases import number_is_covered, partition, read_text_table
from helpers.running import run_in_process

pytestmark = pytest.mark.real


class Recorded(RecordedRun):
    """A recorded run of Incognito, and what an exhaustive search makes of its records."""

    @cached_property
    def root(self) -> ElementTree.Element:
        return ElementTree.parse(self.folder / "config.xml").getroot()

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        return [tuple(row[place] for place in self.quasi_identifiers) for row in self.input.rows]

    @cached_property
    def hierarchies(self) -> list[dict[str, tuple[str, ...]]]:
        columns = zip(*self.rows, strict=True)
        return [
            dict(paths_in(att, set(column))) for att, column in zip(self.root.iterfind("qid/att"), columns, strict=True)
        ]

    @cached_property
    def outcome(self) -> Outcome:
        """All nodes, judged; nothing is suppressed in these runs."""
        return evaluate(self.rows, self.hierarchies, judge_of(self.root, self.input.rows), threshold=0)

    @property
    def classes(self) -> set[frozenset[int]]:
        """The classes at the chosen node."""
        return set(map(frozenset, classes_of(self.rows, self.hierarchies, self.outcome.chosen).values()))


def recorded_runs(shared: Path) -> list[Recorded]:
    folders = sorted((shared / "fixtures" / "utd").iterdir())
    runs = [Recorded(folder, shared / "data" / "census-income_463.data") for folder in folders]
    return [run for run in runs if run.method.lower().startswith("incognito")]


def paths_in(att: ElementTree.Element, values: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Follow each value from the root of a hierarchy to the first leaf that contains it."""
    codes = {entry.get("cat", ""): entry.get("int", "") for entry in att.iterfind("map/entry")}
    for value in values:
        number = codes.get(value, value)
        node = att.find("vgh")
        path: list[str] = []
        while node is not None:
            path.insert(0, node.get("value", ""))
            node = next((child for child in node if contains(child.get("value", ""), number)), None)
        yield value, (value, *path)


def contains(interval: str, number: str) -> bool:
    return number_is_covered(interval, number) if ":" in interval else float(interval.strip("[]")) == float(number)


def judge_of(root: ElementTree.Element, records: list[list[str]]) -> Callable[[Sequence[int]], bool]:
    """Read off the configuration which model the original was asked for; ``c`` of 0 means entropy."""
    method, parameters = root.get("method", "").lower(), {name: float(root.get(name, "0")) for name in "klct"}
    if method == "incognito_k":
        return brute.k_anonymous(int(parameters["k"]))
    sensitive = root.find("sens/att")
    assert sensitive is not None
    is_category = sensitive.find("map") is not None
    texts = [row[int(sensitive.get("index", ""))] for row in records]
    column = texts if is_category else [float(text) for text in texts]
    if method == "incognito_t":
        distance = brute.equal_distance if is_category else brute.ordered_distance
        judge = brute.t_close(parameters["t"], column, distance)
    elif parameters["c"] > 0:
        judge = brute.recursively_diverse(parameters["c"], parameters["l"])
    else:
        judge = brute.entropy_l_diverse(parameters["l"])
    return lambda numbers: judge([column[number] for number in numbers])


def test_there_are_recorded_runs_of_all_three_names_and_formats(shared: Path) -> None:
    runs = recorded_runs(shared)
    assert len(runs) == 42
    assert {run.method for run in runs} == {"Incognito_k", "Incognito_l", "Incognito_t"}
    assert {run.format for run in runs} == {"genVals", "genValsDist", "anatomy"}


def test_an_exhaustive_search_chooses_what_the_original_released(shared: Path) -> None:
    """Statistics of classes may look alike, so runs that show them say nothing of the classes."""
    runs = some([run for run in recorded_runs(shared) if run.format != "genValsDist"], every=3)
    assert {run.method for run in runs} == {"Incognito_k", "Incognito_l", "Incognito_t"}
    for run in runs:
        assert run.partition == run.classes, run.folder.name


@pytest.mark.slow
def test_every_recorded_run_is_given_the_node_of_an_exhaustive_search(shared: Path, tmp_path: Path) -> None:
    """By default every fourteenth, of all three names; tests/end_to_end/test_recorded_runs.py repeats all of them."""
    runs = some(recorded_runs(shared), every=14)
    assert {run.method for run in runs} == {"Incognito_k", "Incognito_l", "Incognito_t"}
    for run in runs:
        folder = tmp_path / run.folder.name
        folder.mkdir()
        arguments = [*run.arguments, "-outputFormat", "genVals", "-output", folder / "release.data", "--json"]
        document = run_in_process("-config", run.copy_to(folder), *arguments, "--order", "input").succeeded().document
        found = {tuple(node["levels"]): tuple(node.values())[1:] for node in document["minimal_nodes"]}
        levels = tuple(one["level"] for one in document["quasi_identifiers"])
        assert (found, levels) == (run.outcome.minimal, run.outcome.chosen), run.folder.name
        released = read_text_table(folder / "release.data", header=False)
        assert partition(run.shown(released)) == run.classes, run.folder.name
