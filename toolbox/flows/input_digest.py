"""The checksum of the input that a summary shows, if the configuration asks for one."""

from __future__ import annotations

from toolbox.config.model import Output
from toolbox.errors import UsageError
from toolbox.release.checksum import BackgroundChecksum
from toolbox.store.inputs import InputFiles
from toolbox.store.key import derived_key


def digest_key(output: Output) -> bytes | None:
    """Return the user's key if the checksum needs it; called before anything is read.

    Raises
    ------
    UsageError
        If the user has no key, and none can be kept.
    """
    if output.input_digest != "keyed":
        return None
    key = derived_key("input digest")
    if key is None:
        raise UsageError(
            "--input-digest keyed needs a key, and none can be kept: see that ~/.local/state/toolbox, or the folder "
            "toolbox in $XDG_STATE_HOME, is yours alone. Or write --input-digest none."
        )
    return key


def input_checksum(output: Output, files: InputFiles | None, key: bytes | None) -> BackgroundChecksum | None:
    """Start to compute the checksum in the background; return None if there are no files or no checksum is wanted."""
    if files is None or output.input_digest == "none":
        return None
    return BackgroundChecksum(files.paths, key)
