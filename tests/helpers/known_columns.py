"""Tables whose columns a person has judged, before any program was asked: what identifies, and what others may know.

What is in neither set may be released as it is, or not: of that only the program's own rules speak.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta


@dataclass(frozen=True)
class Judged:
    """The columns of a table, as a person sees them."""

    identifiers: frozenset[str]
    """Never to be released, in any form."""
    known: frozenset[str]
    """Quasi-identifiers."""
    sensitive: frozenset[str] = frozenset()
    """Facts about a person that others should not learn, and that a release is made for."""
    withheld: frozenset[str] = frozenset()
    """Not to be released as they are: whether they are dropped or generalised is a matter of taste."""


def judged(identifiers: str, known: str, sensitive: str = "", withheld: str = "") -> Judged:
    parts = (frozenset(name.strip() for name in text.split(",") if name.strip()) for text in (
        identifiers, known, sensitive, withheld))  # fmt: skip
    return Judged(*parts)


ADULT = judged(
    "",
    "sex, age, race, marital-status, education, native-country, workclass, occupation, salary-class",
)
CREDIT = judged(
    "ID",
    "SEX, EDUCATION, MARRIAGE, AGE",
    "LIMIT_BAL, PAY_0, PAY_2, PAY_3, PAY_4, PAY_5, PAY_6, default",
)
LICENCES = judged("", "anno_nascita, comune_residenza, provincia_residenza, sesso")
# Without a header: age, education, marital status, occupation, race, sex, state, countries of birth, citizenship. Column
# 24 is the weight of a record in the survey, a number with decimals that hardly two records share.
CENSUS = judged(
    "",
    "column 0, column 4, column 7, column 9, column 10, column 12, column 21, column 32, column 33, column 34, column 35",
    withheld="column 24",
)
"""The real tables, by what is published about their columns."""

_FIRST = ["Anna", "Maria", "Luca", "Paul", "Chiara", "Jonas", "Elena", "Marie", "Carlos", "Emma", "Pierre", "Sofia"]
_LAST = ["Gruber", "Rossi", "Dupont", "García", "Smith", "Huber", "Bianchi", "Moreau", "Sánchez", "O'Neill", "Weiß"]
_STREETS = ["Hauptstraße", "Via Roma", "Rue du Bac", "Calle Mayor", "Ring"]
_TOWNS = ["Graz", "Linz", "Wels", "Leoben", "Bruck an der Mur", "Knittelfeld", "Judenburg", "Weiz"]
_CODES = ["J45.0", "I10.9", "E11.9", "K29.7", "F32.1", "M54.5", "S52.5", "C50.9"]
_MARITAL = ["single", "married", "divorced", "widowed"]
_REMARKS = ["came in by ambulance late at night", "asked to be called back by her son", "walks with a stick since the fall",
            "says that she lives alone at home", "was sent by the doctor next door"]  # fmt: skip


def iban(generator: random.Random) -> str:
    """Make an Austrian account number with the right checksum: 98 less the remainder of the rest by 97."""
    account = f"{generator.randrange(10**16):016}"
    check = 98 - int(f"{account}102900") % 97
    return f"AT{check:02}{account}"


def _day(generator: random.Random, first: date, days: int) -> date:
    return first + timedelta(days=generator.randrange(days))


Values = dict[str, Callable[[random.Random, int], str]]
_VALUES: Values = {
    "number": lambda _, row: f"P{10_000 + row * 7}",
    "first": lambda generator, _: generator.choice(_FIRST),
    "last": lambda generator, _: generator.choice(_LAST),
    "birth": lambda generator, _: _day(generator, date(1931, 1, 1), 29_000).strftime("%d.%m.%Y"),
    "sex": lambda generator, _: generator.choice("fm"),
    "street": lambda generator, _: f"{generator.choice(_STREETS)} {generator.randrange(1, 60)}",
    "postcode": lambda generator, _: f"{8000 + 10 * generator.randrange(60)}",
    "town": lambda generator, _: generator.choice(_TOWNS),
    "telephone": lambda generator, _: f"+43 664 {generator.randrange(10**7):07}",
    "mail": lambda generator, row: f"{generator.choice(_FIRST).lower()}.{row}@example.org",
    "account": lambda generator, _: iban(generator),
    "marital": lambda generator, _: generator.choice(_MARITAL),
    "admitted": lambda generator, _: _day(generator, date(2025, 1, 1), 360).strftime("%d.%m.%Y"),
    "diagnosis": lambda generator, _: generator.choice(_CODES),
    "cost": lambda generator, _: f"{50 * generator.randrange(4, 30)},00",
    "remark": lambda generator, row: f"{generator.choice(_REMARKS)}, bed {row % 90}",
}
_LANGUAGES = {
    "english": "patient_id,first name,Surname,date_of_birth,sex,street,postcode,town,phone,email,iban,marital status,admitted,diagnosis,cost,remarks",
    "german": "PatNr,Vorname,Nachname,Geburtsdatum,Geschlecht,Straße,PLZ,Wohnort,Telefon,E-Mail,Kontonummer,Familienstand,Aufnahmedatum,Diagnose,Kosten,Bemerkung",
    "french": "no_patient,prénom,nom,date_naissance,sexe,adresse,code_postal,ville,téléphone,courriel,compte,état civil,date_admission,diagnostic,coût,remarques",
    "italian": "codicePaziente,nome,cognome,dataNascita,sesso,indirizzo,cap,comune,telefono,posta elettronica,conto,statoCivile,dataRicovero,diagnosi,costo,note",
    "spanish": "número de paciente,nombre,apellidos,fecha de nacimiento,sexo,dirección,cp,municipio,teléfono,correo,cuenta,estado civil,fecha de ingreso,diagnóstico,coste,observaciones",
}
LANGUAGES = tuple(_LANGUAGES)
_ROLES = ["id"] * 3 + ["qid", "qid", "id", "qid", "qid", "id", "id", "id", "qid", "qid", "sens", "sens", "id"]


@dataclass(frozen=True)
class Table:
    """A table of texts, and what a person says of it."""

    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    judged: Judged
    secrets: frozenset[str] = field(default_factory=frozenset)
    """Texts that no release may hold."""

    def text(self, separator: str = ",") -> str:
        return "".join(separator.join(row) + "\n" for row in (self.names, *self.rows))


def hospital(language: str, rows: int = 240) -> Table:
    """Make a table of patients with names of columns in one language; it has decimal commas, and days come first."""
    generator = random.Random(f"hospital {language}")
    names = _LANGUAGES[language].split(",")
    records = [[make(generator, row) for make in _VALUES.values()] for row in range(rows)]
    by_role = {role: {name for name, its in zip(names, _ROLES, strict=True) if its == role} for role in set(_ROLES)}
    held = [index for index, role in enumerate(_ROLES) if role == "id"]
    secrets = frozenset(record[index] for record in records for index in held) | frozenset(_LAST) | frozenset(_FIRST)
    views = Judged(frozenset(by_role["id"]), frozenset(by_role["qid"]), frozenset(by_role["sens"]))
    return Table(names, records, views, secrets)


def survey(rows: int = 400) -> Table:
    """Make a survey of 60 columns: who answered, and 50 answers, most on scales from 1 to 5, some between 0 and 100."""
    generator = random.Random("survey")
    asked = [f"q{number}" for number in range(1, 51)]
    names = ["respondent", "age", "gender", "zip", "education", "employment", "household_size", "e_mail", "weight_trimmed",
             "comments", *asked]  # fmt: skip
    records = []
    for row in range(rows):
        who = [f"R{row:05}", str(generator.randrange(18, 91)), generator.choice(["female", "male", "diverse"]),
               f"0{generator.randrange(1000, 1040)}", generator.choice(["primary", "secondary", "tertiary"]),
               generator.choice(["employed", "self-employed", "retired", "student"]), str(generator.randrange(1, 6)),
               f"r{row}@mail.example", f"{generator.uniform(0.3, 3):.4f}",
               f"{generator.choice(_REMARKS)} and {generator.choice(_REMARKS)} {row % 50}"]  # fmt: skip
        answers = [str(generator.randrange(0, 101)) if number % 10 == 0 else str(generator.randrange(1, 6)) for number in
                   range(1, 51)]  # fmt: skip
        missing = generator.randrange(50)
        records.append([*who, *("" if index == missing else answer for index, answer in enumerate(answers))])
    views = Judged(
        identifiers=frozenset({"respondent", "e_mail", "comments", "weight_trimmed"}),
        known=frozenset({"age", "gender", "zip", "education", "employment", "household_size"}),
        # Fifty answers make everybody unique: they wait for somebody who knows whether others know them.
        withheld=frozenset(asked),
    )
    return Table(names, records, views, frozenset(text for record in records for text in (record[0], record[7])))
