"""Columns as real tables have them, in five languages: what each must become, written down by hand."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
from helpers.amounts import times
from helpers.profiled import planned

from toolbox import suggest
from toolbox.store.engine.store import Store

RECORDS: Final = 1_500
Draw = Callable[[random.Random], str]


def among(*values: str, weights: Sequence[float] | None = None) -> Draw:
    return lambda draw: draw.choices(values, weights)[0]


def whole(low: int, high: int) -> Draw:
    return lambda draw: str(draw.randint(low, high))


def bell(mean: float, spread: float, digits: int = 1) -> Draw:
    return lambda draw: f"{max(0.3, draw.gauss(mean, spread)):.{digits}f}"


def skewed(middle: float, digits: int = 2) -> Draw:
    return lambda draw: f"{middle * draw.lognormvariate(0, 0.9):.{digits}f}"


WARDS_DE = among("Chirurgie", "Innere Medizin", "Kardiologie", "Neurologie", "Urologie", "Radiologie")
WARDS_FR = among("Chirurgie", "Cardiologie", "Neurologie", "Urologie", "Urgences", "Pédiatrie")
WARDS_IT = among("Chirurgia", "Cardiologia", "Neurologia", "Urologia", "Pronto soccorso")
LETTERS = among("A", "B", "C", "D", "E")
SIZES = among("1", "2", "3", "4", "5", "6", "7", "8", weights=(30, 30, 16, 12, 7, 3, 1, 1))
ILLNESSES = among("I10", "J45.0", "E11.9", "F32.1", "K29.7", weights=(5, 4, 3, 2, 1))
BLOOD = among("A", "B", "AB", "0")

KNOWN, LEFT_OUT, SENSITIVE = "quasi-identifier", "identifier", "sensitive"
COLUMNS: Final[dict[str, tuple[Draw, str]]] = {
    # German
    "hhgroesse": (SIZES, KNOWN),
    "Personen im Haushalt": (SIZES, KNOWN),
    "Abteilung": (WARDS_DE, KNOWN),
    "Abt.": (WARDS_DE, KNOWN),
    "Fachbereich": (LETTERS, KNOWN),
    "Dienststelle": (LETTERS, KNOWN),
    "Schulform": (among("Gymnasium", "Mittelschule", "Volksschule"), KNOWN),
    "Alter": (whole(18, 94), KNOWN),
    "Gewicht (kg)": (bell(78, 14), KNOWN),
    "gewicht": (bell(1.0, 0.3, 4), LEFT_OUT),
    "Hochrechnungsgewicht": (bell(812, 200, 2), LEFT_OUT),
    "Saldo": (skewed(1800), KNOWN),
    "Gehaltsgruppe": (among("bis 1500", "bis 2500", "bis 4000", "mehr"), KNOWN),
    "Hauptdiagnose": (ILLNESSES, SENSITIVE),
    "Religionsbekenntnis": (among("röm.-kath.", "evang.", "ohne", "islam."), SENSITIVE),
    "Kundennr": (lambda draw: f"{draw.randrange(10**7):07}", LEFT_OUT),
    "Fahrminuten": (skewed(24, 0), KNOWN),
    # English
    "dept": (LETTERS, KNOWN),
    "department": (LETTERS, KNOWN),
    "unit": (among("ICU", "ER", "Ward 3", "Ward 4"), KNOWN),
    "service": (among("Surgery", "Cardiology", "Neurology"), KNOWN),
    "hh_size": (SIZES, KNOWN),
    "gndr": (among("1", "2", "9", weights=(49, 50, 1)), KNOWN),
    "edulvl": (whole(1, 7), KNOWN),
    "maritalb": (whole(1, 6), KNOWN),
    "cntry": (among("AT", "DE", "FR", "IT", "ES"), KNOWN),
    "weight": (bell(1.0, 0.4, 5), LEFT_OUT),
    "weight_kg": (bell(77, 15), KNOWN),
    "household weight": (bell(540, 120, 3), LEFT_OUT),
    "minutes": (skewed(300, 0), KNOWN),
    "diagnosis": (ILLNESSES, SENSITIVE),
    "blood_type": (BLOOD, SENSITIVE),
    "smoker": (among("yes", "no"), SENSITIVE),
    "account_no": (lambda draw: str(draw.randrange(10**9, 10**10)), LEFT_OUT),
    "flag": (among("0", "1"), KNOWN),
    # French
    "poids (kg)": (bell(72, 13), KNOWN),
    "poids": (bell(1.0, 0.35, 4), LEFT_OUT),
    "taille_menage": (SIZES, KNOWN),
    "nb_enfants": (whole(0, 5), KNOWN),
    "service hospitalier": (WARDS_FR, KNOWN),
    "unité": (WARDS_FR, KNOWN),
    "solde": (skewed(950), KNOWN),
    "diagnostic principal": (ILLNESSES, SENSITIVE),
    "tabagisme": (among("oui", "non"), SENSITIVE),
    "csp": (whole(1, 8), KNOWN),
    "num_dossier": (lambda draw: f"D{draw.randrange(10**6):06}", LEFT_OUT),
    # Italian
    "reparto": (WARDS_IT, KNOWN),
    "componenti famiglia": (SIZES, KNOWN),
    "stato civile": (among("celibe", "coniugato", "vedovo", "divorziato"), KNOWN),
    "peso": (bell(1.0, 0.3, 4), LEFT_OUT),
    "peso corporeo": (bell(74, 14), KNOWN),
    "minuti": (skewed(45, 0), KNOWN),
    "diagnosi": (ILLNESSES, SENSITIVE),
    "gruppo sanguigno": (BLOOD, SENSITIVE),
    "fumatore": (among("sì", "no"), SENSITIVE),
    "matricola": (lambda draw: str(draw.randrange(10**6, 10**7)), LEFT_OUT),
    # Spanish
    "tamaño del hogar": (SIZES, KNOWN),
    "unidad": (among("UCI", "Urgencias", "Planta 2"), KNOWN),
    "servicio": (among("Cirugía", "Cardiología", "Neurología"), KNOWN),
    "minutos": (skewed(400, 0), KNOWN),
    "saldo_cuenta": (skewed(2100), KNOWN),
    "factor de elevación": (bell(350, 90, 2), LEFT_OUT),
    "diagnóstico": (ILLNESSES, SENSITIVE),
    "fumador": (among("sí", "no"), SENSITIVE),
    "sexo": (among("hombre", "mujer", "No contesta", weights=(50, 49, 1)), KNOWN),
    # Japanese, of which nothing is known
    "氏名": (lambda draw: draw.choice("佐鈴高田伊渡") + draw.choice("藤木橋中辺") + draw.choice("翔蓮結陽葵"), LEFT_OUT),
    "担当": (among("佐藤 翔", "鈴木 蓮", "高橋 結", "田中 陽", "伊藤 葵", "渡辺 翔", "山本 蓮", "中村 結", "小林 大翔", "加藤 陽葵", "吉田 湊", "森 凛"), LEFT_OUT),
}  # fmt: skip


def texts_of(name: str) -> list[str]:
    draw = random.Random(name)
    return [COLUMNS[name][0](draw) for _ in range(RECORDS)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", COLUMNS)
def test_each_column_becomes_what_a_person_would_make_of_it(store: Store, name: str) -> None:
    # Two columns that are known leave the others to their own rules.
    table = {
        "sex": ["f", "m"] * (RECORDS // 2),
        name: texts_of(name),
        "age": [str(20 + row % 60) for row in range(RECORDS)],
    }
    (column,) = (one for one in planned(store, table).columns if one.name == name)
    assert column.role == COLUMNS[name][1], (column.why, column.sureness)


SENSITIVE_NAMES: Final = ["diagnosis", "religion", "smoker", "blood_type", "Krankheit", "stipendio"]
OTHER_NAMES: Final = [
    "hhgroesse",
    "dept",
    "sex",
    "age",
    "plz",
    "x",
    "y",
    "answer",
    "status",
    "típo",
    "colour",
    "w",
    "値",
]
SERIES: Final = [f"q{number}" for number in range(1, 8)]


def random_table(draw: random.Random) -> dict[str, list[str]]:
    """Draw a table of names and values that have nothing to do with each other."""
    records = draw.choice([12, 90, 400, 3_000])
    names = draw.sample(SENSITIVE_NAMES, 2) + draw.sample(OTHER_NAMES, draw.randint(1, 6)) + draw.choice([[], SERIES])
    table = {}
    for name in draw.sample(names, len(names)):
        values = [f"{draw.choice('abcde')}{number}" for number in range(draw.choice([1, 2, 2, 3, 5, 11, 40, records]))]
        skew = draw.choice([0.0, 1.0, 3.0])
        weights = [1 / (place + 1) ** skew for place in range(len(values))]
        missing = draw.choice([0, 0, 0.002, 0.2])
        table[name] = ["" if draw.random() < missing else draw.choices(values, weights)[0] for _ in range(records)]
    return table


def alone(table: dict[str, list[str]], names: Sequence[str]) -> int:
    counts = Counter(zip(*(table[name] for name in names), strict=True))
    return sum(count == 1 for count in counts.values())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(times(6, slow=40)))
def test_no_configuration_releases_as_it_is_what_makes_people_unique(tmp_path: Path, seed: int) -> None:
    table = random_table(random.Random(seed))
    names = list(table)
    lines = [";".join(names), *map(";".join, zip(*table.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = suggest(tmp_path / "people.csv").to_xml(tmp_path / "people.xml")
    sureness, undecided = {}, []
    sections = {}
    for section in ElementTree.fromstring(
        text, ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    ):
        for child in section.iter():
            if child.tag is ElementTree.Comment:
                for name in names:
                    if child.text.strip().startswith(f"{name}: "):
                        sureness[name] = re.search(r"\((sure|likely|unsure)\)", child.text)[1]
                        undecided += [name] if "<qid><att" in child.text else []
            elif child.tag == "att":
                sections.setdefault(section.tag, []).append(child.get("name"))
    assert sorted([*undecided, *(name for those in sections.values() for name in those)]) == sorted(names)
    assert {sureness[name] for name in undecided} <= {"unsure"}, "an unsure column is in no section until you decide"
    records, known = len(lines) - 1, sections.get("qid", [])
    unmodified = [name for name in sections.get("sens", []) if len(set(table[name])) > 1]
    for name in unmodified:
        # Nothing is released on a guess that is unsure, and nothing is surely sensitive but by what it is called.
        assert sureness[name] != "unsure"
        assert (sureness[name] == "sure") == (name in SENSITIVE_NAMES)
        if name in SENSITIVE_NAMES and records >= 50:
            there = records - table[name].count("")
            assert alone({name: [value for value in table[name] if value]}, [name]) < 0.1 * there
    if likely := [name for name in unmodified if sureness[name] == "likely"]:
        assert alone(table, [*known, *likely]) <= 0.01 * records
