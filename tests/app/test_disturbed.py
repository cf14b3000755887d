"""Whatever happens between two steps of an answer, it is a page, and no fault: each step waits while something else is done."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from helpers import children
from helpers.amounts import times
from helpers.asgi import _asked

pytest.importorskip("starlette", reason="the extra app is not installed")

from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.state import Workplace
from toolbox.app.server.application import make_application
from toolbox.app.server.security import Keys
from toolbox.errors import ToolboxError

_CONFIG = """<config method='Datafly' k='2'><input filename='people.csv' separator=',' header='true'/>
<output filename='release.csv'/><qid><att name='town'><vgh file='town.csv'/></att><att name='age' type='number'/></qid>
<sens><att name='illness'/></sens></config>"""
_PEOPLE = "town,age,illness\nGraz,17,flu\nGraz,18,cold\nLeoben,19,flu\nWien,21,gout\n"
_PAGES = ("/risk", "/now", "/judge")
_PATIENCE = 0.5
_LAST = 60
"""More steps than any answer has."""


class Steps:
    """Counts the steps of all tasks that belong to one answer, and does something else before one of them goes on."""

    def __init__(self, at: int, disturb: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self.at, self.count, self._disturb = at, 0, disturb
        self.disturbing: asyncio.Future[object] | None = None

    def through(self, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Go through a coroutine, step by step."""
        result, error = None, None
        while True:
            try:
                waits_for = coroutine.send(result) if error is None else coroutine.throw(error)
            except StopIteration as end:
                return end.value
            result, error = None, None
            try:
                result = yield waits_for
            except BaseException as thrown:
                error = thrown
            self.count += 1
            if self.count == self.at:
                token = _STEPS.set(None)
                self.disturbing = asyncio.ensure_future(self._disturb())
                _STEPS.reset(token)
                # What waits for this very step goes on with it.
                yield from asyncio.wait([self.disturbing], timeout=_PATIENCE).__await__()


_STEPS: ContextVar[Steps | None] = ContextVar("steps", default=None)


