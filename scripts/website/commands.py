"""Write the page of all commands and options from what the command line itself knows: docs/reference/commands.md.

Usage: python scripts/website/commands.py
"""

from __future__ import annotations

from pathlib import Path

from toolbox.cli.options.commands import COMMANDS, GROUPS, Command
from toolbox.config.values import Option

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
_HEAD = """\
# Commands and options

Every command with every option, as `toolbox COMMAND --help` lists them. Options work with one dash or two, in any case;
where a configuration says the same, the option wins. How they are used: [command_line.md](../command_line.md).
"""


def page() -> str:
    """Return the text of the page."""
    return "\n".join([_HEAD, *(_command(name, command) for name, command in COMMANDS.items())])


def _command(name: str, command: Command) -> str:
    usage = "\n".join(line.strip() for line in command.usage.splitlines())
    summary = command.description.partition("\n\n")[0].replace("\n", " ").strip()
    rows = [_row(option) for option in _in_groups(command.options)]
    table = ["| option | |", "|---|---|", *rows]
    return "\n".join([f"## toolbox {name}\n", f"{_escaped(summary)}\n", f"```\n{usage}\n```\n", *table, ""])


def _in_groups(options: tuple[Option, ...]) -> list[Option]:
    order = list(GROUPS)
    return sorted(options, key=lambda option: order.index(option.group) if option.group in order else len(order))


def _row(option: Option) -> str:
    flags = ", ".join(f"`{flag}`" for flag in option.flags)
    value = f" {_escaped(option.metavar)}" if option.metavar else ""
    return f"| {flags}{value} | {_escaped(option.help)} |"


def _escaped(text: str) -> str:
    """Return a text that a cell of a table shows as it is."""
    for sign in ("|", "<", "*", "_"):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("%%", "%")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
