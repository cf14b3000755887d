"""The server ends in good order, and says what is wrong before it begins."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urlsplit

import pytest
from helpers import children
from helpers.application import Application, start

from toolbox.app.server import server
from toolbox.app.server.server import serve
from toolbox.errors import UsageError


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} cannot be used: .*Leave --port out"):
            serve(None, root=tmp_path, port=port, opens_browser=False, tell=print, trace=print)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_without_a_word_of_complaint(tmp_path: Path, number: int) -> None:
    running = start(tmp_path)
    assert running.request("GET", "/data", {"Cookie": running.cookie()}).status == 200
    running.process.send_signal(number)
    _, err = running.process.communicate(timeout=30)
    assert (running.process.returncode, err) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_it_is_there_also_where_somebody_else_has_the_same_port_of_the_other_protocol() -> None:
    with socket.socket(socket.AF_INET6) as other:
        try:
            other.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        other.listen()
        port = other.getsockname()[1]
        with server._listen_on_loopback(port) as listeners:
            assert [each.getsockname()[:2] for each in listeners] == [("127.0.0.1", port)]
    with server._listen_on_loopback(port) as listeners:
        assert [each.getsockname()[:2] for each in listeners] == [("127.0.0.1", port), ("::1", port)]


_RECORDS = """#!/bin/sh
printf '%s\\n' "$@" > "$RECORD.part" && mv "$RECORD.part" "$RECORD"
sleep 5
"""
_TRIES = """
import encodings.idna, http.client, os, re, sys
from pathlib import Path
# Only now: this program itself may lie where nobody else looks.
os.setgroups([]), os.setgid(65534), os.setuid(65534)
port, page, *secrets = sys.argv[1:]
for found in Path("/proc").glob("[0-9]*/cmdline"):
    try:
        words = found.read_bytes()
    except OSError:
        continue
    if int(found.parent.name) != os.getpid() and re.search(rb"[?&]token=", words):
        print("a token in", words)
for path in (Path(page), Path(page).parent):
    try:
        os.listdir(path) if path.is_dir() else path.read_bytes()
        print("can read", path)
    except OSError:
        pass
for host in ("127.0.0.1", "::1"):
    for path, cookie in (("/", ""), ("/data", secrets[1]), (secrets[0], "")):
        try:
            connection = http.client.HTTPConnection(host, int(port), timeout=10)
            connection.request("GET", path, headers={"Host": f"127.0.0.1:{port}", "Cookie": cookie})
            print(connection.getresponse().status)
        except ConnectionRefusedError:
            print(403)
"""


def browser_of(folder: Path) -> tuple[dict[str, str], Path]:
    """Return an environment with a browser that notes what it is asked to open, and where."""
    script, noted = folder / "browser.sh", folder / "noted"
    script.write_text(_RECORDS)
    script.chmod(0o755)
    return {**os.environ, "BROWSER": f"{script} %s", "RECORD": str(noted), "TMPDIR": str(folder)}, noted


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_the_browser_gets_a_private_file_and_nobody_else_gets_anything(tmp_path: Path) -> None:
    served, own = tmp_path / "served", tmp_path / "own"
    served.mkdir(), own.mkdir()
    environment, noted = browser_of(own)
    command = [sys.executable, "-m", "toolbox", "app"]
    process = children.start(command, cwd=served, env=environment, stdout=PIPE, stderr=PIPE, text=True)
    wait_for(noted.exists)
    said, opened = process.stdout.readline(), noted.read_text()
    page = Path(urlsplit(opened.strip()).path)
    assert opened == f"{page.as_uri()}\n"
    assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    link = page.read_text().partition("url=")[2].partition('"')[0]
    port = urlsplit(link).port
    assert said == f"A browser opens http://127.0.0.1:{port}/\n"
    running = Application(process, served, link)
    name = f"toolbox-{port}"
    if os.geteuid() == 0:
        # Another user of this machine: what is found, and what even the secrets themselves would be worth.
        waiting = running.another_link().removeprefix(running.origin)
        running.links = 0
        words = [sys.executable, "-I", "-c", _TRIES, port, page, waiting, f"{name}={'A' * 43}"]
        tried = children.run(words, capture_output=True, text=True, cwd="/")
        assert (tried.stdout.split(), tried.stderr) == (["403"] * 6, "")
        # The link still waits for its owner; and the cookie, too, is worth nothing to others.
        cookie = running.cookie()
        tried = children.run([*words[:-1], cookie], capture_output=True, text=True, cwd="/")
        assert (tried.stdout.split(), tried.stderr) == (["403"] * 6, "")
    else:
        cookie = running.cookie()
    assert cookie.startswith(f"{name}=") and running.request("GET", "/data", {"Cookie": cookie}).status == 200
    # It was opened, so nothing of it is left.
    wait_for(lambda: not page.parent.exists())
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1] == ""
    assert sorted(path.name for path in own.iterdir()) == ["browser.sh", "noted"]


@pytest.mark.slow
def test_where_no_browser_opens_the_terminal_has_the_link(tmp_path: Path) -> None:
    environment = {**os.environ, "BROWSER": "false %s"}
    command = [sys.executable, "-m", "toolbox", "app"]
    process = children.start(command, cwd=tmp_path, env=environment, stdout=PIPE, stderr=PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(4)]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}\n", lines[2])
    assert lines[3].startswith("This link works once and for one minute, in a browser of this machine")
    process.terminate()
    process.communicate(timeout=30)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="terminals")
def test_enter_at_the_terminal_writes_another_link(tmp_path: Path) -> None:
    spawn = "import pty, sys; pty.spawn(sys.argv[1:])"
    command = [sys.executable, "-c", spawn, sys.executable, "-m", "toolbox", "app", "--no-browser"]
    process = children.start(command, cwd=tmp_path, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
    first, words = (process.stdout.readline() for _ in range(2))
    assert "Press Enter for another link." in words
    process.stdin.write("\n")
    process.stdin.flush()
    more = iter(process.stdout)
    second = next(line for line in more if line.startswith("http://"))
    assert second.partition("?token=")[0] == first.partition("?token=")[0] and second != first
    process.stdin.write("\x03")
    process.stdin.flush()
    process.communicate(timeout=30)
