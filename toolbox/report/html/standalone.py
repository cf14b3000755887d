"""A page that stands alone: one file of HTML with its style in it, no script, and nothing that is fetched."""

from __future__ import annotations

import base64
import hashlib

from toolbox.charts.markup import Markup, element, escaped


def standalone(title: str, body: Markup, style: str) -> str:
    """Return a whole page.

    Parameters
    ----------
    style : str
        The style sheet. The policy of the page allows it, by its checksum, and nothing else.
    """
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            '\n<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            body,
            "\n</body>\n</html>\n",
        ]
    )
