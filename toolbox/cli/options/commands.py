"""The commands of the program: what each takes, and what its help says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from toolbox.cli.options.options import (
    ANONYMIZE,
    APP,
    APPLY,
    CHECK,
    COMMON,
    COMPARE,
    DETECT,
    EXPERIMENT,
    HIERARCHY,
    INIT,
    MEASURE,
    REPORT,
    RISK,
    SAVED_RECODING,
    SINGLETONS,
)
from toolbox.config.values import Option

_EXIT_STATUS = """\
Exit status: 0 done; 2 the command line or the configuration is wrong; 3 the requirement cannot be met;
4 the input data is wrong or unreadable; 130 interrupted. With any other status than 0 no file is written.
"""
_JUDGED = """\
Generalised values of any program are understood: [20:30), (20, 30], 20-29, <=50, 20~29, {a,b}, a~b, 130**, *, and the
labels of the hierarchies that you declare.
"""
_EXAMPLES = """\
  toolbox anonymize people.csv --qi born,sex -k 5 ..    generalise, prove, release: the main job
  toolbox apply january.json february.csv -output ..    the next table, generalised like the last one
  toolbox check release.csv -config census.xml          is it anonymous? any table, made by any program
  toolbox measure data.csv release.csv -config ..       what did it cost?
  toolbox risk release.csv -config census.xml           who is still at risk?
  toolbox report release.csv -config census.xml         all of that on one page, for people
  toolbox init data.csv                                 which columns are what? writes a configuration that runs
  toolbox detect data.csv                               which columns identify people? then: toolbox singletons
  toolbox hierarchy check zip.csv data.csv --column zip look at, check, build and convert hierarchies
  toolbox compare census.xml -k 3,5,10                  which method, and which k?
  toolbox experiment study.toml                         a study: data x methods x models, measured and drawn
  toolbox app people.csv                                all of it in a browser of this machine
  toolbox methods                                       list what is installed
"""
DEFAULT_CONFIG = "config.xml"
"""The configuration that is run where none is named."""
ACTIONS = ("show", "check", "build", "import", "export")
"""What `hierarchy` does, by its first word."""
SHORT_HELP = f"""\
Publish personal data safely:

{_EXAMPLES}
All options: toolbox --help, and after any command --help."""
"""What somebody is told who writes the name of the program alone."""
GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "columns": "the columns (instead of a configuration, or beside it; options with names may be repeated)",
        "original": "what to do (each overrides the configuration)",
        "suggestion": "the configuration to write",
        "reading": "how the records are written",
        "hierarchy": "the hierarchy",
        "data": "the data beside it",
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
    many: str | None = None
    """What stands for any number of files that it takes without an option."""
    epilog: str = ""


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "anonymize": Command(
            usage="toolbox anonymize FILE.. --qi NAMES [--id NAMES] [--sensitive NAMES] -output FILE [options]\n"
            "       toolbox [-config FILE] [options]\n"
            "       toolbox apply|check|measure|risk|report|init|detect|singletons|compare|experiment|app|hierarchy"
            "|recoding|methods|completion --help",
            description=f"""\
Publish personal data safely: read a table, generalise its quasi-identifiers until every record hides among k records,
prove it, and write the release.

{_EXAMPLES}""",
            options=(*ANONYMIZE, *COMMON),
            many="FILE",
            epilog=_EXIT_STATUS,
        ),
        "apply": Command(
            usage="toolbox apply RECODING FILE.. -output FILE [options]",
            description="""\
The next table, generalised like the last one: nothing is searched, and labels stay what they were. Values that are new
go where their builder puts them, or to the widest value. Classes that are too small now become wider along the saved
tree, or are suppressed. All of it is proved anew, and what has changed is told.

  toolbox anonymize january.csv --qi born,sex -k 5 -output a.csv --save-recoding january.json
  toolbox apply january.json february.csv -output b.csv
  toolbox recoding show january.json                    what it says of each column
""",
            options=(*APPLY, *COMMON),
            files=("RECODING",),
            many="FILE",
            epilog=_EXIT_STATUS,
        ),
        "recoding": Command(
            usage="toolbox recoding show RECODING [--json]\n"
            "       toolbox recoding diff OLD NEW [--json]\n"
            "       toolbox recoding preview RECODING|CONFIG FILE [--save-recoding FILE] [--json]",
            description="""\
