"""What a page says: its tree, its words, and its tables, whatever the markup around them."""

from __future__ import annotations

from xml.etree import ElementTree


def tree(page: str) -> ElementTree.Element:
    """Return the body of a page, or a part of one; every element of ours is closed."""
    start, end = page.find("<main>"), page.find("</main>")
    return ElementTree.fromstring(page if start < 0 else page[start : end + len("</main>")])


def words(page: str) -> str:
    """Return all that it says, with single blanks; of pictures what each mark says, not their axes."""
    return " ".join(_words(tree(page)).split())


def _words(element: ElementTree.Element) -> str:
    if element.tag == "svg":
        return " ".join(mark.text or "" for mark in element.findall("g/title")) + " " + (element.tail or "")
    inner = [element.text or "", *map(_words, element), " "]
    return "".join(inner) + (element.tail or "")


def rows(page: str) -> list[list[str]]:
    """Return the rows of all its tables, as texts."""
    return [["".join(cell.itertext()) for cell in row] for row in tree(page).iter("tr")]


def figures(page: str) -> list[object]:
    """Return all that its tables and its pictures say."""
    return [*rows(page), *(mark.text for mark in tree(page).iter("title"))]
