"""Who may ask what: only the browser that was opened, only from our own pages, and only here."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_READS = ("GET", "HEAD")
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    # To others nothing. With ``no-referrer`` browsers would also keep the origin of a form from us, which we look at.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of every answer, unless it has one of its own."""
_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Keys:
    """The secrets of one start: the token of the address that is opened, and the cookie that it is exchanged for.

    Parameters
    ----------
    port : int
        The cookie is named with it, since cookies do not tell ports apart.
    """

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.cookie_name = f"toolbox-{port}"

    def opens(self, token: str) -> bool:
        """Whether this is the token, in constant time."""
        return secrets.compare_digest(token.encode(), self.token.encode())

    def is_known(self, cookies: str) -> bool:
        """Whether one of the cookies is ours, in constant time."""
        try:
            morsel = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return False
        return morsel is not None and secrets.compare_digest(morsel.value.encode(), self.cookie.encode())


class Security:
    """Refuses a request before anything else looks at it.

    A page of another host that was bound to our address (DNS rebinding) has another ``Host``; one of another origin
    cannot send ``Origin`` as ours; another user of this machine has neither token nor cookie.

    Parameters
    ----------
    port : int
        At which it is asked.
    keys : Keys
        What lets the browser in.
    lead : callable
        Names the page that who has just been let in sees first.
    """

    def __init__(self, app: ASGIApp, *, port: int, keys: Keys, lead: Callable[[], str]) -> None:
        self._app = app
        self._keys = keys
        self._lead = lead
        self._hosts = {f"{name}:{port}" for name in _NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, text in HEADERS.items():
                    headers.setdefault(name, text)
            await send(message)

        refusal = self._refusal(scope)
        await (self._app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, scope: MutableMapping[str, Any]) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            return _refused(403, "This address is not that of the toolbox.")
        if (exchanged := self._exchanged(scope)) is not None:
            return exchanged
        if not self._keys.is_known("; ".join(headers.getlist("cookie"))):
            return _refused(401, "Open the address that the toolbox has written on the terminal.")
        if scope["method"] not in _READS and not self._is_from_us(headers):
            return _refused(403, "Only a page of the toolbox may change something.")
        return None

    def _exchanged(self, scope: MutableMapping[str, Any]) -> Response | None:
        """Exchange the token for the cookie, and lead to an address without it."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if len(given) != 1 or not self._keys.opens(given[0]):
            return None
        response = RedirectResponse(self._lead(), status_code=303)
        response.set_cookie(self._keys.cookie_name, self._keys.cookie, path="/", httponly=True, samesite="strict")
        return response

    def _is_from_us(self, headers: Headers) -> bool:
        # All browsers send `Sec-Fetch-Site` to this machine; what does not send it is no browser of today.
        return headers.getlist("origin") == [f"http://{headers['host']}"] and headers.getlist("sec-fetch-site") == [
            "same-origin"
        ]


def _refused(status: int, words: str) -> Response:
    return PlainTextResponse(f"{words}\n", status_code=status)
