"""Each rule of who may ask what is attacked, at a real server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.application import Application, start

from toolbox.app.children.profile_cache import Looks
from toolbox.app.pages.rendering import find_asset_address
from toolbox.app.project.state import Workplace
from toolbox.app.server.security import Keys
from toolbox.errors import UsageError

pytest.importorskip("starlette", reason="the extra app is not installed")


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """An application with a project, whose folder has a link that leads out of it."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.csv").write_text("name,age\nAda,36\n")
    inside = tmp_path_factory.mktemp("inside")
    (inside / "people.csv").write_text("name,age\nBo,41\nCy,42\n")
    (inside / "link.csv").symlink_to(outside / "secret.csv")
    running = start(inside, inside / "people.csv", lasting=True)
    yield running
    running.end()


@pytest.fixture(scope="module")
def cookie(application: Application) -> str:
    return application.cookie()


def browser(application: Application, cookie: str, **others: str) -> dict[str, str]:
    """The headers that our own page sends, or others in their place; an empty one is left out."""
    usual = {"Cookie": cookie, "Origin": application.origin, "Sec-Fetch-Site": "same-origin"}
    changed = {name.replace("_", "-"): value for name, value in others.items()}
    return {name: value for name, value in {**usual, **changed}.items() if value}


def test_it_listens_on_the_loopback_only(application: Application) -> None:
    def listening(table: str) -> list[str]:
        lines = [line.split() for line in Path("/proc/net", table).read_text().splitlines()[1:]]
        return [line[1] for line in lines if line[1].endswith(f":{application.port:04X}") and line[3] == "0A"]

    assert listening("tcp") == [f"0100007F:{application.port:04X}"]
    if Path("/proc/net/tcp6").exists() and (found := listening("tcp6")):
        assert found == [f"{'0' * 24}01000000:{application.port:04X}"]
        with socket.create_connection(("::1", application.port)) as sixth:
            sixth.sendall(f"GET /data HTTP/1.1\r\nHost: [::1]:{application.port}\r\n\r\n".encode())
            assert b" 401 " in sixth.recv(100)


@pytest.mark.slow
def test_a_link_works_once_for_one_browser(tmp_path: Path) -> None:
    running = start(tmp_path)
    link = running.address.removeprefix(running.origin)
    # A browser that fetches it in advance has not opened it.
    assert running.request("GET", link, {"Sec-Purpose": "prefetch;prerender"}).status == 403
    first = running.request("GET", link)
    assert (first.status, first.headers["referrer-policy"]) == (200, "no-referrer")
    assert b'http-equiv="refresh" content="0; url=/data"' in first.body and b"token" not in first.body
    name, _, rest = first.headers["set-cookie"].partition("=")
    assert name == f"toolbox-{running.port}"
    assert rest.partition("; ")[2].split("; ") == ["HttpOnly", "Path=/", "SameSite=strict"]
    # 256 bits, and not those of the token, which would then be in each request.
    assert len(rest.partition(";")[0]) == 43 and rest.partition(";")[0] not in running.address
    cookie = first.headers["set-cookie"].partition(";")[0]
    again = running.request("GET", link)
    assert (again.status, "set-cookie" in again.headers) == (401, False)
    assert b"was used before, or is older than a minute" in again.body and b"Press Enter" in again.body
    # In the history of the browser that is in, the same address leads on.
    known = running.request("GET", link, {"Cookie": cookie})
    assert (known.status, known.headers["location"], "set-cookie" in known.headers) == (303, "/data", False)
    # Who opens the next link locks the one before out; what a person has typed is led on at once.
    second = running.request("GET", running.another_link().removeprefix(running.origin), {"Sec-Fetch-Site": "none"})
    assert (second.status, second.headers["location"]) == (303, "/data")
    theirs = second.headers["set-cookie"].partition(";")[0]
    assert [running.request("GET", "/data", {"Cookie": one}).status for one in (cookie, theirs)] == [401, 200]
    running.end()


def test_a_link_lasts_one_minute_and_until_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("toolbox.app.server.security.time.monotonic", lambda: now)
    keys = Keys(80)

    def token() -> str:
        return keys.link().partition("?token=")[2]

    assert [keys.exchange(guess) for guess in ("", "guess")] == [None, None]
    earlier, late = token(), token()
    assert keys.exchange(earlier) is None and keys.is_awaited
    now += 60.0
    assert keys.exchange(late) is None and not keys.is_awaited
    in_time = token()
    now += 59.9
    assert keys.exchange("") is None
    assert (cookie := keys.exchange(in_time)) is not None and keys.exchange(in_time) is None
    assert keys.is_known(f"toolbox-80={cookie}") and not keys.is_known("toolbox-80=")
    assert not Keys(80).is_known("toolbox-80=")


