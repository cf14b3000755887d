"""Who may be connected, how many at once and for how long: what one user of a machine does keeps no other one out."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import sys
import time
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST: Final = 64
"""Connections at once: far fewer than the files that a process may open, and more than browsers need."""
MOST_OF_ONE: Final = 32
"""Of them those of one address, or of one other user of the machine."""
AT_ONCE: Final = 16
"""Connections that are accepted at once, so that there are never many more than the most."""
WAITING: Final = 512
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


class LimitedConnection(H11Protocol):
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
        found: list[LimitedConnection] = [one for one in self.connections if isinstance(one, LimitedConnection)]
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


class Once(logging.Filter):
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
