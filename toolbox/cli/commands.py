"""The commands of the program: what each takes, and what its help says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from toolbox.cli.options import ANONYMIZE, CHECK, COMMON, COMPARE, DETECT, MEASURE, RISK, SINGLETONS, Option

_EXIT_STATUS = """\
Exit status: 0 done; 2 the command line or the configuration is wrong; 3 the requirement cannot be met;
4 the input data is wrong or unreadable; 130 interrupted. On any other status than 0 no file is written.
"""
_JUDGED = """\
Generalised values of any program are understood: [20:30), (20, 30], 20-29, <=50, 20~29, {a,b}, a~b, 130**, *, and the
labels of the hierarchies that you declare.
"""
_EXAMPLES = """\
  toolbox -config census.xml                            run a configuration
  toolbox -method Datafly -config census.xml -k 5       the same with another method and another k
  toolbox check release.csv -config census.xml          is it anonymous? any table, made by any program
  toolbox measure data.csv release.csv -config ..       what did it cost?
  toolbox risk release.csv -config census.xml           who is still at risk?
  toolbox detect data.csv                               which columns identify people?
  toolbox singletons data.csv -config ..                how little must change for those who stand out?
  toolbox compare census.xml -k 3,5,10                  which method, and which k?
  toolbox methods                                       list what is installed
"""
DEFAULT_CONFIG = "config.xml"
"""The configuration that is run where none is named."""
SHORT_HELP = f"""\
Publish personal data safely:

{_EXAMPLES}
All options: toolbox --help, and behind any command --help."""
"""What somebody is told who writes the name of the program alone."""
GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "original": "what to do (each overrides the configuration)",
        "question": "the columns",
        "models": "privacy models",
        "metrics": "metrics",
        "attackers": "what attackers know",
        "variants": "ways to generalise",
        "compared": "what to compare",
        "measured": "by what",
        "release": "the release",
        "method": "settings of methods",
        "engine": "databases and clusters",
        "machine": "the machine",
        "output": "what to print",
    }
)
"""Titles of the groups of options, in the order of the help."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command."""

    usage: str
    description: str
    options: tuple[Option, ...]
    files: tuple[str, ...] = ()
    """Names of the files that it takes without an option, as the help shows them."""
    epilog: str = ""


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "anonymize": Command(
            usage="toolbox [-config FILE] [options]\n"
            "       toolbox check|measure|risk|detect|singletons|compare|methods --help",
            description=f"""\
Publish personal data safely: read a table, generalise its quasi-identifiers until every record hides among k,
prove it, and write the release.

{_EXAMPLES}""",
            options=(*ANONYMIZE, *COMMON),
            epilog=_EXIT_STATUS,
        ),
        "check": Command(
            usage="toolbox check [RELEASE] -config FILE | --qi NAMES [--sensitive NAMES] [options]",
            description="""\
Is it anonymous? Measure every privacy model on a release, made by any program; fail if a required one does not hold.

  toolbox check release.csv -config census.xml          what the configuration requires, and all else
  toolbox check release.csv --qi age,zip --sensitive illness -k 5
""",
            options=(*CHECK, *COMMON),
            files=("RELEASE",),
            epilog=_JUDGED + "Exit status: 3 if a required model does not hold; otherwise as for toolbox --help.\n",
        ),
        "measure": Command(
            usage="toolbox measure [ORIGINAL RELEASE] -config FILE | --qi NAMES [options]",
            description="""\
What did it cost? Measure the information that a release has lost, by every metric of the literature.

  toolbox measure census.csv release.csv -config census.xml
  toolbox measure people.csv release.csv --qi age,zip --hierarchy zip=zip.csv --weight age=2
""",
            options=(*MEASURE, *COMMON),
            files=("ORIGINAL", "RELEASE"),
            epilog=_JUDGED,
        ),
        "risk": Command(
            usage="toolbox risk [RELEASE] -config FILE | --qi NAMES [--original FILE] [options]",
            description="""\
Who is still at risk? Risks by class, among a population, and by the released records that fit each original person.

  toolbox risk release.csv -config census.xml --original census.csv
  toolbox risk release.csv --qi age,zip --population town.csv --threshold 0.1
""",
            options=(*RISK, *COMMON),
            files=("RELEASE",),
            epilog=_JUDGED,
        ),
        "detect": Command(
            usage="toolbox detect DATA [options]",
            description="""\
Which columns identify people? Find identifiers, and elect the quasi-identifier: the columns with most singletons,
records that no other agrees with, then the fewest of them.

  toolbox detect people.csv                             all columns
  toolbox detect people.csv --columns born,town,sex     those that an attacker could know
  toolbox detect people.csv --exclude notes --max-columns 3 --plot singletons.svg
""",
            options=(*DETECT, *COMMON),
            files=("DATA",),
        ),
        "singletons": Command(
            usage="toolbox singletons [DATA] -config FILE | --qi NAMES [options]",
            description="""\
How little must change for the people who stand out? Compare all ways to generalise the quasi-identifiers, in all
records or only in those that no other agrees with, and elect the one that leaves fewest of them, then changes fewest.

  toolbox singletons people.csv --qi born,town,sex --hierarchy town=towns.csv
  toolbox singletons -config census.xml --scope local --rule age=ranges

Rules: parent (level 1 of the hierarchy) and any (its root); of numbers also ranges (of four distinct values),
row-ranges (of at least k records), and the centroids middles, medians and means.
""",
            options=(*SINGLETONS, *COMMON),
            files=("DATA",),
        ),
        "compare": Command(
            usage="toolbox compare CONFIG|DATA [--qi NAMES] [options]",
            description="""\
Which method, and which k? Read a table once, run every method under every requirement, prove each run, and say what it
loses and whom it leaves at risk, the best first. Nothing is released.

  toolbox compare census.xml -k 3,5,10                            every installed method
  toolbox compare census.xml -k 3,5,10 --methods Mondrian,Datafly,LocalRecoding --by precision
  toolbox compare people.csv --qi born,town --hierarchy town=towns.csv -k 5 --plot risk_against_loss.svg

What cannot be done, for lack of a hierarchy or since no release satisfies the requirement, is a row that says why.
A release is a run of its own: toolbox -config census.xml -method Mondrian -k 5.
""",
            options=(*COMPARE, *COMMON),
            files=("SOURCE",),
            epilog="Exit status: 3 if nothing could be done; otherwise as for toolbox --help.\n",
        ),
        "methods": Command(
            usage="toolbox methods [--json]",
            description="List the installed methods, privacy models and loss metrics.",
            options=COMMON,
        ),
    }
)
