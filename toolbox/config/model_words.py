"""What ``--model`` says: the attributes of a privacy model in a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from toolbox.config.given import BadValueError

_TOKEN: Final = re.compile(r'"(?:[^"]|"")*"|[^":]+|[":]')
_EXAMPLE: Final = "Write the model and its parameters: 'entropy l-diversity:l=3:attribute=illness'."


def model_words(text: str) -> dict[str, str]:
    """Return the attributes of ``<model>``; a value that holds a colon stands in double quotes.

    Examples
    --------
    >>> model_words("entropy l-diversity:l=3:attribute=illness")
    {'name': 'entropy l-diversity', 'l': '3', 'attribute': 'illness'}
    >>> model_words('k-map:k=5:attribute="a:b"')
    {'name': 'k-map', 'k': '5', 'attribute': 'a:b'}

    Raises
    ------
    BadValueError
    """
    parts = _parts(text)
    name = parts[0].strip()
    if not name or "=" in name:
        raise BadValueError("does not begin with the name of a model", _EXAMPLE)
    words = {"name": name}
    for part in parts[1:]:
        key, equals, value = part.partition("=")
        if not (equals and key.strip()):
            raise BadValueError(f"has {part!r} where a parameter goes", _EXAMPLE)
        if key.strip() in words:
            raise BadValueError(f"says {key.strip()} twice", "Keep one of the two.")
        words[key.strip()] = value
    return words


def model_text(words: Mapping[str, str]) -> str:
    """Write the attributes of ``<model>`` as ``--model`` does; `model_words` reads them.

    Examples
    --------
    >>> model_text({"name": "k-map", "k": "5", "attribute": "a:b"})
    'k-map:k=5:attribute="a:b"'
    """
    said = (f"{name}={_quoted(value)}" for name, value in words.items() if name != "name")
    return ":".join([words["name"], *said])


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if ":" in value or '"' in value else value


def _parts(text: str) -> list[str]:
    """Cut a text at its colons, except those in quotes."""
    parts = [""]
    for token in _TOKEN.findall(text):
        if token == ":":
            parts.append("")
        elif token == '"':
            raise BadValueError("has a quote that does not close", _EXAMPLE)
        else:
            parts[-1] += token[1:-1].replace('""', '"') if token.startswith('"') else token
    return parts
