"""Every link between the pages leads to a file and a heading that are there, and each page of docs/ is listed."""

import re
from collections import Counter
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
INDEX = TOP / "docs" / "README.md"
PAGES = [
    path.relative_to(TOP).as_posix() for path in (*sorted(TOP.glob("*.md")), *sorted((TOP / "docs").rglob("*.md")))
]
_FENCED = re.compile(r"^ *```.*?^ *```", flags=re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", flags=re.MULTILINE)
_SHOWN_BY_A_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NO_PART_OF_AN_ANCHOR = re.compile(r"[^\w\- ]")


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = [_SHOWN_BY_A_LINK.sub(r"\1", heading) for heading in _HEADING.findall(_FENCED.sub("", page))]
    plain = [_NO_PART_OF_AN_ANCHOR.sub("", heading.lower()).replace(" ", "-") for heading in headings]
    seen: Counter[str] = Counter()
    found = set()
    for anchor in plain:
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere; those to the web are not followed."""
    targets = [link for link in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))) if "://" not in link]
    return [target for target in targets if not _leads_somewhere(page, *target.partition("#")[::2])]


def _leads_somewhere(page: Path, file: str, anchor: str) -> bool:
    target = page.parent / file if file else page
    if not target.exists():
        return False
    return not anchor or anchor in anchors(target.read_text(encoding="utf-8"))


@pytest.mark.sampled(51)
@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    assert broken(TOP / page) == []


def test_each_page_of_the_docs_is_listed_once() -> None:
    listed = Counter(link for link in _LINK.findall(INDEX.read_text(encoding="utf-8")) if link.endswith(".md"))
    pages = {path.name for path in INDEX.parent.glob("*.md")} - {INDEX.name}
    assert {name for name in listed if "/" not in name} == pages
    assert set(listed.values()) == {1}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(
        "# A title: `x`, [linked](y.md) & more\n\n## Twice\n\n## Twice\n\n```\n# no heading\n```\n"
    )
    page = tmp_path / "page.md"
    right = "[a](other.md) [b](other.md#a-title-x-linked--more) [c](other.md#twice-1) [d](https://example.org/no.md) [e](#top)"
    wrong = "[f](no.md) [g](other.md#no-heading) [h](#nowhere) [i](other.md#twice-2)"
    page.write_text(f"# Top\n\n{right}\n{wrong}\n\n```\n[j](in_code.md)\n```\n")
    assert broken(page) == ["no.md", "other.md#no-heading", "#nowhere", "other.md#twice-2"]
