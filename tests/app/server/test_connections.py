"""Connections are few and do not last: an application answers its user, whoever else connects, and however slowly."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import pytest
from helpers import children
from helpers.application import start

pytest.importorskip("starlette", reason="the extra app is not installed")
import uvicorn

from toolbox.app.project.state import Workplace
from toolbox.app.server import server
from toolbox.app.server.server import MOST, MOST_OF_ONE, _LimitedConnection, _Once

FLOOD = """
import os, resource, socket, sys
port, user, addresses = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(",")
resource.setrlimit(resource.RLIMIT_NOFILE, (4000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
if user != os.getuid():
    os.setgroups([]), os.setuid(user)
held = []
for number in range(1500):
    one = socket.socket()
    one.settimeout(30)
    one.bind((addresses[number % len(addresses)], 0))
    one.connect(("127.0.0.1", port))
    one.send(b"GET /data HTTP/1.1\\r\\nHost: 127")
    held.append(one)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc, and addresses of this machine")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("by", ["from many addresses", "the same user", "another user"])
def test_1500_half_open_connections_keep_nobody_out(by: str, tmp_path: Path) -> None:
    if by == "another user" and os.geteuid() != 0:
        pytest.skip("only root can be another user")
    running = start(tmp_path)
    cookie = {"Cookie": running.cookie()}
    user = 65534 if by == "another user" else os.getuid()
    addresses = ",".join(f"127.0.1.{n}" for n in range(1, 100)) if by == "from many addresses" else "127.0.0.1"
    flood = children.start(
        [sys.executable, "-c", FLOOD, running.port, user, addresses], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True
    )
    slowest, files, answers = 0.0, 0, []
    while not answers or (len(answers) < 200 and flood.poll() is None and not _has_said(flood)):
        begun = time.monotonic()
        answers.append(running.request("GET", "/data", cookie).status)
        slowest = max(slowest, time.monotonic() - begun)
        files = max(files, len(list(Path(f"/proc/{running.process.pid}/fd").iterdir())))
    assert flood.stdout is not None and flood.stdout.readline() == "held\n"
    # All are open that the other side has not closed: the same again, and when they have gone.
    answers += [running.request("GET", "/data", cookie).status for _ in range(3)]
    flood.communicate("")
    answers.append(running.request("GET", "/data", cookie).status)
    assert set(answers) == {200}
    assert slowest < 10 and files < MOST + 150, (slowest, files)
    running.process.terminate()
    assert running.process.communicate(timeout=30)[1] == ""


def _has_said(process: object) -> bool:
    import select

    return bool(select.select([process.stdout], [], [], 0)[0])  # type: ignore[attr-defined]


@asynccontextmanager
async def serving(tmp_path: Path, app: Callable[..., Awaitable[None]]) -> AsyncIterator[tuple[uvicorn.Server, int]]:
    """Serve an application in this process, with the connections of ours."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    made = uvicorn.Server(
        uvicorn.Config(
            app, http=_LimitedConnection, log_level="critical", lifespan="off", ws="none", timeout_keep_alive=1
        )
    )
    made.capture_signals = suppress  # type: ignore[method-assign, assignment]
    watching = asyncio.create_task(server._watch(made, Workplace(tmp_path)))
    serving = asyncio.create_task(made.serve(sockets=[listener]))
    while not made.started:
        await asyncio.sleep(0.01)
    yield made, listener.getsockname()[1]
    watching.cancel()
    made.should_exit = True
    await serving


async def takes_all(scope: object, receive: Callable[..., Awaitable[dict[str, object]]], send: object) -> None:
    """Read a form to its end, and say how long it was."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message.get("body", b"")), bool(message.get("more_body"))  # type: ignore[arg-type]
        if message["type"] == "http.disconnect":
            return
    body = str(length).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": body})  # type: ignore[operator]


async def lasting(port: int, first: bytes, piece: bytes, *, every: float, most: float) -> float:
    """Send something, then pieces; return after how many seconds the other side has given up, or the most."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(first)
    begun = time.monotonic()

    async def go_on() -> None:
        while True:
            await asyncio.sleep(every)
            writer.write(piece)

    going = asyncio.create_task(go_on())
    with suppress(TimeoutError, ConnectionError):
        await asyncio.wait_for(reader.read(), most)
    going.cancel()
    writer.close()
    return time.monotonic() - begun


def test_who_is_slow_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_HEADERS_WITHIN", 0.5)
    monkeypatch.setattr(server, "_BODY_EVERY", 0.5)
    form = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n"
    whole = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    async def tried() -> list[float]:
        async with serving(tmp_path, takes_all) as (_, port):
            return await asyncio.gather(
                lasting(port, b"", b"", every=1, most=3),
                lasting(port, b"GET / HTTP/1.1\r\n", b"X-A: b\r\n", every=0.1, most=3),
                lasting(port, whole, b"G", every=0.1, most=3),
                lasting(port, form, b"x", every=0.1, most=3),
                lasting(port, form, b"x" * 4000, every=0.1, most=3),
                lasting(port, whole, whole, every=0.1, most=3),
            )

    *given_up, form_that_comes, many_requests = asyncio.run(tried())
    assert max(given_up) < 2.5, given_up
    assert min(form_that_comes, many_requests) >= 3


@pytest.mark.slow
def test_a_form_that_we_do_not_read_is_not_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_BODY_EVERY", 0.5)

    async def waits(scope: object, receive: object, send: object) -> None:
        await asyncio.sleep(2.5)
        await takes_all(scope, receive, send)  # type: ignore[arg-type]

    async def tried() -> bytes:
        async with serving(tmp_path, waits) as (_, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n" + b"x" * 5_000_000)
            answer = await asyncio.wait_for(reader.readuntil(b"5000000"), 20)
            writer.close()
            return answer

    assert asyncio.run(tried()).startswith(b"HTTP/1.1 200")


def test_the_oldest_that_asks_nothing_goes_first(tmp_path: Path) -> None:
    async def tried() -> tuple[list[bool], int]:
        async with serving(tmp_path, takes_all) as (made, port):
            known = await asyncio.open_connection("127.0.0.1", port)
            known[1].write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await known[0].readuntil(b"\r\n\r\n0")
            others = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST_OF_ONE + 5)]
            await asyncio.sleep(0.2)
            ended = [reader.at_eof() or reader.exception() is not None for reader, _ in (known, *others)]
            for _, writer in (known, *others):
                writer.close()
            return ended, len(made.server_state.connections)

    ended, held = asyncio.run(tried())
    assert ended == [False, *[True] * 6, *[False] * (MOST_OF_ONE - 1)]
    assert held == MOST_OF_ONE


@pytest.mark.skipif(sys.platform != "linux", reason="only its kernel tells whose a connection is")
def test_the_kernel_tells_whose_a_connection_is() -> None:
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as listener:
            try:
                listener.bind((address, 0))
            except OSError:
                continue  # a machine without IPv6
            listener.listen()
            with socket.create_connection(listener.getsockname()[:2]) as ours:
                accepted, _ = listener.accept()
                assert server._find_connection_owner(accepted) == os.getuid()
                ours.close()
                time.sleep(0.1)
                # Closed before anybody looked: nobody's, and not root's.
                assert server._find_connection_owner(accepted) == -1
                accepted.close()


def test_the_same_is_said_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = 0.0, []
    monkeypatch.setattr(server.time, "monotonic", lambda: now)
    once = _Once()

    def say(words: str) -> None:
        record = logging.LogRecord("asyncio", logging.ERROR, "", 0, words, None, None)
        if once.filter(record):
            said.append(record.getMessage())

    for _ in range(10_000):
        say("no more files\nsocket 1")
    say("something else")
    now = 61.0
    say("no more files\nsocket 2")
    assert said == ["no more files\nsocket 1", "something else", "no more files\nsocket 2\n9999 more times in between"]