class _Awaited:
    def __init__(self, steps: Steps, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._steps, self._coroutine = steps, coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps.through(self._coroutine)


def _task(loop: asyncio.AbstractEventLoop, coroutine: Any, **how: Any) -> asyncio.Task[Any]:
    """Make a task, as part of the answer in which it is made."""
    steps = _STEPS.get()

    async def stepped() -> Any:
        assert steps is not None
        return await _Awaited(steps, coroutine)

    return asyncio.Task(coroutine if steps is None else stepped(), loop=loop, **how)


class Disturbed:
    """An application that is asked for a page while something else is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.errors: list[Exception] = []
        self.workplace = Workplace(folder)
        keys = Keys(80)
        self._app = make_application(self.workplace, port=80, keys=keys, trace=self.errors.append)
        cookie = keys.exchange(keys.link().partition("token=")[2])
        self._known = {
            "host": "127.0.0.1:80",
            "cookie": f"{keys.cookie_name}={cookie}",
            "origin": "http://127.0.0.1:80",
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        }

    @property
    def project(self) -> OpenProject:
        return self.workplace.opened()

    async def begin(self) -> None:
        self.project_files()
        await self.workplace.open(self.folder / "project.xml")

    def project_files(self) -> None:
        (self.folder / "people.csv").write_text(_PEOPLE)
        (self.folder / "town.csv").write_text("Graz;Styria;*\nLeoben;Styria;*\nWien;Vienna;*\n")
        for name in ("project.xml", "other.xml"):
            (self.folder / name).write_text(_CONFIG)

    async def get(
        self, path: str, *, at: int = 0, disturb: Callable[[], Coroutine[Any, Any, object]] | None = None
    ) -> int:
        """Ask for a page; return how many steps its answer took."""
        steps = None if disturb is None else Steps(at, disturb)
        _STEPS.set(steps)
        asked = asyncio.get_running_loop().create_task(_asked(self._app, "GET", path, "", self._known, b""))
        _STEPS.set(None)
        answer = await asyncio.wait_for(asked, 60)
        said = answer.text if answer.status >= 500 or "fault of the toolbox" in answer.text else ""
        assert (said, self.errors) == ("", []), (path, at, disturb)
        if steps is not None and steps.disturbing is not None:
            await asyncio.wait_for(steps.disturbing, 60)
        return 0 if steps is None else steps.count

    async def post(self, path: str, body: str = "") -> None:
        answer = await _asked(self._app, "POST", path, "", self._known, body.encode())
        assert answer.status < 500, path

    async def settled(self) -> None:
        """Require that a page that nobody disturbs has its figures."""
        self.project_files()
        self.project.read()
        for _ in range(200):
            answer = await _asked(self._app, "GET", "/now", "", self._known, b"")
            if "At risk" in answer.text:
                return
            await asyncio.sleep(0.05)
        raise AssertionError(answer.text)

    # What is done meanwhile

    async def change(self) -> None:
        await self.project.change("k", lambda edited: edited.set_models([{"type": "k-anonymity", "k": 3}]))
        await self.project.change("Role", lambda edited: edited.set_role("age", "sensitive"))

    async def undo(self) -> None:
        await self.change()
        await self.post("/undo")

    async def save(self) -> None:
        await self.change()
        await self.post("/save")

    async def open_another(self) -> None:
        await self.workplace.open(self.folder / "other.xml")

    async def cancel(self) -> None:
        await self.post("/work/session/cancel")

    async def preview(self) -> None:
        with suppress(ToolboxError):
            await self.project.preview()

    async def kill(self) -> None:
        number = self.project._session._process.pid
        if number is not None:
            os.kill(number, signal.SIGKILL)

    async def end(self) -> None:
        await self.project._session._process.end()

    async def rewrite_table(self) -> None:
        (self.folder / "people.csv").write_text("town;age\nGraz;17\n")

    async def empty_table(self) -> None:
        (self.folder / "people.csv").write_bytes(b"")

    async def remove_table(self) -> None:
        (self.folder / "people.csv").unlink(missing_ok=True)

    async def break_table(self) -> None:
        (self.folder / "people.csv").write_bytes(_PEOPLE.encode() + b"\xff,\xfe\n" * 9)

    async def remove_all(self) -> None:
        for path in self.folder.glob("*.*"):
            if path.is_file():
                path.unlink()


_MEANWHILE = (
    *("change", "undo", "save", "open_another", "cancel", "preview", "kill", "end"),
    *("rewrite_table", "empty_table", "remove_table", "break_table", "remove_all"),
)


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[asyncio.Runner, Disturbed]]:
    with asyncio.Runner() as runner:
        runner.get_loop().set_task_factory(_task)
        made = Disturbed(tmp_path_factory.mktemp("disturbed"))
        with children.letting_last():
            runner.run(made.begin())
            runner.run(made.settled())
        yield runner, made
        runner.run(made.workplace.close())


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("meanwhile", _MEANWHILE)
@pytest.mark.parametrize("is_read", [True, False], ids=["read", "not read yet"])
def test_no_step_of_an_answer_fails_whatever_is_done_before_it(
    disturbed: tuple[asyncio.Runner, Disturbed], meanwhile: str, is_read: bool
) -> None:
    runner, made = disturbed

    async def tried() -> None:
        for path in _PAGES:
            at, steps = 0, 1
            while at < min(steps, _LAST):
                at += times(5, slow=1)
                made.project_files()
                await made.workplace.open(made.folder / "project.xml")
                if is_read:
                    await made.settled()
                steps = await made.get(path, at=at, disturb=getattr(made, meanwhile))
            await made.settled()

    with children.letting_last():
        runner.run(tried())


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", ["remove_table", "empty_table", "break_table"])
def test_a_table_that_changes_at_any_moment_while_a_page_looks_at_it_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Each time that the page opens a file, or asks for its size, the table has just been changed."""
    opened, asked_for = Path.open, Path.stat
    at = count = 0

    def before(path: Path) -> None:
        nonlocal count
        if path.name == "people.csv" and at:
            count += 1
            if count == at:
                {
                    "remove_table": lambda: path.unlink(missing_ok=True),
                    "empty_table": lambda: os.truncate(path, 0),
                    "break_table": lambda: (tmp_path / "broken").replace(path),
                }[what]()

    def open_file(path: Path, *arguments: Any, **how: Any) -> Any:
        before(path)
        return opened(path, *arguments, **how)

    def stat(path: Path, **how: Any) -> os.stat_result:
        before(path)
        return asked_for(path, **how)

    monkeypatch.setattr(Path, "open", open_file)
    monkeypatch.setattr(Path, "stat", stat)

    async def tried() -> int:
        nonlocal at, count
        asked = 0
        while at == 0 or count >= at:
            made = Disturbed(tmp_path)
            made.project_files()
            (tmp_path / "broken").write_bytes(_PEOPLE.encode() + b"\xff,\xfe\n" * 9)
            at, last = 0, at
            await made.workplace.open(tmp_path / "project.xml")
            at, count, asked = last + times(6, slow=1), 0, asked + 1
            await made.get("/judge")
            await made.workplace.close()
        return asked

    assert asyncio.run(tried()) > times(2, slow=5)


@pytest.mark.slow
def test_a_machine_that_starts_no_more_processes_is_told_and_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    async def tried() -> None:
        made = Disturbed(tmp_path)
        await made.begin()
        with monkeypatch.context() as patched:
            patched.setattr(asyncio, "create_subprocess_exec", refuse)
            for path in (*_PAGES, "/data", "/columns"):
                await made.get(path)
            answer = await _asked(made._app, "GET", "/risk", "", made._known, b"")
            assert "The machine starts no more processes: Resource temporarily unavailable." in answer.text
        await made.settled()
        await made.workplace.close()

    asyncio.run(tried())
