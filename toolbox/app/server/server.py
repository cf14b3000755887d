"""The server: on this machine alone, until somebody ends it or nobody has used it for long."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import struct
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolbox.app.project.state import Workplace
from toolbox.app.server.application import make_application
from toolbox.app.server.security import Keys
from toolbox.errors import UsageError

_IDLE = 8 * 3600.0
"""Seconds without a request after which the application ends."""
_LOOKS_EVERY = 0.2
_LAST_PAGE = 1.0
"""Seconds in which a browser still gets what belongs to the last page."""
_REPEATED = ("asyncio", "uvicorn.error")
"""Who may say the same again and again."""
_PRIVATE_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}"><title>toolbox</title>
<p><a href="{link}">Open the application</a></p></html>
"""
MOST: Final = 64
"""Connections at once: far fewer than the files that a process may open, and more than browsers need."""
MOST_OF_ONE: Final = 32
"""Of them those of one address, or of one other user of the machine."""
_AT_ONCE: Final = 16
"""Connections that are accepted at once, so that there are never many more than the most."""
_WAITING: Final = 512
"""Connections that the system keeps until they are accepted: beyond them it makes everybody wait for a second."""
_HEADERS_WITHIN: Final = 10.0
"""Seconds in which a request has said what it wants."""
_BODY_EVERY: Final = 10.0
_LEAST_OF_BODY: Final = 10_000
"""Bytes of a form that come in that time."""
_REPEATED_AFTER: Final = 60.0
"""Seconds in which the same is said once."""
_SOCK_DIAG, _BY_FAMILY, _ESTABLISHED, _OWNER_AT = 4, 20, 1, 80
"""Of linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h: where the kernel tells whose socket one is."""
_NOBODY: Final = -1
_FOREIGN: Final = (
    b"The application runs as another user of this machine, and is for that user alone. Start your own: toolbox app\n"
)
_REFUSAL: Final = (
    b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"
    b"Cache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(_FOREIGN), _FOREIGN)
)


def serve(
    source: Path | None,
    *,
    root: Path,
    port: int = 0,
    opens_browser: bool = True,
    tell: Callable[[str], None],
    trace: Callable[[Exception], None],
) -> None:
    """Serve the application to the browser of this machine, until it is ended.

    Parameters
    ----------
    source : path, optional
        A configuration, or a table of which a project is made.
    root : path
        Files are looked for below it, and nowhere else.
    port : int
        0: any that is free.
    opens_browser : bool
        Whether to open a browser.
    tell : callable
        Is told the links that open the application.
    trace : callable
        Is told each error that nobody foresaw.

    Raises
    ------
    ToolboxError
        If the port is taken, or the source cannot be opened.
    """
    with _listen_on_loopback(port) as listeners:
        asyncio.run(_serve(source, root, listeners, opens_browser=opens_browser, tell=tell, trace=trace))


@contextmanager
def _listen_on_loopback(port: int) -> Iterator[list[socket.socket]]:
    """Listen on 127.0.0.1, and on ::1 where that can be had at the same port: localhost may be either."""
    with socket.socket(socket.AF_INET) as listener, ExitStack() as more:
        try:
            _bind(listener, "127.0.0.1", port)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UsageError(
                f"Port {port} cannot be used: {reason}. Leave --port out, and a free one is taken."
            ) from None
        listeners = [listener]
        with suppress(OSError):  # a machine without IPv6, or somebody else's port
            sixth = more.enter_context(socket.socket(socket.AF_INET6))
            sixth.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            _bind(sixth, "::1", listener.getsockname()[1])
            listeners.append(sixth)
        yield listeners


def _bind(listener: socket.socket, address: str, port: int) -> None:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))


