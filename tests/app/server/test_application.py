"""What becomes of errors, and that nothing of what browsers get is another than it was; `test_security.py` has the rest."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
from pathlib import Path

import pytest
from helpers import asgi
from helpers.asgi import Asking
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

import toolbox.app
from toolbox.app.children.project_session import BusyError, Work
from toolbox.app.project.past import FOLDER
from toolbox.app.project.state import Workplace
from toolbox.app.screens import data
from toolbox.app.server.application import SCREENS, make_application
from toolbox.app.server.security import Keys
from toolbox.errors import UsageError

STATIC = Path(toolbox.app.__file__).parent / "static"


def raising(error: Exception) -> Route:
    async def page(_: Request) -> Response:
        raise error

    return Route("/wrong", page)


def test_errors_become_pages_that_say_what_happened_and_quote_nothing(tmp_path: Path) -> None:
    traced: list[Exception] = []
    keys = Keys(80)
    for error, status, said in (
        (UsageError("Write 5 <b>."), 200, "Write 5 &lt;b&gt;."),
        (BusyError(Work("open", "Read people.csv")), 200, "Read people.csv"),
    ):
        made = make_application(Workplace(tmp_path), port=80, keys=keys, trace=traced.append)
        made.router.routes.insert(0, raising(error))
        with asyncio.Runner() as runner:
            cookie = {"host": "127.0.0.1:80", "cookie": cookie_of(keys)}
            answer = Asking(made, runner).get("/wrong", headers=cookie)
            assert (answer.status, said in answer.text) == (status, True)
            assert Asking(made, runner).get("/nowhere", headers=cookie).status == 404
    assert traced == []


def cookie_of(keys: Keys) -> str:
    return f"{keys.cookie_name}={keys.exchange(keys.link().partition('token=')[2])}"


def asking(workplace: Workplace, runner: asyncio.Runner) -> Asking:
    """Ask the whole application, as the browser that it has opened."""
    keys = Keys(80)
    made = make_application(workplace, port=80, keys=keys)
    known = {
        "host": "127.0.0.1:80",
        "origin": "http://127.0.0.1:80",
        "sec-fetch-site": "same-origin",
        "cookie": cookie_of(keys),
    }
    known_headers = [(name.encode(), text.encode()) for name, text in known.items()]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await made({**scope, "headers": [*scope["headers"], *known_headers]}, receive, send)

    return Asking(app, runner)


def test_an_error_that_nobody_foresaw_becomes_a_page_even_if_the_frame_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace = Workplace(tmp_path)
    with asyncio.Runner() as runner:
        asked = asking(workplace, runner)
        monkeypatch.setattr(data, "_list_folder", lambda *_: 1 / 0)
        within = asked.get("/data")
        assert (within.status, "ZeroDivisionError in app" in within.text, 'id="rail"' in within.text) == (
            500,
            True,
            True,
        )
        assert "content-security-policy" in within.headers
        monkeypatch.setattr(Workplace, "works", property(lambda _: 1 / 0))
        alone = asked.get("/columns")
        assert (alone.status, "fault of the toolbox" in alone.text, 'id="rail"' in alone.text) == (500, True, False)


def test_whatever_lies_beside_a_project_it_opens_with_one_notice(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town,age\nGraz,17\n")
    xml = "<config><input filename='people.csv'/><output filename='r.csv'/><qid><att name='town'/></qid></config>"
    (tmp_path / "project.xml").write_text(xml)
    kept = tmp_path / FOLDER
    (kept / "history").mkdir(parents=True)
    entry = '{"words": "x", "snapshot": {"xml": "nonsense", "hierarchies": {}}}'
    with asyncio.Runner() as runner:
        workplace = Workplace(tmp_path)
        asked = asking(workplace, runner)
        for files in (
            {"variants.json": '{"variants": [5]}', "released.json": "[]", "judged.json": "{}"},
            {"history/position.json": "[" * 200_000},
            {"history/position.json": '{"first": 0, "at": 0, "count": 1}', "history/0.json": entry},
        ):
            for name, text in files.items():
                (kept / name).write_text(text)
            runner.run(workplace.open(tmp_path / "project.xml"))
            shown = asked.get("/judge")
            assert shown.status == 200
            assert shown.text.count("What could be undone was not readable, and was left out.") == 1, files
            assert "not readable" not in asked.get("/judge").text
            for name in files:
                (kept / name).unlink()
        shutil.rmtree(kept)
        kept.write_text("a file")
        runner.run(workplace.open(tmp_path / "project.xml"))
        assert "So nothing of it was read" in asked.get("/judge").text
        kept.unlink()
        kept.mkdir()
        os.mkfifo(kept / "log")
        runner.run(workplace.open(tmp_path / "project.xml"))
        assert "So nothing of it was read" in asked.get("/judge").text


def test_what_nobody_would_type_is_answered_with_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = "9" * 5000
    with asyncio.Runner() as runner:
        asked = asking(Workplace(tmp_path), runner)
        named = asked.post("/data/open", ("path", "a" * 5000))
        assert (named.status, "File name too long" in named.text) == (200, True)
        monkeypatch.setattr(asgi, "_BOUNDARY", "x" * 300)
        assert "not arrive whole" in asked.upload("/data/upload", [("a.csv", b"a")]).text
        assert asked.upload("/data/open", [("a.csv", b"a")]).status == 400
        assert list(tmp_path.iterdir()) == []
        for path, status in ((f"/hierarchies/{many}", 404), ("/hierarchies/\u00b2", 404), ("/hierarchies/x", 404)):
            assert asked.get(path).status == status
        assert "No project is open" in asked.get("/protect/compare", variant=many).text
        for path, name in (("/look", "variant"), ("/columns", "first"), ("/data", "folder")):
            assert asked.get(path, **{name: many}).status == 200, path
        for field in (("action", f"remove-{many}"), (f"model-{many}-k", "5"), ("model-\u00b2-k", "5")):
            assert asked.post("/protect", ("action", "remove-0"), field).status == 200, field[0][:9]


def test_the_vendored_script_is_the_one_that_is_noted() -> None:
    noted = re.search(r"^`([0-9a-f]{64})`$", (STATIC / "README.md").read_text(), flags=re.MULTILINE)
    assert noted is not None
    assert hashlib.sha256((STATIC / "htmx.min.js").read_bytes()).hexdigest() == noted[1]
    assert len((STATIC / "app.js").read_text().splitlines()) < 300


def test_what_changes_something_is_never_asked_for_by_a_link() -> None:
    routes = [route for screen in SCREENS for route in screen.ROUTES]
    assert {frozenset(route.methods or ()) for route in routes} <= {frozenset({"GET", "HEAD"}), frozenset({"POST"})}
