"""What mkdocs must know of this project: pages lie in docs/, and some links of theirs lead to files that do not.

A link to a file above docs/ leads on the site to a copy of it in the folder top/. The pages of the top (README.md,
CHANGELOG.md, ..) are pages of the site there. One link, one target: on the site, in a checkout and on a code host.
A page that would load anything from another machine is an error.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

TOP = Path(__file__).parents[2]
DOCS = TOP / "docs"
ABOVE = "top"
"""The folder of the site for what lies above docs/."""
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
# What a browser fetches by itself; links that somebody follows may lead anywhere.
_FETCHED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^\"'>\s]+")
_NO_REQUEST = re.compile(r"rel=[\"']?(?:canonical|next|prev)")
_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let a folder in the navigation stand for all of its pages, the index first."""
    config.nav = [_listed(entry) for entry in config.nav or []]
    return config


def _listed(entry: Any) -> Any:
    """Return an entry of the navigation with the pages of the folders that it names, below other entries too."""
    if isinstance(entry, dict):
        return {title: _listed(below) for title, below in entry.items()}
    if isinstance(entry, list):
        return [page for below in entry for page in ([_listed(below)] if isinstance(below, dict) else _pages(below))]
    return _pages(entry) if entry.endswith("/") else entry


def _pages(entry: str) -> list[str]:
    if not entry.endswith("/"):
        return [entry]
    names = {path.name for path in (DOCS / entry).glob("*.md")}
    return [entry + name for name in sorted(names, key=lambda name: (name != "README.md", name.lower()))]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the top, and each file above docs/ that a page links to."""
    for name in PAGES:
        files.append(File.generated(config, f"{ABOVE}/{name}", abs_src_path=str(TOP / name)))
    texts = [(home(file.src_uri), file.content_string) for file in files.documentation_pages()]
    for path in sorted({target for source, text in texts for target in targets(source, text)}):
        if (TOP / path).is_file() and site_uri(path) not in files.src_uris:
            files.append(File.generated(config, site_uri(path), abs_src_path=str(TOP / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let each link lead to where its target is on the site."""
    source = home(page.file.src_uri)

    def moved(found: re.Match[str]) -> str:
        target = leads_to(source, found[1])
        if target is None or not (TOP / target).exists():
            return found[1]
        # A site has no listings of folders.
        shown = site_uri(target) if (TOP / target).is_file() else "README.md"
        return posixpath.relpath(shown, posixpath.dirname(page.file.src_uri) or ".")

    return _LINK.sub(moved, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Stop where a page would load anything from elsewhere: who reads about privacy is not watched."""
    found = {path: foreign(path.read_text(encoding="utf-8")) for path in Path(config.site_dir).rglob("*.html")}
    if lines := [f"{path}: {tag}" for path, tags in found.items() for tag in tags]:
        raise PluginError("Pages load from elsewhere:\n" + "\n".join(lines))


def foreign(page: str) -> list[str]:
    """Return the tags of a page that make a browser ask another machine."""
    return [tag for tag in _FETCHED.findall(page) if not _NO_REQUEST.search(tag)]


def home(src_uri: str) -> str:
    """Return where a page of the site lies in the project."""
    above = f"{ABOVE}/"
    return src_uri.removeprefix(above) if src_uri.startswith(above) else f"docs/{src_uri}"


def site_uri(path: str) -> str:
    """Return where a file of the project lies on the site, before it is rendered."""
    # What begins with a dot is hidden, on a site too.
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{ABOVE}/{path.lstrip('.')}"


def leads_to(source: str, link: str) -> str | None:
    """Return the file of the project to which a link leads; None for the web and for a heading of the same page."""
    if "://" in link or link.startswith(("#", "/", "mailto:")):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    return None if target.startswith("..") else target


def targets(source: str, text: str) -> set[str]:
    """Return the files of the project above docs/ to which a page links."""
    found = {leads_to(source, link) for link in _LINK.findall(text)}
    return {target for target in found if target and not target.startswith("docs/")}
