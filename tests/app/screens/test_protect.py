"""The screen *Protect*, by its forms."""

from __future__ import annotations

import re

from helpers.asgi import Asking

from toolbox.app.open_project import OpenProject

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
