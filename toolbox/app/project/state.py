"""The workplace: what one start of the application has open, and for which folder."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from toolbox import Project
from toolbox.app.children.profile_cache import Looks
from toolbox.app.children.project_session import Work
from toolbox.app.children.runs import NextTable
from toolbox.app.project.files import Reach, find_project_folder
from toolbox.app.project.open_project import OpenProject
from toolbox.errors import UsageError
from toolbox.messages import say


class Workplace:
    """What one start of the application has open. Only the thread of the event loop uses it.

    Parameters
    ----------
    root : path
        Files are looked for below it, and nowhere else.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._reach = Reach(root)
        self.current: OpenProject | None = None
        """The project that is open. What goes on keeps the one that it has begun with."""
        self.notice = ""
        """What the next page says at its top, once."""
        self.language = ""
        """What somebody has chosen on a page; empty: what the browser asks for."""
        self.touched = time.monotonic()
        """When somebody last asked for something."""
        self.is_ending = False
        self.looks = Looks()
        """What was found out of tables before any session."""
        self.next = NextTable()
        """Next month's table, beside whatever project is open."""
        self._opening = asyncio.Lock()

    async def open(self, source: Path, *, is_of_owner: bool = False) -> None:
        """Open a configuration, or make a project of a table, in a folder beside it.

        Parameters
        ----------
        source : path
        is_of_owner : bool
            Whether the command line names it: then the files that a configuration names may be anywhere.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        if source.suffix.lower() == ".xml":
            if is_of_owner:
                self._reach.grant(Project.open(source).find_named_files())
            await self.open_project(source)
        else:
            await self.open_file(source, find_project_folder(self.root, source))

    async def open_project(self, xml: Path) -> None:
        """Open a configuration, with what was undone and tried there.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        await self._replace(await asyncio.to_thread(Project.open, xml), say("Opened %(name)s", name=xml.name))

    async def open_file(self, data: Path, folder: Path) -> None:
        """Make a project of a table, in a folder; or go on with the one that is there.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        if (folder / "project.xml").exists():
            await self.open_project(folder / "project.xml")
            return
        await self._replace(
            await asyncio.to_thread(Project.of_file, data, folder), say("Opened %(name)s", name=data.name)
        )

    async def look_at_next(self, named: Path, table: Path) -> None:
        """Begin to look at next month's table beside a saved recoding or a project.

        Raises
        ------
        ToolboxError
            If the project names files that no page could name, or something is at work.
        """
        if named.suffix.lower() == ".xml":
            self._reach.require(await asyncio.to_thread(Project.open, named))
        self.next.look(named, table)

    async def _replace(self, project: Project, words: str) -> None:
        self._reach.require(project)
        async with self._opening:
            if self.current is not None:
                # What is at work belongs to it: it does not go on unseen.
                await self.current.close()
            self.current = OpenProject(project, self._reach, words)
        self.notice = self.current.notice or self.notice

    def opened(self) -> OpenProject:
        """Return the project that is open.

        Raises
        ------
        UsageError
            If none is.
        """
        return require_project(self.current)

    @property
    def works(self) -> list[Work]:
        """What is at work."""
        return [] if self.current is None else self.current.works

    async def close(self) -> None:
        """End all processes; nothing of them is left."""
        if self.current is not None:
            await self.current.close()
        await self.next.cancel()
        await self.looks.close()


def require_project(current: OpenProject | None) -> OpenProject:
    """Return the project, where one is open.

    Raises
    ------
    UsageError
        If none is.
    """
    if current is None:
        raise UsageError(say("No project is open. Begin with step 1, Data."))
    return current
