"""A page that stands alone: its policy allows its own style and nothing else."""

from __future__ import annotations

import base64
import hashlib

from toolbox.charts.markup import element
from toolbox.charts.rows import render_standalone_page


def test_the_style_is_allowed_by_its_checksum_and_the_title_is_escaped() -> None:
    page = render_standalone_page("a <b>", element("main", "x & y"), "p { color: red }")
    digest = base64.b64encode(hashlib.sha256(b"p { color: red }").digest()).decode()
    assert f"style-src &#x27;sha256-{digest}&#x27;" in page
    assert "<title>a &lt;b&gt;</title>" in page
    assert "<main>x &amp; y</main>" in page