def test_who_has_no_cookie_gets_nothing_not_even_a_style(application: Application, cookie: str) -> None:
    name = cookie.partition("=")[0]
    attempts = ["", f"{name}=", f"{name}={'A' * 43}", f"{cookie}A", f"other={cookie}", "\x01=;;", f"{name.upper()}=x"]
    for path in ("/", "/data", "/static/style.css", "/static/htmx.min.js", "/nowhere", "/?token=", "/?token=guess"):
        for attempt in attempts:
            answer = application.request("GET", path, {"Cookie": attempt} if attempt else {})
            assert (answer.status, b"census" in answer.body) == (401, False), (path, attempt)
    assert application.request("POST", "/quit", browser(application, "")).status == 401


def test_who_is_refused_hears_it_in_the_first_language_that_the_browser_wants(application: Application) -> None:
    answer = application.request("GET", "/data", {"Accept-Language": "de-AT, en;q=0.5"})
    assert (answer.status, answer.headers["content-type"]) == (401, "text/plain; charset=utf-8")
    assert answer.body.decode().startswith("Dieser Browser hat die Anwendung nicht geöffnet. Drücken Sie")
    assert application.request("GET", "/data", {}).body.startswith(
        b"This browser has not opened the application. Press"
    )


@pytest.mark.slow
def test_the_cookie_of_another_application_of_this_machine_opens_nothing(
    application: Application, cookie: str, tmp_path: Path
) -> None:
    other = start(tmp_path)
    theirs = other.cookie()
    renamed = f"{cookie.partition('=')[0]}={theirs.partition('=')[2]}"
    for attempt in (theirs, renamed):
        assert application.request("GET", "/data", {"Cookie": attempt}).status == 401
    other.end()


def test_a_name_that_was_bound_to_our_address_is_refused_before_anything_else(
    application: Application, cookie: str
) -> None:
    port = application.port
    foreign = ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "127.0.0.1", "localhost")
    for host in (*foreign, f"127.0.0.1:{port + 1}", f"0.0.0.0:{port}", ""):
        for path in ("/data", "/?token=guess"):
            answer = application.request("GET", path, {"Cookie": cookie, "Host": host})
            assert (answer.status, "set-cookie" in answer.headers) == (403, False), host
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert application.request("GET", "/data", {"Cookie": cookie, "Host": host}).status == 200


def test_only_our_own_pages_change_something(application: Application, cookie: str) -> None:
    attacks = (
        {"Origin": ""},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": f"https://127.0.0.1:{application.port}"},
        {"Origin": f"http://localhost:{application.port}"},
        {"Origin": f"http://127.0.0.1:{application.port + 1}"},
        {"Sec_Fetch_Site": ""},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
    )
    for attack in attacks:
        for path in ("/quit", "/undo", "/save", "/judge/release", "/data/open"):
            assert application.request("POST", path, browser(application, cookie, **attack)).status == 403, attack
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert (
            application.request(method, "/data", browser(application, cookie, Origin="http://a.example")).status == 403
        )
    assert application.process.poll() is None
    headers = {**browser(application, cookie), "Content-Type": "application/x-www-form-urlencoded"}
    answer = application.request("POST", "/undo", headers, "back=/columns")
    assert (answer.status, answer.headers["location"]) == (303, "/columns")


def test_reading_never_changes_anything(application: Application, cookie: str) -> None:
    changing = (
        "/quit",
        "/undo",
        "/redo",
        "/save",
        "/work/session/cancel",
        "/judge/release",
        "/judge/file",
        "/judge/folder",
    )
    for path in changing:
        for method in ("GET", "HEAD"):
            assert application.request(method, path, {"Cookie": cookie}).status in (404, 405), path
    assert not list(application.folder.rglob("project.xml"))


def test_a_form_leads_back_to_our_own_pages_only(application: Application, cookie: str) -> None:
    headers = {**browser(application, cookie), "Content-Type": "application/x-www-form-urlencoded"}
    for wanted in ("//evil.example", "https://evil.example", "/\\evil.example", "/nowhere", "javascript:alert(1)"):
        assert application.request("POST", "/undo", headers, f"back={wanted}").headers["location"] == "/"


