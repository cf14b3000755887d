"""The screen *Protect*, by its forms."""

from __future__ import annotations

import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from helpers.asgi import Asking
from helpers.plugged import install
from helpers.previews import FACTS, document

from toolbox import Project
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.variants import PreviewVariant

K = (("model-0-type", "k-anonymity"), ("model-0-k", "3"), ("method", "Mondrian"), ("suppression", ""), ("format", ""))


def test_what_is_written_is_kept_and_can_be_undone(asking: Asking, current: OpenProject) -> None:
    page = asking.post("/protect", *K, ("action", "apply"))
    assert re.search(r'name="model-0-k"[^>]*value="3"', page.text)
    assert (current.k, current.project.method, current.undoes) == (3, "Mondrian", "Protection")


def test_a_row_is_added_and_removed(asking: Asking, current: OpenProject) -> None:
    added = asking.post("/protect", *K, ("add-model", "t-closeness"), ("action", "add"))
    assert 'name="model-1-t"' in added.text
    assert [model["type"] for model in current.project.models] == ["k-anonymity"]
    two = (*K, ("model-1-type", "t-closeness"), ("model-1-t", "0.3"), ("model-1-attribute", "illness"))
    asking.post("/protect", *two, ("action", "apply"))
    assert [model["type"] for model in current.project.models] == ["k-anonymity", "t-closeness"]
    asking.post("/protect", *two, ("action", "remove-0"))
    assert current.project.models == [{"type": "t-closeness", "t": 0.3, "attribute": "illness"}]


def test_a_model_that_is_half_filled_in_is_there_again_until_it_is_taken_or_the_project_says_something_else(
    asking: Asking, current: OpenProject
) -> None:
    asking.post("/protect", *K, ("action", "apply"))
    asking.post("/protect", *K, ("add-model", "t-closeness"), ("action", "add"))
    assert 'name="model-1-t"' in asking.get("/protect").text
    assert len(current.project.models) == 1
    asking.post("/protect", *K, ("action", "apply"))
    assert 'name="model-1-t"' not in asking.get("/protect").text
    asking.post("/protect", *K, ("add-model", "t-closeness"), ("action", "add"))
    current.project.set_method("Datafly")
    assert 'name="model-1-t"' not in asking.get("/protect").text


def test_what_is_wrong_changes_nothing_and_stays_in_its_field(asking: Asking, current: OpenProject) -> None:
    before = current.project.snapshot()
    wrong = asking.post(
        "/protect", ("model-0-type", "k-anonymity"), ("model-0-k", "<b>"), *K[2:], ("action", "preview")
    )
    assert 'href="#model-0-k"' in wrong.text and 'value="&lt;b&gt;"' in wrong.text
    for method, suppression in (("no such method", ""), ("Mondrian", "often")):
        fields = (*K[:2], ("method", method), ("suppression", suppression), ("format", ""))
        assert 'class="faults"' in asking.post("/protect", *fields, ("action", "apply")).text
    assert current.project.snapshot() == before


def test_a_preview_of_what_is_wrong_shows_the_page_with_each_fault_beside_its_field(
    asking: Asking, current: OpenProject
) -> None:
    wrong = (("model-0-type", "k-anonymity"), ("model-0-k", "0"), ("method", "Mondrian"), ("suppression", "abc%"))
    answer = asking.post("/protect", *wrong, ("format", ""), ("action", "preview"), of="action")
    assert answer.headers["hx-retarget"] == "#main" and answer.headers["hx-reselect"] == "#main > *"
    for field in ("model-0-k", "suppression"):
        assert f'href="#{field}"' in answer.text and f'id="{field}-fault"' in answer.text
    assert 'value="abc%"' in answer.text
    assert "hx-post" not in answer.text.partition('id="preview"')[2].partition(">")[0], "the faults go with the page"
    assert "hx-post" in asking.get("/protect").text.partition('id="preview"')[2].partition(">")[0]


def test_variants_are_sorted_compared_and_taken_up_only_if_there_are_two(asking: Asking) -> None:
    assert "Choose two variants to compare." in asking.get("/protect/compare", variant="1").text or (
        asking.get("/protect/compare", variant="1").status == 303
    )
    assert asking.get("/protect", sort="no such figure", order="descending").status == 200
    assert asking.post("/protect/variants/99/take-up").status == 200
    assert asking.post("/protect/variants/99/forget").status == 200


def test_a_k_that_no_release_can_reach_is_told_beside_its_field(asking: Asking, current: OpenProject) -> None:
    asking.post("/protect", *K[:1], ("model-0-k", "50"), *K[2:], ("action", "preview"))

    async def wait() -> None:
        assert current.work is not None and current.work.task is not None
        await current.work.task

    asking.runner.run(wait())
    page = asking.get("/protect").text
    assert '<a href="#model-0-k">Preview Mondrian, k = 50: ' in page and 'id="model-0-k-fault"' in page
    corrected = asking.post("/protect", *K, ("action", "apply")).text
    assert "k = 50" not in corrected and 'id="model-0-k-fault"' not in corrected, "what was tried is not asked any more"


