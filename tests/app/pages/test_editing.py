"""A form changes the project only from a page that shows it as it is: what another tab has done is never lost."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from helpers.asgi import Answer, Asking

from toolbox.app.pages.editing import ROUTES
from toolbox.app.project.open_project import OpenProject
from toolbox.app.server.application import SCREENS

_VERSIONS = re.compile(r'name="version" value="([^"]*)"')
_UNCHANGING = {
    *("/data/open", "/data/upload", "/data/example", "/read", "/quit", "/work/{slot}/cancel", "/judge/folder"),
    *("/language", "/columns/{number:int}/key"),
    *("/next/look", "/next/release", "/next/cancel"),
    *(
        "/protect/variants/{number}/forget",
        "/protect/variants/{number}/nodes/{node}",
        "/hierarchies/{number}/import",
        "/hierarchies/{number}/import/discard",
    ),
}
"""Forms that change nothing of what a project says."""


def versions(answer: Answer) -> set[str]:
    return set(_VERSIONS.findall(answer.text))


@pytest.mark.slow
def test_two_tabs_that_edit_the_last_one_does_not_win_silently(asking: Asking, current: OpenProject) -> None:
    first, second = (versions(asking.get("/columns")) for _ in range(2))
    assert first == second == {current.version}
    (shown,) = first
    done = asking.post("/columns", ("role-0", "other"), ("version", shown))
    assert (done.status, current.project.columns()[0].role) == (200, "other")
    before, undoes = current.project.snapshot(), current.undoes
    for path, field in {"/columns": ("role-0", "sensitive"), "/undo": ("back", "/"), "/save": ("back", "/")}.items():
        refused = asking.post(path, field, ("version", shown))
        assert (refused.status, current.project.snapshot(), current.undoes) == (409, before, undoes), path
        assert re.findall(r"<li>(.*?)</li>", refused.text.partition('id="changes"')[2]) == ["Role of town"]
    # The page that says so has forms as well, which may go on from here.
    assert versions(refused) == {current.version}
    assert asking.post("/undo", ("back", "/columns"), ("version", current.version)).status == 200
    assert current.list_changes_since(shown) == ["Role of town", "Undone: Role of town"]
    assert asking.post("/columns", ("role-0", "other"), ("version", shown)).status == 409
    for unknown in ("0", f"{shown}0", "-1", "<b>", f"{shown.partition('-')[0]}-\u00b2"):
        refused = asking.post("/columns", ("role-0", "other"), ("version", unknown))
        assert (refused.status, "<b>" in refused.text) == (409, False), unknown


def test_what_we_have_completed_ourselves_makes_no_page_old(asking: Asking, current: OpenProject) -> None:
    asking.post("/columns", ("role-1", "quasi-identifier"), ("kind-1", "category"), ("version", current.version))
    shown = current.version
    asking.runner.run(current.change("Kind of age", lambda project: project.set_kind("age", "number"), is_ours=True))
    assert current.version != shown
    # The page still shows what age held, and the priority is what somebody has changed.
    fields = ("role-1", "quasi-identifier"), ("kind-1", "category"), ("priority-1", "2"), ("version", shown)
    assert asking.post("/columns", *fields, of="priority-1").status == 200
    age = current.project.columns()[1]
    assert (age.name, age.kind, age.priority) == ("age", "number", 2)
    assert asking.post("/columns", ("role-0", "other"), ("version", shown)).status == 409


@pytest.mark.slow
def test_a_part_of_a_page_goes_on_from_what_it_has_done_and_an_old_one_leads_to_what_has_changed(
    asking: Asking, current: OpenProject
) -> None:
    shown = current.version
    done = asking.post("/columns", ("role-0", "other"), ("version", shown), of="role-0")
    assert done.headers["toolbox-version"] == current.version != shown
    refused = asking.post("/columns", ("role-0", "sensitive"), ("version", shown), of="role-0")
    assert refused.status == 409
    assert refused.headers["hx-redirect"] == f"/stale?{urlencode({'shown': shown, 'back': '/'})}"
    asking.app.router.routes += ROUTES
    told = asking.get("/stale", shown=shown, back="/columns?first=100").text
    assert 'href="/columns?first=100">Load the page again' in told and "<li>Role of town</li>" in told
    for evil in (
        *("//evil.example", "https://evil.example", "javascript:alert(1)", "/\\evil.example", "/a/\\evil.example"),
        *("/\t/evil.example", "/\n/evil.example", "/\u00a0", "/a//evil.example", "\t//evil.example"),
    ):
        assert 'href="/">Load the page again' in asking.get("/stale", shown=shown, back=evil).text, evil


@pytest.mark.slow
def test_of_two_forms_that_are_sent_at_once_the_second_is_old(asking: Asking, current: OpenProject) -> None:
    version = ("version", current.version)
    answers = asking.posts("/columns", [("role-0", "other"), version], [("role-0", "sensitive"), version])
    assert [answer.status for answer in answers] == [303, 409]
    assert current.project.columns()[0].role == "other"


@pytest.mark.slow
def test_an_address_that_is_none_leads_to_the_start(asking: Asking, current: OpenProject) -> None:
    for headers in ({"referer": "http://["}, {"hx-request": "true", "hx-current-url": "http://["}):
        answer = asking.post("/columns", ("version", "old"), headers=headers)
        assert answer.status == 409, headers
    assert answer.headers["hx-redirect"] == "/stale?shown=old&back=%2F"
    assert asking.get("/now", headers=headers).status == 200


@pytest.mark.slow
def test_each_form_that_changes_the_project_is_held_to_it(asking: Asking, current: OpenProject) -> None:
    posts = {route.path: route for screen in SCREENS for route in screen.ROUTES if "POST" in route.methods}
    held = {path for path, route in posts.items() if route.endpoint.__module__ == "toolbox.app.pages.editing"}
    assert set(posts) - held == _UNCHANGING
    for path in ("/columns", "/columns?suggest=1", "/protect", "/judge", "/data", "/hierarchies/0/builder"):
        page, _, query = path.partition("?")
        shown = asking.get(page, **dict([query.split("=")] if query else [])).text
        forms = re.findall(r"<form[^>]*post[^>]*>(<input[^>]*>)", shown)
        assert len(forms) == shown.count('method="post"') > 0
        assert set(forms) == {f'<input type="hidden" name="version" value="{current.version}">'}, path
