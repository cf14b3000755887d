"""Who may ask what: only the browser that was opened, only from our own pages, and only here."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolbox.messages import choose_language, find_language, mark, say, show, speak

_READS = ("GET", "HEAD")
LINK_LASTS = 60.0
"""Seconds in which a link can be opened."""
_ANOTHER = mark(
    "Press Enter on the terminal in which the application runs: it writes another link. Without a terminal, send the "
    "process the signal SIGUSR1."
)
_NOBODY = (mark("This browser has not opened the application."), _ANOTHER)
_SPENT = (
    mark(
        "This link was used before, or is older than a minute, or was replaced by another one. If you have not used it "
        "yourself, somebody else may have."
    ),
    _ANOTHER,
    mark("Whoever has used the earlier link is then locked out."),
)
_FOREIGN = (mark("This address is not that of the toolbox."),)
_NOT_OURS = (mark("Only a page of the toolbox may change something."),)
_FETCHED = (mark("Open this link yourself."),)
_LEADS_ON = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={path}"><title>toolbox</title>
<p><a href="{path}">{words}</a></p></html>
"""
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
    """The secrets of one start: the token of a link, which works once, and the cookie that it is exchanged for.

    Only one browser is in at a time: who opens a new link has a new cookie, and the one before opens nothing any more.

    Parameters
    ----------
    port : int
        The cookie is named with it, since cookies do not tell ports apart.
    """

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/"
        self.cookie_name = f"toolbox-{port}"
        self._cookie = self._token = ""
        self._until = 0.0

    def link(self) -> str:
        """Return a link that lets one browser in, once and within a minute; a link before it works no more."""
        self._token, self._until = secrets.token_urlsafe(32), time.monotonic() + LINK_LASTS
        return f"{self.address}?token={self._token}"

    @property
    def is_awaited(self) -> bool:
        """Whether there is a link that somebody can still open."""
        return bool(self._token) and time.monotonic() < self._until

    def exchange(self, token: str) -> str | None:
        """Return a new cookie for the token of a link, once, compared in constant time; None for any other token."""
        if not self.is_awaited or not secrets.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token, self._cookie = "", secrets.token_urlsafe(32)
        return self._cookie

    def is_known(self, cookies: str) -> bool:
        """Whether one of the cookies is that of the browser that is in, in constant time."""
        try:
            morsel = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return False
        if morsel is None or not self._cookie:
            return False
        return secrets.compare_digest(morsel.value.encode(), self._cookie.encode())


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

        with speak(choose_language(Headers(scope=scope).get("accept-language", ""))):
            refusal = self._find_refusal_response(scope)
        await (self._app if refusal is None else refusal)(scope, receive, guarded)

    def _find_refusal_response(self, scope: MutableMapping[str, Any]) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            return _make_refusal(403, _FOREIGN)
        if (token := _find_link_token(scope)) is not None and (
            entered := self._exchange_link_token(token, headers)
        ) is not None:
            return entered
        if not self._keys.is_known("; ".join(headers.getlist("cookie"))):
            return _make_refusal(401, _NOBODY if token is None else _SPENT)
        if scope["method"] not in _READS and not self._is_from_us(headers):
            return _make_refusal(403, _NOT_OURS)
        return None

    def _exchange_link_token(self, token: str, headers: Headers) -> Response | None:
        """Exchange the token of a link for the cookie, and lead to an address without it; None if it opens nothing."""
        if "prefetch" in headers.get("sec-purpose", headers.get("purpose", "")):
            # What a browser fetches in advance would be the one time that a link works.
            return _make_refusal(403, _FETCHED)
        if (cookie := self._keys.exchange(token)) is None:
            return None
        path = self._lead()
        if headers.get("sec-fetch-site") == "none":
            response: Response = RedirectResponse(path, status_code=303)
        else:
            # A strict cookie does not follow a redirection that a page of others has begun, such as the private file.
            words = escape(say("Go on to the application"))
            response = HTMLResponse(_LEADS_ON.format(path=escape(path), words=words, language=find_language()))
        response.headers["Referrer-Policy"] = "no-referrer"
        response.set_cookie(self._keys.cookie_name, cookie, path="/", httponly=True, samesite="strict")
        return response

    def _is_from_us(self, headers: Headers) -> bool:
        # All browsers send `Sec-Fetch-Site` to this machine; what does not send it is no browser of today.
        return headers.getlist("origin") == [f"http://{headers['host']}"] and headers.getlist("sec-fetch-site") == [
            "same-origin"
        ]


def _find_link_token(scope: MutableMapping[str, Any]) -> str | None:
    """Return the token of an address, if it is that of a link."""
    if scope["path"] != "/" or scope["method"] != "GET":
        return None
    given = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True).get("token")
    return None if given is None else " ".join(given)


def _make_refusal(status: int, sentences: Sequence[str]) -> Response:
    # Who is refused does not keep a connection, of which there are few.
    words = " ".join(map(show, sentences))
    return PlainTextResponse(f"{words}\n", status_code=status, headers={"Connection": "close"})