def test_each_answer_says_what_a_browser_may_do(application: Application, cookie: str) -> None:
    for path, headers in (
        ("/data", {"Cookie": cookie}),
        ("/data", {}),
        ("/nowhere", {"Cookie": cookie}),
        (find_asset_address("app.js"), {}),
        (find_asset_address("app.js").replace("app.js", "style.css"), {"Cookie": cookie}),
    ):
        said = application.request("GET", path, headers).headers
        assert said["content-security-policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert said["x-content-type-options"] == "nosniff"
        assert said["referrer-policy"] == "same-origin"
        assert said["cross-origin-opener-policy"] == said["cross-origin-resource-policy"] == "same-origin"
        assert said["cache-control"] == "no-store"
        assert not [name for name in said if name.startswith("access-control")]
        assert "server" not in said


def test_no_file_outside_the_root_is_opened_nor_sent(application: Application, cookie: str) -> None:
    headers = {**browser(application, cookie), "Content-Type": "application/x-www-form-urlencoded"}
    outside = (application.folder / "link.csv").resolve()
    for path in (
        "../outside0/secret.csv",
        str(outside),
        "link.csv",
        "/etc/passwd",
        "people.csv/../../outside0/secret.csv",
    ):
        for form in (("/data/open", "path"), ("/judge/file", "judged")):
            answer = application.request("POST", form[0], headers, f"{form[1]}={path}")
            assert answer.status in (200, 422), path
            assert b"is not below" in answer.body, path
            assert b"Ada" not in answer.body
    answer = application.request("POST", "/judge/release", headers, f"file={outside.parent}/release.csv")
    assert b"is not below" in answer.body
    assert not (outside.parent / "release.csv").exists()
    for path in (
        "/static/../security.py",
        "/static/%2e%2e/security.py",
        "/static/..%2fsecurity.py",
        "/static//etc/passwd",
    ):
        assert application.request("GET", path, {"Cookie": cookie}).status == 404, path


CONFIG = """<config k='2'><input filename='people.csv' header='true'/><output filename='release.csv'/>{}
<qid><att name='age'>{}</att></qid></config>"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The configuration of a project in a root, beside which there is a file that is not for it."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "people.csv").write_text("name,age\nBo,41\nCy,42\n")
    (tmp_path / "secret.csv").write_text("41;Ada\n42;Ada\n")
    (root / "project.xml").write_text(CONFIG.format("", ""))
    return root / "project.xml"


def opened(xml: Path, *, is_of_owner: bool = False) -> Workplace:
    workplace = Workplace(xml.parent)
    asyncio.run(workplace.open(xml, is_of_owner=is_of_owner))
    return workplace


def test_a_project_of_somebody_else_names_no_file_outside_the_root(project: Path) -> None:
    (project.parent / "parts").mkdir()
    (project.parent / "parts/link.csv").symlink_to(project.parents[1] / "secret.csv")
    plain = CONFIG.format("", "")
    for attack in (
        plain.replace("people.csv", "../secret.csv"),
        plain.replace("filename='people.csv' header='true'/>", "header='true'><file name='../secret.csv'/></input>"),
        plain.replace("people.csv", "parts"),
        plain.replace("people.csv", "p*/*.csv"),
        plain.replace("people.csv", "file:///etc/passwd"),
        plain.replace("release.csv", "../release.csv"),
        CONFIG.format("<population filename='../secret.csv'/>", ""),
        CONFIG.format("", "<vgh file='../secret.csv'/>"),
        plain.replace("</qid>", "</qid><sens><att name='name'><vgh file='/etc/passwd'/></att></sens>"),
    ):
        project.write_text(attack)
        with pytest.raises(UsageError, match="is not below"):
            opened(project)
    # Its owner names it on the command line, and means those files; others that it names later are refused.
    project.write_text(CONFIG.format("", "<vgh file='../secret.csv'/>"))
    workplace = opened(project, is_of_owner=True)
    asyncio.run(workplace.opened().change("k", lambda edited: edited.set_models([{"type": "k-anonymity", "k": 3}])))
    with pytest.raises(UsageError, match="is not below"):
        asyncio.run(
            workplace.opened().change("Table", lambda edited: edited.set_input(files=project.parents[1] / "other.csv"))
        )


def test_a_history_of_somebody_else_leads_to_no_file_outside_the_root(project: Path) -> None:
    first = opened(project)
    asyncio.run(first.opened().change("k", lambda edited: edited.set_models([{"type": "k-anonymity", "k": 3}])))
    asyncio.run(first.opened().change("k", lambda edited: edited.set_models([{"type": "k-anonymity", "k": 4}])))
    kept = project.parent / ".toolbox-app/history"
    evil = CONFIG.format("", "<vgh file='../secret.csv'/>")

    def craft(number: int) -> None:
        state = json.loads((kept / f"{number}.json").read_text())
        state["snapshot"]["xml"] = evil
        (kept / f"{number}.json").write_text(json.dumps(state))

    craft(1)
    second = opened(project)
    with pytest.raises(UsageError, match="is not below"):
        asyncio.run(second.opened().undo())
    assert (second.opened().k, second.opened().undoes) == (4, "k")
    craft(2)
    third = opened(project)
    assert (third.opened().undoes, third.opened().redoes) == (None, None)
    assert "secret" not in third.opened().project.xml()


@pytest.mark.slow
def test_what_somebody_else_could_have_kept_is_neither_read_nor_written(project: Path) -> None:
    kept, elsewhere = project.parent / ".toolbox-app", project.parents[1] / "elsewhere"
    elsewhere.mkdir()

    def is_refused() -> bool:
        workplace = opened(project)
        workplace.opened().log("GET / 200 1 ms")
        return "is a link, or somebody else may write into it" in workplace.notice

    kept.symlink_to(elsewhere)
    assert is_refused()
    kept.unlink()
    kept.mkdir(0o700)
    (kept / "history").symlink_to(elsewhere)
    assert is_refused()
    assert list(elsewhere.iterdir()) == []
    (kept / "history").unlink()
    kept.chmod(0o770)
    assert is_refused()
    kept.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(kept, 12345, -1)
        assert is_refused()
        os.chown(kept, 0, -1)
    assert list(kept.iterdir()) == []
    assert not is_refused()


@pytest.mark.slow
def test_a_program_that_lies_beside_the_table_never_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text("name,age\nBo,41\n")
    (tmp_path / "duckdb.py").write_text("from pathlib import Path\nPath('has-run').touch()\n")
    monkeypatch.chdir(tmp_path)

    async def look() -> object:
        looks = Looks()
        while (found := await looks.ask("sniff", tmp_path / "people.csv", {"header": True})) is None:
            continue
        await looks.close()
        return found

    assert asyncio.run(look()) is not None
    assert not (tmp_path / "has-run").exists()


@pytest.mark.slow
def test_what_the_application_keeps_belongs_to_its_owner(application: Application, cookie: str) -> None:
    application.request("GET", "/data", {"Cookie": cookie})
    (kept,) = application.folder.rglob(".toolbox-app")
    assert kept.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in kept.rglob("*")} == {0}


@pytest.mark.slow
def test_the_log_tells_pages_and_no_values(application: Application, cookie: str) -> None:
    headers = {**browser(application, cookie), "Content-Type": "application/x-www-form-urlencoded"}
    application.request("GET", "/hierarchies/0?secret=Ada", {"Cookie": cookie})
    application.request("POST", "/judge/file", headers, "judged=Ada.csv")
    (log,) = application.folder.rglob(".toolbox-app/log")
    lines = _lines_until("POST /judge/file", log)
    pattern = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (GET|HEAD|POST) /[\w/{}:]* \d{3} \d+ ms"
    assert [line for line in lines if not re.fullmatch(pattern, line)] == []
    assert any("POST /judge/file 200" in line for line in lines)


def _lines_until(last: str, log: Path) -> list[str]:
    """Read a log: a line is written when its answer has left, so that the last may still be on its way."""
    end = time.monotonic() + 10
    while last not in (text := log.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    return text.splitlines()


@pytest.mark.slow
def test_the_token_and_the_cookie_are_never_shown_again(application: Application, cookie: str) -> None:
    token = application.address.partition("token=")[2].encode()
    secret = cookie.partition("=")[2].encode()
    for path in ("/data", "/columns", "/as/xml", "/nowhere"):
        answer = application.request("GET", path, {"Cookie": cookie})
        for text in (answer.body, repr(answer.headers).encode()):
            assert token not in text and secret not in text