@pytest.mark.slow
def test_a_population_is_named_and_then_models_can_compare_with_it(asking: Asking, current: OpenProject) -> None:
    root = current.folder
    people = (root / "people.csv").read_text()
    (root / "register.csv").write_text(people + "Graz,17,1971-03-05,none\nWien,21,1990-12-24,none\n")
    (root / "led.csv").symlink_to(root.parent / "elsewhere.csv")
    (root.parent / "elsewhere.csv").write_text(people)
    k_map = re.compile(r'<option value="k-map"( disabled)?>')
    assert k_map.findall(asking.get("/protect").text) == [" disabled"]
    for wrong, said in (
        ("led.csv", "is not below"),
        ("/etc/passwd", "is not below"),
        ("no<b>.csv", "no file that there is"),
    ):
        page = asking.post("/protect/population", ("population", wrong)).text
        assert said in page and 'href="#population"' in page and "<b>.csv" not in page, wrong
        assert current.project.population is None
    page = asking.post("/protect/population", ("population", "register.csv")).text
    assert 'name="population" form="populating" value="register.csv"' in page and k_map.findall(page) == [""]
    assert (current.project.population, current.undoes) == (root / "register.csv", "Population")
    two = (*K[:1], ("model-0-k", "1"), *K[2:], ("model-1-type", "k-map"), ("model-1-k", "2"))
    before = current.fingerprint
    asking.post("/protect", *two, ("action", "preview"))
    variant = _finished(asking, current)[-1]
    models = {model["name"]: model["achieved"] for model in variant.document["models"]}
    assert models["k-map"] >= 2 and variant.fingerprint == current.fingerprint
    # Whoever writes to it has another population.
    (root / "register.csv").write_text(people)
    assert current.fingerprint not in (before, variant.fingerprint)
    assert k_map.findall(asking.post("/protect/population", ("population", "")).text) == [" disabled"]
    assert "population" not in current.project.xml()


