"""What the engine may reach: the store's folder, and the files that it was shown before its first statement."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolbox.errors import InputError
from toolbox.store.engine.statements import Configure

# What the store itself changes while it is at work; none of them leads to a file.
_CHANGEABLE: Final = (
    "disabled_optimizers",
    "enable_progress_bar",
    "enable_progress_bar_print",
    "memory_limit",
    "threads",
    "TimeZone",
)


class Gate:
    """Lets the engine reach one folder and some files, and nothing else once it is shut.

    Parameters
    ----------
    folder : Path
        Where the engine may read and write any file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._expected: set[str] = set()
        self.is_open = True

    def expect(self, file: Path) -> bool:
        """Allow the engine to read a file; return False if its name is no valid text, which the engine cannot open.

        What lies in the folder itself it may read also behind a shut gate; a link in it counts as the file it leads to.

        Raises
        ------
        InputError
            If the gate is shut, and the file was not expected.
        """
        if file.resolve().is_relative_to(self._folder.resolve()):
            return True
        target = str(file.resolve())
        try:
            target.encode()
        except UnicodeEncodeError:
            return False
        if not self.is_open and target not in self._expected:
            raise InputError(f"{target} was not there when reading began. Run again when nothing writes beside it.")
        self._expected.add(target)
        return True

    def admit(self, link: Path) -> None:
        """Allow the engine to read a file, or a link to a file, in the folder.

        Raises
        ------
        InputError
            If the gate is shut, and the file was not expected.
        """
        if link.is_symlink() and not self.expect(link):
            target = link.resolve()
            link.unlink()
            shutil.copyfile(target, link)

    def shut(self) -> Sequence[Configure]:
        """Return the statements after which no statement can open the gate again."""
        self.is_open = False
        folders = dict.fromkeys((str(self._folder), str(self._folder.resolve())))
        return [
            Configure("allowed_directories", list(folders)),
            Configure("allowed_paths", sorted(self._expected)),
            Configure("enable_external_access", False),
            Configure("allowed_configs", _CHANGEABLE),
            Configure("lock_configuration", True),
        ]
