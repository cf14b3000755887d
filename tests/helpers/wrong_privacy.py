"""Wrong requirements of privacy, and methods that cannot be used, each with what must be said about it."""

from __future__ import annotations

from helpers.hostile import configuration
from helpers.wrong import INPUT, UNSATISFIABLE, Wrong

ILLNESS = "<att name='b' type='category'/>"
BOTH = "<att name='b' type='category'/><att name='c'/>"
AGE = "<att name='a'><vgh value='[0:9]'/></att>"
THREE = "a,b,c\n1,flu,1\n1,flu,2\n2,gout,3\n2,flu,4\n"
PLAIN = "import toolbox\n\nclass Plain:\n    pass\n"
BROKEN = "import no_such_library_at_all\n"
RAISES = """
from dataclasses import dataclass
from toolbox import Anonymizer

@dataclass(frozen=True, kw_only=True)
class Raises(Anonymizer):
    name = "Raises"

    def anonymize(self, tables):
        raise KeyError("Ada has the flu")
"""


def asked(root: str, sens: str = ILLNESS, more: str = "") -> str:
    return configuration(AGE, root=root, sens=sens).replace("</config>", f"{more}</config>")


def listed(*models: str, sens: str = ILLNESS) -> str:
    return asked("", sens, f"<privacy>{''.join(models)}</privacy>")


PRIVACY = [
    *(
        Wrong(
            f"{method} without a sensitive attribute",
            (f"{method} protects a sensitive attribute, and none is declared", "<sens>"),
            data=None,
            config=asked(f"method='{method}' l='2'", sens=""),
        )
        for method in ("Incognito_l", "Incognito_t", "Anatomy")
    ),
    Wrong(
        "two sensitive attributes for t",
        ("Incognito_t protects one sensitive attribute, and 2 are declared", "list a model for each in <privacy>"),
        data=None,
        config=asked("method='Incognito_t' t='0.2'", BOTH),
    ),
    *(
        Wrong(
            f"t of {t}",
            (f"line 1: t='{t}' is not between 0 and 1", "such as 0.2"),
            data=None,
            config=asked(f"method='Incognito_t' t='{t}'"),
        )
        for t in (0, 1)
    ),
    Wrong(
        "an l of Anatomy that is no whole number",
        ("l=2.5 is no whole number", "Write a whole number"),
        data=None,
        config=asked("method='Anatomy' l='2.5'"),
    ),
    Wrong(
        "a table that is not eligible for Anatomy",
        ("not eligible for Anatomy with l=2", "one value of b has 3 of 4 records", "No l of 2 or more is possible"),
        UNSATISFIABLE,
        data=THREE,
        config=asked("method='Anatomy' l='2'"),
        hides=("flu",),
    ),
    Wrong(
        "a diversity that the whole table lacks",
        ("No release can satisfy entropy l-diversity (l=2) of b", "achieve only 1.75477", "Choose another l"),
        UNSATISFIABLE,
        data=THREE,
        config=asked("method='Incognito_l' l='2'"),
        hides=("flu",),
    ),
    Wrong(
        "words where t-closeness needs to know what they are",
        ("column b", "(line 2, 3, 4, 5)".replace("line", "lines"), "no number", "type='category'"),
        INPUT,
        data=THREE,
        config=asked("method='Incognito_t' t='0.2'", "<att name='b'/>"),
        hides=("flu", "gout"),
    ),
    Wrong(
        "a model that Datafly cannot honour",
        ("Datafly cannot honour distinct l-diversity", "Choose another method or model"),
        data=None,
        config=asked("method='Datafly'", more="<privacy><model name='distinct l-diversity' l='2'/></privacy>"),
    ),
    Wrong(
        "a model that does not exist",
        ("'l-divresity' is unknown", "Did you mean", "distinct l-diversity"),
        config=listed("<model name='l-divresity' l='2'/>"),
    ),
    Wrong(
        "a model without its parameter, and one out of range",
        ("2 faults", "k-anonymity lacks k=", "t='2.0' of t-closeness is out of range"),
        config=listed("<model name='k-anonymity'/>", "<model name='t-closeness' t='2'/>"),
    ),
    Wrong(
        "parameters beside the list of models",
        ("k= of <config> cannot be combined with <privacy>",),
        config=listed("<model name='k-anonymity' k='2'/>").replace("<config", "<config k='2'", 1),
    ),
    Wrong(
        "a method of a file, named in the configuration",
        ("'wrong_plain:Plain' would import code", "-method wrong_plain:Plain"),
        config=asked("method='wrong_plain:Plain'"),
        others=(("wrong_plain.py", PLAIN),),
    ),
    Wrong(
        "a method of a file that is not there",
        ("wrong_absent:Mine", "no module 'wrong_absent'"),
        arguments=("-method", "wrong_absent:Mine"),
    ),
    Wrong(
        "a class that is no method",
        ("'wrong_plain:Plain' is no subclass of Anonymizer",),
        arguments=("-method", "wrong_plain:Plain"),
        others=(("wrong_plain.py", PLAIN),),
    ),
    Wrong(
        "a file that cannot be imported",
        ("wrong_broken.py, line 1", "no_such_library_at_all"),
        arguments=("-method", "wrong_broken:Mine"),
        others=(("wrong_broken.py", BROKEN),),
    ),
    Wrong(
        "a method that fails",
        ("The method Raises failed: KeyError in", "wrong_raises.py, line 10", "Nothing was released"),
        UNSATISFIABLE,
        arguments=("-method", "wrong_raises:Raises"),
        others=(("wrong_raises.py", RAISES),),
        hides=("Ada",),
    ),
    Wrong(
        "Anatomy whose table would be written over the input",
        ("output is the same file as the input", "in_QIT.csv"),
        config=asked("method='Anatomy' l='2'").replace("in.csv", "in_QIT.csv").replace("out.csv", "in.csv"),
        others=(("in_QIT.csv", THREE),),
    ),
]
