"""Measure the application on a million records, in a real browser: the figures that it promises.

    python scripts/bench_app.py                        a table in Markdown
    python scripts/bench_app.py --records 5000 --times 3

Needs playwright and Debian's chromium. Each figure is a median; those of the browser are by its own clock, from the
input or the navigation to the finished page. Other work of the machine is in them.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, run
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

from measure import measure

ROOT = Path(__file__).parents[1]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
EXTRA = ("starlette", "uvicorn", "jinja2", "python-multipart")
"""What the extra ``app`` names."""
_ACTIVE = re.compile(r"<(?:script|link|img|iframe|object|embed)\b|@import|url\((?!#)|\bsrc=")
_NAME = re.compile(r"[\w.-]+")
SLIDES = """async k => {
    const slider = document.getElementById("k"), begun = performance.now();
    slider.value = k;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    while (!document.querySelector("#found .lead").textContent.includes(`k = ${k}.`)) {
        await new Promise(done => requestAnimationFrame(done));
    }
    return performance.now() - begun;
}"""
LOADED = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


@dataclass(frozen=True)
class Figure:
    """One figure, and what it may be."""

    name: str
    value: float
    unit: str
    most: float

    def row(self) -> str:
        """Return a row of a table in Markdown."""
        shown = f"{self.value:,.0f}" if self.unit in ("ms", "MB", "KB", "") else f"{self.value:,.1f}"
        verdict = "" if self.value <= self.most else " **more**"
        return f"| {self.name} | {shown} {self.unit}{verdict} | {self.most:g} {self.unit} |"


def installed() -> Iterator[Figure]:
    """Measure what the extra adds."""
    found, waiting = set[str](), list(EXTRA)
    while waiting:
        name = waiting.pop()
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # of another system, or another Python
        if name not in found:
            found.add(name)
            waiting += [match[0].lower() for each in needed if "extra ==" not in each and (match := _NAME.match(each))]
    files = [file.locate() for name in found for file in distribution(name).files or () if file.suffix != ".pyc"]
    sizes = [Path(str(file)).stat().st_size for file in files if Path(str(file)).exists()]
    yield Figure("extra installed: size", sum(sizes) / 1e6, "MB", 5)
    yield Figure("extra installed: packages", len(found), "", 12)


@contextmanager
def started(config: Path) -> Iterator[tuple[Popen[str], str]]:
    """Start the application on a configuration; yield its process and its address."""
    words = [sys.executable, "-m", "toolbox", "app", str(config), "--no-browser"]
    process = Popen(words, cwd=config.parent, stdout=PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def first_answers(config: Path, times: int) -> Iterator[Figure]:
    """Start it several times, each until it has answered."""
    walls, cpus = [], []
    for _ in range(times):
        begun = time.perf_counter()
        with started(config) as (process, address):
            # The token becomes a cookie.
            opener = build_opener(HTTPCookieProcessor())
            opener.addheaders = [("Sec-Fetch-Site", "none")]  # as a browser whose user has typed it
            with opener.open(address) as answer:
                answer.read()
            walls.append(time.perf_counter() - begun)
            fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            cpus.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    yield Figure("start to first answer: wall", median(walls), "s", 1.5)
    yield Figure("start to first answer: CPU", median(cpus), "s", 1.0)


def report(config: Path) -> Iterator[Figure]:
    """Measure the page for people that a run writes beside its release."""
    page = config.with_name("report.html")
    words = [sys.executable, "-m", "toolbox", "-config", str(config), "-output", str(config.with_name("out.csv"))]
    plain, told = (measure([*words, *more]).cpu_seconds for more in ([], ["--html", str(page)]))
    text = page.read_text(encoding="utf-8")
    yield Figure("report: size", len(text.encode()) / 1e3, "KB", 300)
    yield Figure("report: CPU, beside that of the run", max(0.0, told - plain), "s", 1)
    yield Figure("report: scripts and requests", len(_ACTIVE.findall(text)), "", 0)


class Visit:
    """A browser that looks at a running application."""

    def __init__(self, page: Any, address: str, process: Popen[str], times: int) -> None:
        self.page, self.process, self.times = page, process, times
        parts = urlsplit(address)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._address = address

    def figures(self) -> Iterator[Figure]:
        """Measure one after the other what people wait for."""
        yield from self._first_page()
        yield from self._opened()
        yield Figure("slider to new histogram", self._slides(), "ms", 150)
        self.page.goto(f"{self.origin}/judge")
        self.page.locator("form[action='/judge/release'] .actions button").click()
        self.page.goto(f"{self.origin}/risk")
        yield Figure("the same while a release is made", self._slides(), "ms", 300)
        yield from self._previews()
        yield from self._cancelled()
        yield from self._pages()
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        yield Figure("web process: memory at most", int(peak.split()[1]) / 1e3, "MB", 150)

    def _first_page(self) -> Iterator[Figure]:
        sizes: list[int] = []

        def note(request: Any) -> None:
            size = request.sizes()
            sizes.append(size["responseBodySize"] + size["responseHeadersSize"])

        self.page.on("requestfinished", note)
        self.page.goto(self._address, wait_until="networkidle")
        self.page.remove_listener("requestfinished", note)
        yield Figure("first page: requests", len(sizes), "", 6)
        yield Figure("first page: bytes", sum(sizes) / 1e3, "KB", 150)

    def _opened(self) -> Iterator[Figure]:
        begun = time.perf_counter()
        self.page.goto(f"{self.origin}/risk")
        self.page.locator("#found .lead").wait_for(timeout=120_000)
        yield Figure("open, to step 3", time.perf_counter() - begun, "s", 8)

    def _slides(self) -> float:
        self.page.evaluate(SLIDES, 50)
        return median(float(self.page.evaluate(SLIDES, 6 + number % 90)) for number in range(self.times))

    def _previews(self) -> Iterator[Figure]:
        for method in ("Datafly", "Mondrian"):
            self.page.goto(f"{self.origin}/protect")
            self.page.get_by_label("Most records that may be suppressed").fill("5%" if method == "Datafly" else "")
            self.page.locator(f"#method-{method}").check()
            seconds = []
            for number in range(1, min(self.times, 5) + 1):
                begun = time.perf_counter()
                self.page.locator("#preview").click()
                self.page.locator("#tried tbody tr", has_text=method).nth(number - 1).wait_for(timeout=60_000)
                seconds.append(time.perf_counter() - begun)
            yield Figure(f"preview {method}, with proof", median(seconds), "s", 2)

    def _cancelled(self) -> Iterator[Figure]:
        seconds = []
        self.page.goto(f"{self.origin}/protect")
        self.page.locator("#method-LocalRecoding").check()
        for _ in range(min(self.times, 5)):
            self.page.locator("#preview").click()
            self.page.get_by_role("button", name="Cancel").wait_for()
            time.sleep(0.7)
            begun = time.perf_counter()
            self.page.get_by_role("button", name="Cancel").click()
            self.page.get_by_text("Cancelled.").wait_for()
            seconds.append(time.perf_counter() - begun)
        yield Figure("Cancel to cancelled (LocalRecoding)", median(seconds), "s", 2)

    def _pages(self) -> Iterator[Figure]:
        columns = ("age", "sex", "race", "education", "workclass", "occupation", "native-country", "salary-class")
        yield Figure("next page", self._loads(lambda number: f"page={number + 2}"), "ms", 100)
        sorts = self._loads(lambda number: f"sort={columns[number % len(columns)]}")
        yield Figure("sort by another column", sorts, "ms", 300)
        last = self._loads(lambda number: f"sort=age&page={15_000 - number}")
        yield Figure("page 15,000 of a sorted table", last, "ms", 300)

    def _loads(self, query: Callable[[int], str]) -> float:
        taken = []
        for number in range(self.times):
            self.page.goto(f"{self.origin}/look?{query(number)}", wait_until="domcontentloaded")
            taken.append(float(self.page.evaluate(LOADED)))
        return median(taken)


def measured(records: int, times: int) -> Iterator[Figure]:
    """Measure everything, in a folder that is gone afterwards."""
    from playwright.sync_api import sync_playwright

    yield from installed()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "configs", folder, dirs_exist_ok=True)
        table = folder / "census_5000.csv"
        words = [sys.executable, str(ROOT / "scripts/generate_census.py"), "--force", "--records", str(records)]
        run([*words, "--output", str(table)], check=True, capture_output=True)
        config = folder / "census_datafly.xml"
        yield from report(config)
        yield from first_answers(config, min(times, 5))
        with sync_playwright() as driver, started(config) as (process, address):
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
            yield from Visit(browser.new_page(), address, process, times).figures()
            browser.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the application in a browser.")
    parser.add_argument("--records", type=int, default=1_000_000, metavar="N", help="of the table (default: a million)")
    parser.add_argument("--times", type=int, default=20, metavar="N", help="of which the median is taken (default: 20)")
    options = parser.parse_args(arguments)
    if CHROMIUM is None:
        parser.error("no chromium is installed: apt install chromium")
    print("| | measured | at most |\n|---|---|---|")
    for figure in measured(options.records, options.times):
        print(figure.row(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
