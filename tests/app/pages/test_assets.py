"""What pages load besides themselves: kept for good under an address that says its bytes, and nothing else is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from helpers.asgi import Asking
from starlette.applications import Starlette

from toolbox.app.pages.rendering import ROUTES, build_icon_address, find_asset_address, load_assets, make_environment

_TEMPLATES = Path(__file__).parents[3] / "toolbox/app/templates"


def test_a_file_is_kept_under_the_address_of_its_bytes_and_there_is_no_other() -> None:
    with asyncio.Runner() as runner:
        asking = Asking(Starlette(routes=ROUTES), runner)
        for name, asset in load_assets().items():
            answer = asking.get(find_asset_address(name))
            assert (answer.status, answer.text.encode()) == (200, asset.content), name
            assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
            assert (
                answer.headers["content-type"]
                == f"text/{'css' if name.endswith('css') else 'javascript'}; charset=utf-8"
            )
        other = find_asset_address("app.js").rpartition("/")[0]
        for path in (
            *(f"{other}/style.css", "/static/0/app.js", "/static/app.js", f"{other}/icon.svg", f"{other}/README.md"),
            *(f"{other}/../application.py", f"{other}/..%2fapplication.py", f"{other}/", f"{other}//etc/passwd"),
        ):
            assert asking.get(path).status == 404, path


def test_all_that_pages_load_is_named_so() -> None:
    make_environment()
    for template in _TEMPLATES.iterdir():
        for loaded in re.findall(r'<(?:link|script)[^>]*(?:href|src)="([^"]*"?[^"]*"?[^>]*)"', template.read_text()):
            assert loaded.startswith(("{{ asset(", "{{ icon }}", "data:,")), (template.name, loaded)
    assert build_icon_address().startswith("data:image/svg+xml,%3Csvg")