async def _serve(
    source: Path | None,
    root: Path,
    listeners: list[socket.socket],
    *,
    opens_browser: bool,
    tell: Callable[[str], None],
    trace: Callable[[Exception], None],
) -> None:
    workplace = Workplace(root)
    if source is not None:
        await workplace.open(source, is_of_owner=True)
    port = listeners[0].getsockname()[1]
    keys = Keys(port)
    app = make_application(workplace, port=port, keys=keys, trace=trace)
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="critical",
        server_header=False,
        http=_LimitedConnection,
        backlog=_AT_ONCE,
        timeout_graceful_shutdown=2,
        ws="none",
    )
    server = _Server(config)
    once = _Once()
    for name in _REPEATED:
        logging.getLogger(name).addFilter(once)
    watching = asyncio.create_task(_watch(server, workplace))
    letting_in = asyncio.create_task(_let_in(server, keys, opens_browser=opens_browser, tell=tell))
    try:
        await server.serve(sockets=listeners)
    finally:
        for task in (watching, letting_in):
            task.cancel()
        await asyncio.gather(watching, letting_in, return_exceptions=True)
        for name in _REPEATED:
            logging.getLogger(name).removeFilter(once)


async def _let_in(server: uvicorn.Server, keys: Keys, *, opens_browser: bool, tell: Callable[[str], None]) -> None:
    """Open the application in a browser, or write a link; then another link whenever its owner asks for one."""
    asked = asyncio.Event()
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, asked.set)
    while not server.started:
        await asyncio.sleep(0.01)
    how = "Press Enter" if _is_at_terminal() else f"Write kill -USR1 {os.getpid()}"
    opening = None
    if opens_browser:
        opening = asyncio.create_task(_open_browser(keys, asked))
        tell(
            f"A browser opens {keys.address}\nOnly this browser can. {how} for a link that opens the application "
            "again, or in another browser. Ctrl-C ends it."
        )
    else:
        asked.set()
    try:
        while True:
            await asyncio.sleep(_LOOKS_EVERY if not asked.is_set() else 0)
            if _has_pressed_enter() or asked.is_set():
                asked.clear()
                tell(
                    f"{keys.link()}\nThis link works once and for one minute, in a browser of this machine; a browser "
                    f"that was let in before is then locked out. {how} for another link. Ctrl-C ends the application."
                )
    finally:
        if opening is not None:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)


async def _open_browser(keys: Keys, asked: asyncio.Event) -> None:
    """Open a file that only its owner can read, and that leads on: lists of processes show its name, and no token."""
    try:
        with TemporaryDirectory(prefix="toolbox-app-", dir=_place_for_browsers()) as folder:
            page = Path(folder, "open.html")
            with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(_PRIVATE_PAGE.format(link=escape(keys.link())))
            is_open = await asyncio.to_thread(webbrowser.open, page.as_uri())
            while is_open and keys.is_awaited:
                await asyncio.sleep(_LOOKS_EVERY)
    except OSError:
        is_open = False
    if not is_open:
        asked.set()


def _place_for_browsers() -> Path | None:
    """Return the folder in which browsers find the file; None: that of temporary files.

    Those that are installed as snaps see no temporary files, and no hidden ones.
    """
    with suppress(OSError, RuntimeError):
        home = Path.home()
        if Path("/snap/bin").is_dir() and home.stat().st_uid == os.getuid() and os.access(home, os.W_OK):
            return home
    return None


def _is_at_terminal() -> bool:
    return sys.platform == "win32" or (sys.stdin is not None and sys.stdin.isatty())


def _has_pressed_enter() -> bool:
    """Return whether somebody has pressed Enter at the terminal, without waiting for it."""
    if not _is_at_terminal():
        return False
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.kbhit() and msvcrt.getwch() == "\r"
    import select

    with suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        # In the background, reading would stop the process.
        if os.tcgetpgrp(number) == os.getpgrp() and select.select([number], [], [], 0)[0]:
            return bool(os.read(number, 4096))
    return False


async def _watch(server: uvicorn.Server, workplace: Workplace) -> None:
    """Give up connections that are too slow, and end the application when nobody has used it for long."""
    while not workplace.is_ending:
        await asyncio.sleep(_LOOKS_EVERY)
        for connection in list(server.server_state.connections):
            if isinstance(connection, _LimitedConnection):
                connection.give_up_if_slow()
        if time.monotonic() - workplace.touched > _IDLE and not workplace.works:
            workplace.is_ending = True
    await asyncio.sleep(_LAST_PAGE)
    server.should_exit = True


class _Server(uvicorn.Server):
    """A server for which the usual end is no error, and whose connections come a few at a time."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; what asyncio calls the backlog is also how many connections it accepts at once."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_WAITING)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End in good order on a signal."""
        if sys.platform == "win32":
            yield
            return
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for number in numbers:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)


