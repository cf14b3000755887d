"""Reads configurations that a test writes out, and returns them or their faults."""

from pathlib import Path

import pytest
from lxml import etree

from toolbox.config.model import Config, MethodFacts
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import read_config
from toolbox.config.reading.requirements import OriginalParameters, choose_method, read_parameters
from toolbox.errors import ConfigurationError, Findings

METHODS = {
    "mondrian": MethodFacts(
        name="Mondrian",
        full_domain=False,
        settings={"cut": ("fallback", "classic"), "dimension": ("range", "distinct"), "note": ()},
    ),
    "datafly": MethodFacts(name="Datafly", full_domain=True, settings={}),
    "incognito_k": MethodFacts(name="Incognito_k", full_domain=True, settings={"order": ("up", "down")}),
}
METHODS["incognito"] = METHODS["incognito_k"]


class Desk:
    """A folder with a configuration, and the toolbox to read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, text: str | bytes, **options: object) -> Config:
        return read_config(self.write("config.xml", text), overrides=Overrides(**options), methods=METHODS)

    def parameters(self, attributes: str, **options: object) -> OriginalParameters:
        """Return the parameters of privacy that attributes of the root and options give."""
        root, overrides, findings = etree.fromstring(f"<config {attributes}/>"), Overrides(**options), Findings()
        method = choose_method(root, overrides, METHODS, findings)
        read = read_parameters(root, method, overrides, findings)
        assert findings.faults == []
        return read.original

    def faults(self, text: str | bytes, **options: object) -> list[str]:
        """Return what is reported, one text per fault, in the order of their lines."""
        with pytest.raises(ConfigurationError) as caught:
            self.read(text, **options)
        return [str(fault) for fault in caught.value.faults]

    def fault(self, text: str | bytes, **options: object) -> str:
        """Return the only fault."""
        (fault,) = self.faults(text, **options)
        return fault

    def with_qid(self, qid: str, *, method: str = "Mondrian", header: str = "") -> str:
        """Write the shortest configuration around some ``att`` elements, which begin in line 3."""
        return (
            f"<config method='{method}'><input filename='in.csv' {header}/>\n"
            f"<output filename='out.csv'/><qid>\n{qid}</qid></config>"
        )

    def with_root(self, attributes: str) -> str:
        """Write the shortest configuration with attributes at its root."""
        return (
            f"<config {attributes}><input filename='in.csv'/><output filename='out.csv'/>"
            "<qid><att index='0'/></qid></config>"
        )

    def with_input(self, attributes: str) -> str:
        """Write the shortest configuration with an ``input``."""
        return f"<config><input {attributes}/><output filename='out.csv'/><qid><att index='0'/></qid></config>"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
