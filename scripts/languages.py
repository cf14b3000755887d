"""Brings the catalogues of all languages up to date with the sentences that are marked.

Run it after a change of what people read: ``python scripts/languages.py``. A new language begins as an empty file.

A sentence that is new has no translation yet: write it between the quotes of ``msgstr``, and run this again, which also
makes of each catalogue what a run reads. `tests/test_languages.py` says what is lacking.
"""

from __future__ import annotations

import io
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from babel.messages.extract import extract
from babel.messages.pofile import denormalize, normalize
from jinja2.ext import babel_extract

from toolbox.loss.metric import LossMetric, list_installed_metrics
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.privacy.registry import list_installed_models

PACKAGE: Final = Path(__file__).parents[1] / "toolbox"
FOLDER: Final = PACKAGE / "languages"
PLURALS: Final = {
    "de": "nplurals=2; plural=(n != 1)",
    "fr": "nplurals=2; plural=(n > 1)",
    "it": "nplurals=2; plural=(n != 1)",
    "es": "nplurals=2; plural=(n != 1)",
}
_KEYWORDS: Final = {"say": None, "mark": None, "say_count": (1, 2), "_": None, "gettext": None, "ngettext": (1, 2)}
_JINJA: Final = {"newstyle_gettext": "true", "trimmed": "true", "trim_blocks": "true", "silent": "false"}

Message = str | tuple[str, str]
"""A sentence in English; or one for a single thing, and one for several."""


def list_messages() -> list[Message]:
    """Return all sentences that are marked, in the order of the alphabet."""
    found = {*_extract_marked("*.py", "python", {}), *_extract_marked("*.html", babel_extract, _JINJA)}
    plurals = {message[0] for message in found if isinstance(message, tuple)}
    singles = {message for message in found | {*_list_words_of_parts()} if isinstance(message, str)}
    return sorted(
        {message for message in found if isinstance(message, tuple)} | (singles - plurals),
        key=lambda message: (message,) if isinstance(message, str) else message,
    )


def _extract_marked(pattern: str, method: str | Callable[..., Any], options: Mapping[str, str]) -> Iterator[Message]:
    for path in sorted(PACKAGE.rglob(pattern)):
        source = path.read_bytes()
        if path.suffix == ".py" and not _MARKS.search(source):
            continue  # others have methods of these names
        for _, message, _, _ in extract(method, io.BytesIO(source), _KEYWORDS, (), dict(options)):
            yield message if isinstance(message, str) else (message[0], message[1])


def _list_words_of_parts() -> Iterator[str]:
    """Yield what methods, models and metrics say of themselves, wherever they are from."""
    parts: tuple[type[Any], ...] = (
        *list_installed_methods().values(),
        *list_installed_models(),
        *list_installed_metrics(),
    )
    for part in parts:
        if part.__module__.startswith("toolbox."):
            yield from (text for name in _SAID if (text := getattr(part, name, "")))
            if issubclass(part, LossMetric) and part.meaning_of_share:
                yield part.name.capitalize()


_MARKS: Final = re.compile(rb"from toolbox\.messages import [^#]*?\b(?:say|say_count|mark)\b")
_SAID: Final = ("summary", "meaning", "meaning_of_share")


def read_catalogue(language: str) -> dict[Message, tuple[str, ...]]:
    """Return the translations of a catalogue; what is not translated has empty ones."""
    path = FOLDER / f"{language}.po"
    found: dict[Message, tuple[str, ...]] = {}
    for block in path.read_text(encoding="utf-8").split("\n\n")[1:] if path.exists() else ():
        parts = dict(line.split(" ", 1) for line in block.strip().splitlines() if not line.startswith("#"))
        texts = {name: denormalize(text) for name, text in parts.items()}
        said = tuple(text for name, text in texts.items() if name.startswith("msgstr"))
        found[(texts["msgid"], texts["msgid_plural"]) if "msgid_plural" in texts else texts["msgid"]] = said
    return found


def format_catalogue(language: str, translated: Mapping[Message, tuple[str, ...]]) -> str:
    """Return the text of a catalogue: one line for each text, however long, so that two changes seldom meet."""
    head = (
        f'msgid ""\nmsgstr "Language: {language}\\nContent-Type: text/plain; charset=utf-8\\n'
        f'Content-Transfer-Encoding: 8bit\\nPlural-Forms: {PLURALS[language]}\\n"'
    )
    return "\n\n".join([head, *(_format_entry(message, said) for message, said in translated.items())]) + "\n"


def _format_entry(message: Message, said: Iterable[str]) -> str:
    if isinstance(message, str):
        return "\n".join([f"msgid {_quote(message)}", *(f"msgstr {_quote(text)}" for text in said)])
    lines = [f"msgid {_quote(message[0])}", f"msgid_plural {_quote(message[1])}"]
    return "\n".join([*lines, *(f"msgstr[{number}] {_quote(text)}" for number, text in enumerate(said))])


def _quote(text: str) -> str:
    return normalize(text, width=0).removeprefix('""\n').replace('"\n"', "")


def compile_catalogue(language: str, translated: Mapping[Message, tuple[str, ...]]) -> bytes:
    """Return what a run reads, in the format of GNU gettext; no day and no version of a program is in it."""
    head = f"Content-Type: text/plain; charset=utf-8\nPlural-Forms: {PLURALS[language]}\n"
    texts = {"": head}
    for message, said in translated.items():
        if all(said):
            texts[message if isinstance(message, str) else "\0".join(message)] = "\0".join(said)
    pairs = sorted((message.encode(), said.encode()) for message, said in texts.items())
    begin = 28 + 16 * len(pairs)
    blob, tables = b"", [b"", b""]
    for side in (0, 1):
        for pair in pairs:
            tables[side] += struct.pack("<II", len(pair[side]), begin + len(blob))
            blob += pair[side] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, begin) + b"".join(tables) + blob


def update_catalogue(language: str) -> list[Message]:
    """Write the catalogue of a language anew, and return what is not translated yet."""
    known = read_catalogue(language)
    translated = {
        message: known.get(message, ("",) if isinstance(message, str) else ("", "")) for message in list_messages()
    }
    (FOLDER / f"{language}.po").write_text(format_catalogue(language, translated), encoding="utf-8")
    (FOLDER / f"{language}.mo").write_bytes(compile_catalogue(language, translated))
    return [message for message, said in translated.items() if not all(said)]


def main() -> int:
    """Update all catalogues."""
    for language in (path.stem for path in sorted(FOLDER.glob("*.po"))):
        lacking = update_catalogue(language)
        print(f"{language}: {len(lacking):,} of {len(list_messages()):,} sentences are not translated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
