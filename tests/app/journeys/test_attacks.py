"""J12: pages of others do nothing. What a browser cannot send is in `tests/app/server/test_security.py`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from helpers.application import Application

from toolbox.app.server.server import _PRIVATE_PAGE

_PAGE = """<!doctype html><html lang="en"><title>a</title><link rel="icon" href="data:,">
<iframe src="{origin}/data" title="framed"></iframe>
<form method="post" action="{origin}/quit"><button>Win a prize</button></form>
"""


@pytest.fixture
def foreign_page() -> Iterator[Callable[[str], str]]:
    """Serve a page of another origin on this machine, to which browsers send the same cookies."""
    shown = {"page": ""}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(shown["page"].encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def serve(origin: str) -> str:
        shown["page"] = _PAGE.format(origin=origin)
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_a_page_of_another_origin_can_neither_frame_nor_read_nor_end_the_application(
    application: Callable[..., Application],
    enter: Callable[..., Any],
    foreign_page: Callable[[str], str],
) -> None:
    running = application("census_5000.csv")
    page = enter(running)
    page.get_by_role("heading", level=1).wait_for()
    attacker = page.context.new_page()
    attacker.goto(foreign_page(running.origin))
    frame = attacker.frame_locator("iframe").get_by_role("heading", name="Data")
    assert frame.count() == 0
    read = (
        "async origin => { try { return await (await fetch(origin + '/data')).text() } catch (e) { return 'refused' } }"
    )
    assert attacker.evaluate(read, running.origin) == "refused"
    blind = "origin => fetch(origin + '/quit', {method: 'POST', mode: 'no-cors'}).catch(error => 'nothing is told')"
    assert attacker.evaluate(blind, running.origin) == "nothing is told"
    attacker.get_by_role("button", name="Win a prize").click()
    attacker.get_by_text("Only a page of the toolbox may change something.").wait_for()
    assert running.process.poll() is None
    page.reload()
    page.get_by_role("heading", level=1).wait_for()
    # What the browser says of these attacks is what should happen.
    assert running.errors
    running.errors.clear()
    running.hosts.clear()


@pytest.mark.slow
def test_a_private_file_leads_to_the_application_and_leaves_nothing_of_worth(
    application: Callable[..., Application], chromium: Any, tmp_path: Path
) -> None:
    running = application()
    link = running.link()
    private = tmp_path / "open.html"
    private.write_text(_PRIVATE_PAGE.format(link=link))
    context = chromium.new_context()
    sent: list[tuple[str, str]] = []
    context.on("request", lambda request: sent.append((request.url, request.headers.get("referer", ""))))
    page = context.new_page()
    page.goto(private.as_uri())
    page.get_by_role("heading", level=1, name="Data").wait_for()
    assert page.url == f"{running.origin}/data"
    # A strict cookie came along, though the way began in a file.
    page.reload()
    page.get_by_role("heading", level=1, name="Data").wait_for()
    assert [referer for _, referer in sent if "token" in referer or "open.html" in referer] == []
    assert [url for url, _ in sent if "token" in url] == [link]
    # What the history has opens nothing, in this browser or in another one.
    another = chromium.new_context().new_page()
    assert another.goto(link).status == 401
    page.goto(link)
    assert page.url == f"{running.origin}/data"
    # A new link, opened elsewhere, locks this browser out.
    another.goto(running.link())
    another.get_by_role("heading", level=1, name="Data").wait_for()
    assert page.reload().status == 401
    context.close()
    another.context.close()
