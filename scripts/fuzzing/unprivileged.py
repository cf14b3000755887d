"""From root to a user who may write nowhere but in folders of its own: what is hostile must not reach the system."""

from __future__ import annotations

import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from pkgutil import iter_modules, walk_packages

_NOBODY = 65534
_TABLE = "a,b,c\n" + "".join(f"{number % 3},{'xy'[number % 2]},{number}\n" for number in range(12))
_CONFIGURATION = """<config k='2'><input filename='in.csv' header='true' encoding='latin-1'/>
<output filename='out.parquet'/><qid><att name='a'/><att name='b' type='category'/></qid></config>"""


def give_up_root(kept: Path | None) -> None:
    """Become nobody, for good, if this process is root's; a folder whose files are to be kept becomes nobody's too."""
    if os.geteuid() != 0:
        return
    _import_all()
    if kept is not None:
        os.chown(kept, _NOBODY, _NOBODY)
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)
    # Nobody may not be allowed to look into the folder where root was.
    os.chdir("/")


def _import_all() -> None:
    """Import while that is possible: the interpreter may lie where only root may read."""
    import encodings

    import toolbox

    for module in [
        *iter_modules(encodings.__path__, "encodings."),
        *walk_packages(toolbox.__path__, "toolbox."),
    ]:
        # Those of another system, or of an extra.
        with suppress(ImportError):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    _run_once()


def _run_once() -> None:
    """Run what is harmless, because libraries import some of their own modules when they are first used."""
    from toolbox.cli.main import main

    with tempfile.TemporaryDirectory() as name, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        folder = Path(name)
        (folder / "in.csv").write_text(_TABLE)
        (folder / "config.xml").write_text(_CONFIGURATION)
        main(["-config", str(folder / "config.xml"), "-method", "LocalRecoding"])
        main(["detect", str(folder / "in.csv")])