@pytest.mark.slow
def test_the_minimal_choices_of_incognito_become_variants_beside_the_others(
    asking: Asking, current: OpenProject
) -> None:
    project = current.project
    project.set_role("born", "other")
    project.set_rows("town", [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")])
    project.set_builder("age", "intervals:2,4,8")
    project.set_method("Incognito")
    # Two of the four people may be suppressed: Wien with Leoben or with 17; and at the level of a decade all but Graz.
    (first,) = _tried(asking, current, current.preview())
    assert [(node.words, node.classes, node.suppressed) for node in first.nodes] == [
        ("town 1, age 1", 1, 2),
        ("age 2", 1, 2),
    ]
    # What it releases is above them: as many classes, and nobody is suppressed.
    assert (first.levels, first.classes, first.suppressed) == ({"town": 2, "age": 3}, 1, 0)
    path, before = f"/protect/variants/{first.number}/nodes", project.snapshot()
    assert path in asking.get("/protect").text
    for node in first.nodes:
        assert f'action="{path}/{node.address}"' in asking.get(path, node=node.address).text
        asking.post(f"{path}/{node.address}")
        made = _finished(asking, current)[-1]
        assert (made.levels, made.classes, made.suppressed) == (node.levels, node.classes, node.suppressed)
        assert f"variant {made.number}</td>" in asking.get(path).text
    assert project.snapshot() == before
    # Taken up, the project is that of this choice, and says so.
    asking.post(f"/protect/variants/{made.number}/take-up")
    assert [column.levels for column in current.project.columns()[:2]] == [
        (each, each) for each in made.levels.values()
    ]
    assert made.fingerprint == current.fingerprint
    for wrong in (
        f"/protect/variants/{first.number}/nodes/9.9",
        f"/protect/variants/{first.number}/nodes/9.9/take-up",
        "/protect/variants/99/nodes/1.1",
        "/protect/variants/x/nodes/1.1",
    ):
        assert asking.post(wrong).status == 404, wrong
    assert asking.get("/protect/variants/99/nodes").status == 404


def _tried(asking: Asking, current: OpenProject, preview: Coroutine[Any, Any, None]) -> list[PreviewVariant]:
    asking.runner.run(preview)
    return _finished(asking, current)


def _finished(asking: Asking, current: OpenProject) -> list[PreviewVariant]:
    async def wait() -> None:
        assert current.work is not None and current.work.task is not None
        await current.work.task
        assert current.work.error is None, current.work.error

    asking.runner.run(wait())
    return list(current.variants)


THEIRS = """
from typing import ClassVar

from toolbox.config.formats import ReleaseFormat

class Fourth(ReleaseFormat):
    '''A fourth format.'''

    name: ClassVar[str] = "fourth"
    words: ClassVar[str] = "Whatever somebody else writes"
    tells_classes_apart: ClassVar[bool] = True

    @classmethod
    def parts(cls, tables, layout, config, notation):
        return []
"""


def test_a_format_of_somebody_else_can_be_chosen(
    asking: Asking, current: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "toolbox.release_formats", {"fourth": "Fourth"}, THEIRS)
    assert '<option value="fourth">Whatever somebody else writes</option>' in asking.get("/protect").text
    asking.post("/protect", *K[:-1], ("format", "fourth"), ("action", "save"), of="action")
    assert current.project.format == "fourth"


@pytest.mark.slow
def test_who_knows_all_rows_of_a_person_is_chosen_and_no_preview_says_more_than_it_can(
    asking: Asking, current: OpenProject
) -> None:
    assert 'name="attacker"' not in asking.get("/protect").text, "each record is a person"

    def declare(project: Project) -> None:
        project.set_person(["illness"])
        project.set_builder("town", "auto:2")
        project.set_builder("age", "intervals:5,10")

    asking.runner.run(current.change("Persons", declare))
    page = asking.get("/protect").text
    assert 'id="attacker-profile" name="attacker" value="profile"' in page
    form = (("model-0-type", "k-anonymity"), ("model-0-k", "2"), ("method", "Datafly"), ("attacker", "profile"))
    assert "A preview counts combinations" in asking.post("/protect", *form, ("action", "preview")).text
    assert current.project.option("attacker") == "profile"
    assert not len(current.variants)
    wrong = asking.post("/protect", *form[:2], ("method", "Mondrian"), form[3], ("action", "apply")).text
    assert "Mondrian judges each row by itself" in wrong
    assert "records (" in asking.get("/risk").text, "the figures of rows are still there"
    whole = (("suppress_by", "person"),)
    shown = asking.post("/protect", *form[:3], *whole, ("action", "preview")).text
    assert "all rows of a person are suppressed on single rows" in shown
    assert current.project.option("suppress_by") == "person"
    assert '<option value="person" selected>' in asking.get("/protect").text


def test_a_preview_of_a_sample_says_so_wherever_it_is_shown(asking: Asking, current: OpenProject) -> None:
    facts = {**FACTS, "words": "Mondrian, k = 5, a sample", "fingerprint": current.fingerprint}
    current.variants.add(document=document(741, sampled_from=1_000_000), **facts)
    said = "5,000 of 1,000,000 records were drawn by lot"
    protect, judge, now = (asking.get(path).text for path in ("/protect", "/judge", "/now"))
    assert said in protect and "Preview all 1,000,000 records" in protect and said in judge
    assert "A sample</strong> of 1,000,000 records" in now
    assert "5,000 records</button>" not in judge, "the release is of all"


def test_a_preview_that_fails_at_once_is_told_by_the_page_that_began_it(asking: Asking, current: OpenProject) -> None:
    page = asking.post("/protect", *K[:1], ("model-0-k", "50"), *K[2:], ("action", "preview"), of="action").text
    assert '<a href="#model-0-k">Preview Mondrian, k = 50: ' in page


@pytest.mark.slow
def test_the_lattice_is_a_picture_whose_nodes_can_be_tried_or_set_and_a_table_with_the_same(
    asking: Asking, current: OpenProject
) -> None:
    project = current.project
    project.set_role("born", "other")
    project.set_rows("town", [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")])
    project.set_builder("age", "intervals:2,4,8")
    project.set_method("Flash")
    (first,) = _tried(asking, current, current.preview())
    path = f"/protect/variants/{first.number}/nodes"
    assert f'href="{path}"' in asking.get("/protect").text
    page = asking.get(path).text
    # Town has two levels above itself, age three and the root.
    assert page.count('class="c-mark" href=') == page.count('<th scope="row" class="n"><a') == len(first.drawn) == 15
    assert "All 15 choices are shown" in page and "Nothing is chosen yet" in page
    released = first.levels
    by_tag = {node.tag: node for node in first.drawn if node.levels != released}
    assert set(by_tag) == {"satisfies", "fails"}
    refused = asking.get(path, node=by_tag["fails"].address).text
    assert "A preview of it would be refused" in refused and "Preview it" not in refused
    chosen = by_tag["satisfies"]
    shown = asking.get(path, node=chosen.address).text
    assert 'aria-current="true"' in shown and '<tr class="chosen">' in shown and "Preview it" in shown
    asking.post(f"{path}/{chosen.address}")
    made = _finished(asking, current)[-1]
    assert made.levels == chosen.levels and "this preview" in asking.get(path).text
    assert f"It is variant {made.number}." in asking.get(path, node=chosen.address).text
    asking.post(f"{path}/{chosen.address}/take-up")
    assert {column.name: column.levels for column in project.columns() if column.role == "quasi-identifier"} == {
        name: (level, level) for name, level in chosen.levels.items()
    }
    assert "The project has these levels" in asking.get(path, node=chosen.address).text
