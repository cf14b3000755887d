"""The server: on this machine alone, until somebody ends it or nobody has used it for long."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import uvicorn

from toolbox.app.application import application
from toolbox.app.security import Keys
from toolbox.app.state import Workplace
from toolbox.errors import UsageError

_IDLE = 8 * 3600.0
"""Seconds without a request after which the application ends."""
_LOOKS_EVERY = 0.2
_LAST_PAGE = 1.0
"""Seconds in which a browser still gets what belongs to the last page."""


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
        Whether to open the address in a browser.
    tell : callable
        Is told the address.
    trace : callable
        Is told each error that nobody foresaw.

    Raises
    ------
    ToolboxError
        If the port is taken, or the source cannot be opened.
    """
    with _listening(port) as listeners:
        asyncio.run(_serve(source, root, listeners, opens_browser=opens_browser, tell=tell, trace=trace))


@contextmanager
def _listening(port: int) -> Iterator[list[socket.socket]]:
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
    app = application(workplace, port=port, keys=keys, trace=trace)
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="critical",
        server_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
    )
    server = _Server(config)
    address = f"http://127.0.0.1:{port}/?token={keys.token}"
    watching = asyncio.create_task(_end_when_idle(server, workplace))
    opening = asyncio.create_task(_tell_when_started(server, address, opens_browser=opens_browser, tell=tell))
    await server.serve(sockets=listeners)
    for task in (watching, opening):
        task.cancel()


async def _tell_when_started(
    server: uvicorn.Server, address: str, *, opens_browser: bool, tell: Callable[[str], None]
) -> None:
    while not server.started:
        await asyncio.sleep(0.01)
    tell(f"{address}\nOnly you can open this address, in a browser of this machine. Ctrl-C ends the application.")
    if opens_browser:
        await asyncio.to_thread(webbrowser.open, address)


async def _end_when_idle(server: uvicorn.Server, workplace: Workplace) -> None:
    while not workplace.is_ending:
        await asyncio.sleep(_LOOKS_EVERY)
        if time.monotonic() - workplace.touched > _IDLE and not workplace.works:
            workplace.is_ending = True
    await asyncio.sleep(_LAST_PAGE)
    server.should_exit = True


class _Server(uvicorn.Server):
    """A server for which the usual end is no error."""

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
