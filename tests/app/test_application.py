"""What becomes of errors, and that nothing of what browsers get is another than it was; `test_security.py` has the rest."""

from __future__ import annotations

import asyncio
import hashlib
import re
from pathlib import Path

from helpers.asgi import Asking
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import toolbox.app
from toolbox.app.application import SCREENS, application
from toolbox.app.security import Keys
from toolbox.app.state import Workplace
from toolbox.app.work import BusyError, Work
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
        made = application(Workplace(tmp_path), port=80, keys=keys, trace=traced.append)
        made.router.routes.insert(0, raising(error))
        with asyncio.Runner() as runner:
            cookie = {"host": "127.0.0.1:80", "cookie": f"{keys.cookie_name}={keys.cookie}"}
            answer = Asking(made, runner).get("/wrong", headers=cookie)
            assert (answer.status, said in answer.text) == (status, True)
            assert Asking(made, runner).get("/nowhere", headers=cookie).status == 404
    assert traced == []


def test_the_vendored_script_is_the_one_that_is_noted() -> None:
    noted = re.search(r"^`([0-9a-f]{64})`$", (STATIC / "README.md").read_text(), flags=re.MULTILINE)
    assert noted is not None
    assert hashlib.sha256((STATIC / "htmx.min.js").read_bytes()).hexdigest() == noted[1]
    assert len((STATIC / "app.js").read_text().splitlines()) < 300


def test_what_changes_something_is_never_asked_for_by_a_link() -> None:
    routes = [route for screen in SCREENS for route in screen.ROUTES]
    assert {frozenset(route.methods or ()) for route in routes} <= {frozenset({"GET", "HEAD"}), frozenset({"POST"})}
