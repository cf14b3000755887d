"""What names of columns mean, in five languages: a table of examples."""

from __future__ import annotations

import pytest

from toolbox.knowledge.name_words import find_name_meaning, split_name

EXAMPLES = {
    "person": "name, Full Name, first_name, lastName, SURNAME, Nachname, vorname, Familienname, nom, prénom, cognome, nombre, apellidos, Patientenname, Hausarzt, Vorgesetzter, Klassenlehrerin",
    "key": "id, ID, identifier, barcode, group_id, ticket",
    "number": "patient_id, PatientID, Pat.-Nr., N° élève, INE, customer, customer_id, Mitarbeiter-ID, Kundennr, PatNr, Matrikelnummer, no_patient, codicePaziente, número de paciente, MRN, respondent",
    "national": "ssn, SSN, NHS number, passport_no, AHV-Nr, SVNR, Steuer-ID, codice fiscale, CF, DNI, NIF, nir, numéro de sécurité sociale, tax_id",
    "email": "email, E-Mail, e_mail, mail, EmailAddress, courriel, correo electrónico, posta elettronica",
    "telephone": "phone, phone_number, Telefon, TelNo, Handynummer, mobile, téléphone, cellulare, móvil, fax",
    "address": "address, street, street_address, Straße, Strasse, Hausnummer, adresse, indirizzo, dirección, calle",
    "iban": "iban, IBAN, iban_no",
    "account": "account number, Kontonummer, compte bancaire, cuenta, BIC",
    "card": "credit_card, Kreditkarte, card_number, carte bancaire",
    "plate": "license_plate, Kennzeichen, immatriculation, targa, matrícula",
    "ip": "ip, ip_address, IP-Adresse",
    "text": "notes, comments, Bemerkung, remarque, note, observaciones, Freitext",
    "birth": "birth_date, dateOfBirth, DOB, Geburtsdatum, Geb.Datum, geb_dat, date de naissance, data di nascita, anno_nascita, fecha de nacimiento, born, YOB, dateofbirth",
    "age": "age, Alter, eta, età, edad, age_group, Altersgruppe",
    "sex": "sex, gender, Geschlecht, sexe, sesso, sexo, Anrede",
    "postcode": "zip, zip_code, ZipCode, postcode, PLZ, Postleitzahl, code postal, CAP, cp, código postal, address_zip",
    "town": "city, town, Wohnort, Gemeinde, ville, commune, comune_residenza, municipio, birth_town, place_of_birth, address_city, Geburtsort",
    "region": "state, region, county, Bundesland, Kanton, provincia_residenza, département",
    "country": "country, native-country, country_of_birth, Geburtsland, pays, paese, país",
    "coordinates": "lat, longitude, GPS, Breitengrad",
    "nationality": "nationality, citizenship, Staatsangehörigkeit, Staatsangehoerigkeit, nationalité, cittadinanza, nacionalidad",
    "marital": "marital-status, Familienstand, état civil, stato civile, estadoCivil",
    "education": "education, education-num, Schulbildung, Bildungsabschluss, titolo di studio, nivel de estudios, Klasse, Classe",
    "occupation": "occupation, job_title, workclass, Beruf, profession, professione, ocupación, Funktion, Dienstgrad, Teilzeit %, working_hours, ancienneté",
    "race": "race, ethnicity, hispanic_origin, etnia",
    "religion": "religion, Konfession, religión",
    "politics": "political_party, vote_2020, Partei",
    "union": "union, trade_union, Gewerkschaft",
    "health": "diagnosis, Diagnose, illness, maladie, patologia, enfermedad, Schwerbehinderung, Pflegestufe, blood_pressure, medication",
    "icd": "icd10, ICD-10, icd_code",
    "sexuality": "sexual_orientation",
    "money": "income, salary, salary-class, Einkommen, revenu, reddito, ingresos, capital-gain, Beitrag, Boursier, BILL_AMT1, LIMIT_BAL, account_balance",
    "grade": "score, Leistungsbeurteilung, Zeugnisnote, Moyenne générale",
    "employer": "employer, Abteilung, Standort, site, Kostenstelle, établissement",
    "web": "url, website, Page URL",
    "event": "admission_date, Aufnahmedatum, date_admission, data ricovero, fecha de ingreso, date",
    "weight": "fnlwgt, weight, sampling_weight, weight_trimmed",
    "technical": "row_number, created_at, Zeilennummer",
}


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_name_says_what_the_values_are(key: str) -> None:
    found = {name: find_name_meaning(name) for name in EXAMPLES[key].split(", ")}
    assert {name: None if meaning is None else meaning.key for name, meaning in found.items()} == dict.fromkeys(
        found, key
    )


@pytest.mark.parametrize(
    "name", ["q1", "x", "", "___", "2019", "value", "PAGE", "стол", "column 3", "of the", "Urlaubstage", "c" * 100_000]
)
def test_a_name_that_says_nothing_says_nothing(name: str) -> None:
    assert find_name_meaning(name) is None


def test_a_clear_word_wins_over_a_vague_one() -> None:
    names = ["town name", "country_id", "state of health", "drug name", "hospital name", "birth_country", "phone_type"]
    assert [meaning.key for name in names if (meaning := find_name_meaning(name))] == [
        "town", "country", "health", "health", "employer", "country", "telephone",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dateOfBirth", ["date", "of", "birth"]),
        ("HTMLPage", ["html", "page"]),
        ("PAY_AMT12", ["pay", "amt"]),
        ("Größe (cm)", ["grosse", "cm"]),
        ("ÉTAT-CIVIL", ["etat", "civil"]),
        ("12", []),
    ],
)
def test_a_name_is_cut_into_words(name: str, words: list[str]) -> None:
    assert split_name(name) == words
