"""What a benchmark ran on: the machine, and the versions of all that takes part."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "toolbox"
UNKNOWN = "unknown"
BUSY = 0.5
"""Load beyond which other programs disturb the wall times."""


def environment(cache: Path) -> dict[str, str]:
    """Describe everything that a figure depends on, except the program and its input.

    Parameters
    ----------
    cache : Path
        Where inputs and outputs lie; its disk is the one described.

    Returns
    -------
    dict of str to str
        Names as they stand on the page. Two runs can be compared if all values agree.
    """
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB",
        "disk": disk(cache),
        "system": f"{platform.system()} {platform.release()}, {distribution()}",
        "Python": platform.python_version(),
        "DuckDB": version("duckdb"),
        "toolbox": f"{version('anonymisation-toolbox')} (sources {sources()})",
    }


def warn_if_busy() -> float:
    """Return how many programs want a processor before ours start, and say so if they will disturb them."""
    load = os.getloadavg()[0]
    if load > BUSY:
        print(f"the machine is busy (load {load:.1f}): wall times will be too long", file=sys.stderr)
    return load


def processor() -> str:
    """Return the name of the processor as Linux knows it, or else as Python does."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine() or UNKNOWN


def disk(folder: Path) -> str:
    """Return the device of a folder, its file system and its kind, as far as Linux tells."""
    device = folder.stat().st_dev
    link = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
        # The queue of a partition is that of its disk.
        queues = [path / "queue" / "rotational" for path in (link.resolve(), link.resolve().parent)]
        flags = [queue.read_text().strip() for queue in queues if queue.exists()]
    except OSError:
        return UNKNOWN
    points = [(point, kind) for _, point, kind, *_ in mounts if folder.resolve().is_relative_to(point)]
    system = max(points, key=lambda mount: len(mount[0]))[1] if points else UNKNOWN
    # A virtual disk says that it turns, whatever lies beneath.
    virtual = link.resolve().name.startswith(("vd", "xvd"))
    kind = "virtual" if virtual else {"0": "solid state", "1": "turning"}.get("".join(flags[:1]), f"kind {UNKNOWN}")
    return f"{kind}, {system}"


def distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return UNKNOWN


def sources() -> str:
    """Give the package's sources a short name that changes with any of them: a version says too little in between."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:10]
