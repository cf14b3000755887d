"""Everything has its place in the pages: each command, option, method, model, metric, error and public name."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from helpers.sources import MODULES, nodes_of, read

import toolbox
import toolbox.hierarchies
from toolbox.report.runs.installed import build_installed_document
from toolbox.treatments.treatment import list_treatment_names

TOP = Path(__file__).parents[1]
DOCS = TOP / "docs"
_ENTRIES = re.compile(r'^\[project\.entry-points\."toolbox\.(\w+)"\]\n((?:.+\n)+)', flags=re.MULTILINE)
_ENTRY = re.compile(r'^([\w-]+) = "([\w.:]+)"$', flags=re.MULTILINE)
_HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)
_ROW = re.compile(r"^\| \[[^\]]+\]\((\w+\.md)\) \|", flags=re.MULTILINE)
_MESSAGE = re.compile(r"^\| ([^|]+?) \| [^|]+ \|$", flags=re.MULTILINE)
_NAME_OF_THE_REFERENCE = re.compile(r"^::: (toolbox[\w.]*)$", flags=re.MULTILINE)
_DOI = re.compile(r"doi:(\S+?)(?=[,;.]?(?:\s|$))")
FOLDERS = {"methods": "methods", "privacy_models": "models", "loss_metrics": "metrics"}
"""Of each group of entry points, the folder with its pages."""
WITH_ANOTHER = {
    **{"absolute-distance": "precision", "relative-distance": "precision"},
    **{"full-domain-precision": "precision", "generalisation-intensity": "precision", "granularity": "lm"},
    "normalised-conditional-entropy": "conditional_entropy",
    "weighted-non-uniform-entropy": "non_uniform_entropy",
    **{"discernibility-with-suppression": "discernibility", "arx-discernibility": "discernibility"},
    **{"number-of-classes": "classes", "number-of-combinations": "classes", "average-class-size": "classes"},
    **{"c-avg": "classes", "arx-average-class-size": "classes"},
    "normalised-classification-metric": "classification_metric",
    "classification-metric-with-suppression": "classification_metric",
    "normalised-classification-metric-with-suppression": "classification_metric",
    "suppressed-share": "suppressed_records",
    **{"OLA": "flash", "MinGen": "flash", "LocalRecoding": "local_recoding"},
    **{f"{form}-l-diversity": "l_diversity" for form in ("distinct", "entropy", "recursive")},
    "p-sensitive-k-anonymity": "l_diversity",
    **{"basic-beta-likeness": "beta_likeness", "enhanced-beta-likeness": "beta_likeness"},
    **dict.fromkeys(("average-risk", "sample-uniqueness", "population-uniqueness"), "whole_release"),
}
"""What are forms of one another have one page, as a reader asks for what they do."""
PROMISES = ["What it promises", "What it does not promise", "When to use it", "Parameters", "Example", "Reference"]
SECTIONS = {
    "methods": PROMISES,
    "models": PROMISES,
    "metrics": ["What it says", "What it does not say", *PROMISES[2:]],
}

TREATED_ALIKE = {"bottom": "top", "truncate": "round", "redact": "mask", "prefix": "mask"}
"""Treatments that differ in one word have one page."""
OF_TREATMENTS = ["Before and after", "What it promises", "What it does not promise", "Attack", "Source"]


def entries() -> dict[str, dict[str, str]]:
    """Return what the package installs, by group: the name of each entry point, and what it leads to."""
    text = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    return {group: dict(_ENTRY.findall(lines)) for group, lines in _ENTRIES.findall(text) if group in FOLDERS}


def page_of(group: str, entry: str) -> Path:
    """Return the page of an entry point: local_recoding.md, k_anonymity.md."""
    name = WITH_ANOTHER.get(entry, entry.replace("-", "_").lower())
    return DOCS / FOLDERS[group] / f"{name}.md"


def described(group: str, entry: str) -> dict[str, Any]:
    """Return what `toolbox methods --json` says of an entry point."""
    key = {"loss_metrics": "metrics"}.get(group, group)
    module, _, name = entries()[group][entry].partition(":")
    name = getattr(importlib.import_module(module), name).name
    (found,) = (item for item in build_installed_document()[key] if item["name"] == name)
    return dict(found)


def test_what_is_installed_is_seen() -> None:
    assert {group: len(found) for group, found in entries().items()} == {
        "methods": 11,
        "privacy_models": 17,
        "loss_metrics": 27,
    }


@pytest.mark.slow
@pytest.mark.parametrize("group", FOLDERS)
def test_each_method_model_and_metric_has_a_page_with_all_sections(group: str) -> None:
    assert {entry: found for entry in entries()[group] if (found := lacking(group, entry))} == {}


def lacking(group: str, entry: str) -> list[str]:
    """Return what the page of an entry point lacks."""
    if not page_of(group, entry).exists():
        return [page_of(group, entry).name]
    text = page_of(group, entry).read_text(encoding="utf-8")
    known = described(group, entry)
    sections = SECTIONS[FOLDERS[group]]
    named = set(re.findall(r"`(\w+)", text))
    return [
        *(["the sections, in their order"] if [h for h in _HEADING.findall(text) if h in sections] != sections else []),
        *(["an example"] if "\n```python\n>>> " not in text else []),
        *([known["name"]] if group == "loss_metrics" and known["name"] not in measured(text) else []),
        *(parameter["name"] for parameter in known["parameters"] if parameter["name"] not in named),
        *(set(_DOI.findall(known.get("reference") or "")) - set(_DOI.findall(text))),
    ]


def measured(text: str) -> set[str]:
    """Return the metrics that the example of a page measures, by the names between quotation marks."""
    return {*(found := re.findall(r'"([^"\n]+)"', text)), *(f"normalised {name}" for name in found)}


def test_the_index_of_the_methods_lists_each_of_their_pages_once() -> None:
    folder = DOCS / "methods"
    listed = _ROW.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted({page_of("methods", entry).name for entry in entries()["methods"]})
    assert {path.name for path in folder.glob("*.md")} == {*listed, "README.md"}


@pytest.mark.parametrize(
    ("group", "page"), [("privacy_models", "privacy_models.md"), ("loss_metrics", "loss_metrics.md")]
)
def test_each_model_and_metric_stands_once_in_the_table_beside_its_page(group: str, page: str) -> None:
    folder = FOLDERS[group]
    row = re.compile(rf"^\| \[`?([^\]`]+)`?\]\({folder}/(\w+\.md)\) \|", re.MULTILINE)
    table = row.findall((DOCS / page).read_text("utf-8"))
    known = {entry: described(group, entry)["name"] for entry in entries()[group]}
    assert sorted(table) == sorted((name, page_of(group, entry).name) for entry, name in known.items())
    assert {path.name for path in (DOCS / folder).glob("*.md")} == {page for _, page in table}


def test_each_treatment_has_a_page_with_all_sections_and_stands_once_in_the_index() -> None:
    folder = DOCS / "treatments"
    names = [name for name in list_treatment_names() if name not in ("pass", "drop", "escape")]
    pages = {name: f"{TREATED_ALIKE.get(name, name)}.md" for name in names}
    assert sorted(_ROW.findall((folder / "README.md").read_text(encoding="utf-8"))) == sorted(pages.values())
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md") if path.name != "README.md"}
    assert texts.keys() == {*pages.values()}
    assert [name for name, page in pages.items() if f"`{name}" not in texts[page]] == []
    assert {page: found for page, text in texts.items() if (found := _HEADING.findall(text)) != OF_TREATMENTS} == {}


def test_each_public_name_stands_once_in_the_reference() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md")]
    named = [name for text in texts for name in _NAME_OF_THE_REFERENCE.findall(text)]
    assert sorted(named) == sorted(["toolbox.hierarchies", *(f"toolbox.{name}" for name in toolbox.__all__)])


def test_each_error_has_its_place_in_the_catalogue() -> None:
    headings = _HEADING.findall((DOCS / "errors.md").read_text(encoding="utf-8"))
    errors = {name for name in toolbox.__all__ if name.endswith("Error")} - {"ToolboxError", "UsageError"}
    assert errors <= set(headings)


@pytest.mark.slow
def test_the_messages_of_the_catalogue_are_those_of_the_program() -> None:
    """Each row of the catalogue shows the fixed words of a message, and three dots for all else."""
    said = words_of_the_program()
    rows = [row for row in _MESSAGE.findall((DOCS / "errors.md").read_text(encoding="utf-8")) if row != "the message"]
    shown = {part.strip(" .:,") for row in rows for part in re.split(r"\.\.\.|, \.\.", row)}
    assert len(rows) > 30
    assert [words for words in sorted(shown) if len(words) > 3 and not any(words in text for text in said)] == []


def words_of_the_program() -> list[str]:
    """Return every text in the code of the package, with gaps where something is put in."""
    found = []
    for node in (node for module in MODULES for node in nodes_of(read(module))):
        if isinstance(node, ast.JoinedStr):
            found.append("".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


def test_the_page_of_all_commands_and_options_is_what_the_command_line_knows() -> None:
    """If it is not: python scripts/website/commands.py."""
    commands = _script("commands")
    assert commands.PAGE.read_text(encoding="utf-8") == commands.page()


def test_the_navigation_names_each_page_once() -> None:
    navigation = (TOP / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"- (?:[\w ]+: )?([\w/]+\.md|\w+/)$", navigation, flags=re.MULTILINE)
    folders = {name for name in named if name.endswith("/")}
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    single = {page for page in pages if not any(page.startswith(folder) for folder in folders)}
    assert len(named) == len(set(named))
    assert {name for name in named if not name.startswith("top/")} - folders == single


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOP / "scripts" / "website" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Links on the site


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install -e '.[docs]'")
    return _script("hooks")


@pytest.mark.parametrize(
    ("source", "link", "leads_to"),
    [
        ("docs/app.md", "report.md", "docs/report.md"),
        ("docs/models/k_map.md", "../which_k.md", "docs/which_k.md"),
        ("docs/models/k_map.md", "../../SECURITY.md", "SECURITY.md"),
        ("README.md", "docs/app.md", "docs/app.md"),
        ("docs/app.md", "https://example.org/a.md", None),
        ("docs/app.md", "../../elsewhere.md", None),
    ],
)
def test_a_link_leads_to_a_file_of_the_project(hooks: ModuleType, source: str, link: str, leads_to: str | None) -> None:
    assert hooks.leads_to(source, link) == leads_to


def test_a_page_that_loads_from_elsewhere_is_found_and_links_are_not(hooks: ModuleType) -> None:
    page = "<a href='https://example.org'>x</a><link rel=canonical href=https://example.org><script src=bundle.js></script>"
    assert hooks.foreign(page) == []
    for tag in (
        '<script defer src="https://a.org/x.js">',
        "<img src=//a.org/x.png>",
        "<link rel=stylesheet href='http://a.org'>",
    ):
        assert len(hooks.foreign(page + tag)) == 1