class _LimitedConnection(H11Protocol):
    """A connection that is given up if it is too slow, if there are too many, or if it is another user's."""

    is_foreign = False
    """Whether it is known to be another user's."""
    source: object = None
    """What the limit for one counts: an address, or a user."""
    since = 0.0
    _stage: tuple[Any, ...] = ()
    _came = 0
    _from = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it in; if there are too many, the oldest that nobody let in goes."""
        super().connection_made(transport)
        self.since = self._from = time.monotonic()
        owner = _find_connection_owner(transport.get_extra_info("socket"))
        self.is_foreign = owner is not None and owner not in (os.getuid(), 0)
        self.source = owner if self.is_foreign else self.client and self.client[0]
        found: list[_LimitedConnection] = [one for one in self.connections if isinstance(one, _LimitedConnection)]
        of_one = [one for one in found if one.source == self.source]
        full = of_one if len(of_one) > MOST_OF_ONE else found if len(found) > MOST else []
        if full:
            min(full, key=lambda one: (not one.is_foreign, one.cycle is not None, one.since)).give_up()

    def data_received(self, data: bytes) -> None:
        """Take in what has come."""
        self._came += len(data)
        if self.is_foreign:
            self.transport.write(_REFUSAL)
            self.transport.close()
        else:
            super().data_received(data)

    def give_up_if_slow(self) -> None:
        """Give it up if it keeps us waiting: for what it wants, or for the rest of a form."""
        now, stage = time.monotonic(), (self.cycle, self.conn.their_state)
        is_body = self.conn.their_state is h11.SEND_BODY
        waits_for_us = self.conn.their_state is not h11.IDLE and not (is_body and not self.flow.read_paused)
        if stage != self._stage or waits_for_us or (is_body and self._came >= _LEAST_OF_BODY):
            self._stage, self._from, self._came = stage, now, 0
        elif now - self._from > (_BODY_EVERY if is_body else _HEADERS_WITHIN):
            self.give_up()

    def give_up(self) -> None:
        """End it at once, without an answer."""
        self.connections.discard(self)
        self.transport.abort()


def _find_connection_owner(connected: socket.socket) -> int | None:
    """Return the user at the other end of a connection within this machine, as the kernel says; None: it does not.

    A socket that was closed already would look like one of root, and is nobody's.
    """
    if sys.platform != "linux":
        return None
    family = connected.family
    try:
        (theirs, their_port), (ours, our_port) = connected.getpeername()[:2], connected.getsockname()[:2]
        ends = b"".join(socket.inet_pton(family, address).ljust(16, b"\0") for address in (theirs, ours))
        ports = struct.pack("!HH", their_port, our_port)
        asked = struct.pack("=BBBBI", family, socket.IPPROTO_TCP, 0, 0, 0xFFFFFFFF)
        asked += ports + ends + bytes(4) + b"\xff" * 8
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.settimeout(1)
            kernel.send(struct.pack("=IHHII", 16 + len(asked), _BY_FAMILY, 1, 1, 0) + asked)
            answer = kernel.recv(4096)
    except OSError:
        return None
    if len(answer) < _OWNER_AT + 4 or struct.unpack_from("=H", answer, 4) != (_BY_FAMILY,):
        return None  # no such socket
    (owner,) = struct.unpack_from("=I", answer, _OWNER_AT)
    return _NOBODY if owner == 0 and answer[17] != _ESTABLISHED else int(owner)


class _Once(logging.Filter):
    """Lets what is said again and again through once a minute, with the number of times that it was not."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is written; its first line says what it is."""
        more = self.more(record.getMessage().partition("\n")[0])
        if more:
            record.msg, record.args = f"{record.getMessage()}\n{more} more times in between", None
        return more is not None

    def more(self, what: str) -> int | None:
        """Return how often the same was left out since it was last said; None: leave it out."""
        last, left_out = self._said.get(what, (-_REPEATED_AFTER, 0))
        now = time.monotonic()
        if now - last < _REPEATED_AFTER:
            self._said[what] = last, left_out + 1
            return None
        self._said.pop(what, None)
        while len(self._said) >= MOST:
            del self._said[next(iter(self._said))]
        self._said[what] = now, 0
        return left_out
