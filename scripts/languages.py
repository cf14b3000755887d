"""Brings the catalogues of all languages up to date with the sentences that are marked.

Run it after a change of what people read: ``python scripts/languages.py``. A new language begins as an empty file.

A sentence that is new has no translation yet: write it between the quotes of ``msgstr``.
`tests/test_languages.py` says what is lacking.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel.messages.extract import extract
from jinja2.ext import babel_extract

from toolbox.loss.metric import LossMetric, list_installed_metrics
from toolbox.messages import Message, read_catalogue
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.privacy.registry import list_installed_models
from toolbox.treatments.treatment import TreatmentSetting, list_treatments

PACKAGE: Final = Path(__file__).parents[1] / "toolbox"
FOLDER: Final = PACKAGE / "languages"
PLURALS: Final = {
    "de": "nplurals=2; plural=(n != 1)",
    "fr": "nplurals=2; plural=(n > 1)",
    "it": "nplurals=2; plural=(n != 1)",
    "es": "nplurals=2; plural=(n != 1)",
}
_KEYWORDS: Final = {
    **{"say": None, "mark": None, "say_count": (1, 2), "say_of_records": (1, 2)},
    **{"_": None, "gettext": None, "ngettext": (1, 2)},
}
_JINJA: Final = {"newstyle_gettext": "true", "trimmed": "true", "trim_blocks": "true", "silent": "false"}


@cache
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
    """Yield what methods, models, metrics and treatments say of themselves, wherever they are from."""
    parts: tuple[type[Any], ...] = (
        *list_installed_methods().values(),
        *list_installed_models(),
        *list_installed_metrics(),
        *list_treatments(),
    )
    for part in parts:
        if part.__module__.startswith("toolbox."):
            yield from (text for name in _SAID if _WORD.search(text := str(getattr(part, name, ""))))
            settings = part.settings if isinstance(getattr(part, "settings", None), tuple) else ()
            yield from (one.wanted for one in settings if isinstance(one, TreatmentSetting))
            if issubclass(part, LossMetric):
                yield from (part.name, part.name.capitalize())


_MARKS: Final = re.compile(rb"from toolbox\.messages import (?:\([^)]*|[^\n(]*)\b(?:say|say_count|mark)\b")
_WORD: Final = re.compile("[A-Za-z]{2}")
_SAID: Final = (
    *("summary", "meaning", "meaning_of_share", "unit", "range", "direction"),
    *("words", "promise", "untrue"),
)


def read_language(language: str) -> dict[Message, tuple[str, ...]]:
    """Return the translations of a language; those of a new one are none."""
    path = FOLDER / f"{language}.po"
    return read_catalogue(path.read_text(encoding="utf-8")) if path.exists() else {}


def format_catalogue(language: str, translated: Mapping[Message, tuple[str, ...]]) -> str:
    """Return the text of a catalogue: one line for each text, however long, so that two changes seldom meet."""
    said = f"Language: {language}\nContent-Type: text/plain; charset=utf-8\nPlural-Forms: {PLURALS[language]}\n"
    head = f'msgid ""\nmsgstr {_quote(said)}'
    return "\n\n".join([head, *(_format_entry(message, said) for message, said in translated.items())]) + "\n"


def _format_entry(message: Message, said: Iterable[str]) -> str:
    if isinstance(message, str):
        return "\n".join([f"msgid {_quote(message)}", *(f"msgstr {_quote(text)}" for text in said)])
    lines = [f"msgid {_quote(message[0])}", f"msgid_plural {_quote(message[1])}"]
    return "\n".join([*lines, *(f"msgstr[{number}] {_quote(text)}" for number, text in enumerate(said))])


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def update_catalogue(language: str) -> list[Message]:
    """Write the catalogue of a language anew, and return what is not translated yet."""
    known = read_language(language)
    translated = {
        message: known.get(message, ("",) if isinstance(message, str) else ("", "")) for message in list_messages()
    }
    (FOLDER / f"{language}.po").write_text(format_catalogue(language, translated), encoding="utf-8")
    return [message for message, said in translated.items() if not all(said)]


def main() -> int:
    """Update all catalogues."""
    for language in (path.stem for path in sorted(FOLDER.glob("*.po"))):
        lacking = update_catalogue(language)
        print(f"{language}: {len(lacking):,} of {len(list_messages()):,} sentences are not translated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
