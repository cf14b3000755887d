"""Requests to an application without a server: what a browser would send, and what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

Fields = Sequence[tuple[str, str]]
_BOUNDARY = "what-no-file-holds"


@dataclass(frozen=True)
class Answer:
    """What comes back."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Asking:
    """An application that is asked, one request after the other, in one loop."""

    app: Any
    runner: asyncio.Runner

    def get(self, path: str, *, headers: dict[str, str] | None = None, **query: str) -> Answer:
        """Ask for a page."""
        return self.runner.run(_asked(self.app, "GET", path, urlencode(query), headers or {}, b""))

    def fragment(self, path: str, target: str) -> Answer:
        """Ask for a part of a page, as htmx does."""
        return self.runner.run(_asked(self.app, "GET", path, "", {"hx-request": "true", "hx-target": target}, b""))

    def post(self, path: str, *fields: tuple[str, str], of: str = "", headers: dict[str, str] | None = None) -> Answer:
        """Send a form; a page that it leads to is asked for. With the name of a field, as htmx does for that."""
        kind = {"content-type": "application/x-www-form-urlencoded"}
        by_htmx = {"hx-request": "true", "hx-trigger-name": of} if of else {}
        return self._followed(path, {**kind, **by_htmx, **(headers or {})}, urlencode(fields).encode())

    def posts(self, path: str, *forms: Fields) -> list[Answer]:
        """Send forms at once."""
        kind = {"content-type": "application/x-www-form-urlencoded"}

        async def sent() -> list[Answer]:
            asked = (_asked(self.app, "POST", path, "", kind, urlencode(form).encode()) for form in forms)
            return await asyncio.gather(*asked)

        return self.runner.run(sent())

    def upload(self, path: str, files: Iterable[tuple[str, bytes]]) -> Answer:
        """Send files; a page that this leads to is asked for."""
        head = '--{}\r\nContent-Disposition: form-data; name="file"; filename="{}"\r\n\r\n'
        parts = [head.format(_BOUNDARY, name).encode() + content + b"\r\n" for name, content in files]
        body = b"".join(parts) + f"--{_BOUNDARY}--\r\n".encode()
        return self._followed(path, {"content-type": f"multipart/form-data; boundary={_BOUNDARY}"}, body)

    def _followed(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        path, _, query = path.partition("?")
        answer = self.runner.run(_asked(self.app, "POST", path, query, headers, body))
        if answer.status != 303:
            return answer
        target, _, query = answer.headers["location"].partition("?")
        return self.runner.run(_asked(self.app, "GET", target, query, {}, b""))


async def _asked(app: Any, method: str, path: str, query: str, headers: dict[str, str], body: bytes) -> Answer:
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), text.encode()) for name, text in headers.items()],
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    found = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    text = b"".join(message.get("body", b"") for message in sent[1:]).decode()
    return Answer(sent[0]["status"], found, text)