What does a saved recoding say? Look at one, compare two, or see what one would make of the next table: which columns
and values are new or gone, and which classes are too small now. Nothing is released.

  toolbox recoding show january.json
  toolbox recoding diff january.json february.json
  toolbox recoding preview january.json february.csv
  toolbox recoding preview project.xml february.csv --save-recoding january.json
""",
            options=(SAVED_RECODING, *COMMON),
            files=("ACTION", "RECODING", "NEW"),
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
  toolbox risk release.csv -config census.xml --original census.csv --matching
  toolbox risk release.csv --qi age,zip --population town.csv --threshold 0.1
""",
            options=(*RISK, *COMMON),
            files=("RELEASE",),
            epilog=_JUDGED,
        ),
        "report": Command(
            usage="toolbox report [RELEASE] -config FILE | --qi NAMES [--original FILE] [options]",
            description="""\
One page for people: what a release by any program protects, what it cost and who is still at risk. It is one file
without scripts, to print or to open offline. The internal page (default) may show facts about the original records;
the public page shows nothing that the release does not show.

  toolbox report release.csv -config census.xml
  toolbox report release.csv --qi age,zip --sensitive illness -k 5 --original people.csv --html release.html
  toolbox report release.csv --qi age,zip -k 5 --report-kind public --html public.html

A run writes the same page beside its release: toolbox -config census.xml --html report.html
""",
            options=(*REPORT, *COMMON),
            files=("RELEASE",),
            epilog=_JUDGED + "Exit status: 3 if a required model does not hold; otherwise as for toolbox --help.\n",
        ),
        "init": Command(
            usage="toolbox init DATA [-o FILE] [options]",
            description="""\
What is each column? Guess it from names, values and counts, and write a configuration that runs as it stands, with the
evidence beside each guess. On a terminal it asks, with the guess as the default. No guess releases a column that may
identify people.

  toolbox init people.csv                               writes people.xml
  toolbox -config people.xml                            runs it
""",
            options=(*INIT, *COMMON),
            files=("DATA",),
        ),
        "detect": Command(
            usage="toolbox detect DATA [options]",
            description="""\
Which columns identify people? Find identifiers, and elect the quasi-identifier: the columns with most singletons, and
of these the fewest columns. A singleton is a record that agrees with no other record.

  toolbox detect people.csv                             all columns, except those that clearly identify
  toolbox detect people.csv --all                       all columns
  toolbox detect people.csv --columns born,town,sex     those that an attacker could know
  toolbox detect people.csv --exclude notes --max-columns 3 --plot singletons.svg
  toolbox detect people.csv --suda 3 --sampling-fraction 0.01
                                                        also: which records do few values single out?
""",
            options=(*DETECT, *COMMON),
            files=("DATA",),
        ),
        "singletons": Command(
            usage="toolbox singletons [DATA] -config FILE | --qi NAMES [options]",
            description="""\
How little must change for the people who stand out? Compare all ways to generalise the quasi-identifiers, in all
records or only in those that stand out. Elect the way that leaves fewest of these, and of several the way that changes
fewest records.

  toolbox singletons people.csv --qi born,town,sex --hierarchy town=towns.csv
  toolbox singletons -config census.xml --scope local --rule age=ranges

Rules: parent (level 1 of the hierarchy) and any (its root); for numbers also ranges (of four distinct values),
row-ranges (of at least k records), and the centroids middles, medians and means.
""",
            options=(*SINGLETONS, *COMMON),
            files=("DATA",),
        ),
        "completion": Command(
            usage="toolbox completion bash|zsh|fish",
            description="""\
Print a script that completes commands, options and their values, and the columns of the table after --qi.

  source <(toolbox completion bash)                     now; for good, add the line to ~/.bashrc
  source <(toolbox completion zsh)                      the same in ~/.zshrc, below compinit
  toolbox completion fish > ~/.config/fish/completions/toolbox.fish
""",
            options=COMMON,
            files=("SHELL",),
        ),
        "hierarchy": Command(
            usage="toolbox hierarchy show|check|import|export FILE [DATA --column NAME] [options]\n"
            "       toolbox hierarchy build DATA BUILDER --column NAME [options]\n"
            "       toolbox hierarchy show|check|export -config FILE --column NAME [DATA] [options]",
            description="""\
Look at hierarchies, check, build and convert them.

show: the levels, and a picture of the tree; with DATA the records below each label
  toolbox hierarchy show zip.csv
  toolbox hierarchy show -config census.xml --column age --depth 2

check: is it what its author meant? with DATA, does it cover all values? fails with status 4 if there is a fault
  toolbox hierarchy check zip.csv people.csv --column zip
  toolbox hierarchy check -config census.xml --column age

build: what a builder makes of the values of a column
  toolbox hierarchy build people.csv prefix:3,1 --column zip -o zip.csv
  toolbox hierarchy build people.csv intervals:5,10,20:top=90 --column age

import: any notation becomes a table that --hierarchy and <vgh file=''/> take; of rules, a file for each level
  toolbox hierarchy import places.csv --from child-parent -o towns.csv
  toolbox hierarchy import age_1.txt age_2.txt -o age.csv

export: a hierarchy in the notation of another program
  toolbox hierarchy export zip.csv --to rules -o zip.txt
  toolbox hierarchy export -config census.xml --column age --to utd
""",
            options=(*HIERARCHY, *COMMON),
            files=("ACTION",),
            many="FILE",
            epilog="""\
Notations: arx, a row per value with its label on each level: 8010;80**;8***;*
utd, the <vgh> of a configuration, and for categories its <map>
rules, those of each level together, an empty line between levels: 17,18,19 => 15-19
child-parent, a row for each value and each label: Graz;Styria
Exit status: 4 if check finds a fault; otherwise as for toolbox --help.
""",
        ),
        "compare": Command(
            usage="toolbox compare CONFIG|DATA [--qi NAMES] [options]",
            description="""\
Which method, and which k? Read a table once, run every method with every requirement, and prove each run. Say what each
run loses and whom it leaves at risk, the best first. Nothing is released.

  toolbox compare census.xml -k 3,5,10                            every installed method
  toolbox compare census.xml -k 3,5,10 --methods Mondrian,Datafly,LocalRecoding --by precision
  toolbox compare people.csv --qi born,town --hierarchy town=towns.csv -k 5 --plot risk_against_loss.svg

A run that cannot be done has a row that says why: a hierarchy is missing, or no release satisfies the requirement.
To release, run the method by itself: toolbox -config census.xml -method Mondrian -k 5.
""",
            options=(*COMPARE, *COMMON),
            files=("SOURCE",),
            epilog="Exit status: 3 if nothing could be done; otherwise as for toolbox --help.\n",
        ),
        "experiment": Command(
            usage="toolbox experiment PLAN.toml|PLAN.xml [options]",
            description="""\
A study: every data set, with every method and every requirement, repeated as the plan says. Each run is proved; its
loss and risk are measured, and how well classifiers learn from it. The folder gets results.csv and results.parquet
with a row for each value, summaries, correlations, and one page with all charts. Nothing is released.

  toolbox experiment configs/census_study.toml
  toolbox experiment study.xml --output results --jobs 4

A study that was killed goes on where it stopped. If the plan has changed, only the new parts are computed. A run that
cannot be done has a row that says why. docs/experiments.md has the words of a plan.
""",
            options=(*EXPERIMENT, *COMMON),
            files=("PLAN",),
            epilog="Exit status: 3 if nothing could be done; otherwise as for toolbox --help.\n",
        ),
        "app": Command(
            usage="toolbox app [CONFIG|DATA] [options]",
            description="""\
The application: seven screens from a table to a proved release, in a browser of this machine. It answers nobody else,
and sends nothing to other machines. A project is an ordinary configuration: toolbox -config makes the same release.

  toolbox app                                           begin with a table
  toolbox app people.csv                                begin with this one
  toolbox app people-project/project.xml                go on with a project, or with any configuration
""",
            options=(*APP, *COMMON),
            files=("SOURCE",),
        ),
        "key": Command(
            usage="toolbox key new FILE",
            description="""\
Make a key file for pseudonyms. Only its owner may read it, and no file is replaced. Whoever has the key can find out
whose a pseudonym is: keep it apart from the releases, and lose it only if no later release shall be joined.

  toolbox key new people.key
  toolbox anonymize people.csv --qi born,town --person patient --treat patient=pseudonym --key people.key
""",
            options=COMMON,
            files=("ACTION", "FILE"),
        ),
        "methods": Command(
            usage="toolbox methods [--json]",
            description="List the installed methods, privacy models and loss metrics.",
            options=COMMON,
        ),
    }
)
