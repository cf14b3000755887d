"""What the name of a column means: words in English, German, French, Italian and Spanish, and how they are found.

They are written without accents and in small letters; several words are a phrase, without of, de, la and the like. A
word that ends in a star is the beginning of longer ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from toolbox.knowledge.meanings import MEANINGS, Meaning

NAME_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "person": """
            name, names, full name, first name, last name, given name, family name, middle name, forename*, surname*,
            maiden name, birth name, name birth, fname, lname, patient name, customer name, initials, nachname*,
            vorname*, familienname*, zuname, geburtsname*, rufname, nom, noms, nom famille, nom usage, prenom*, nome,
            nomi, cognome*, nominativo, nombre, nombres, apellido*, primer apellido, segundo apellido, contact person,
            ansprechpartner*, ansprechperson, mother name, father name, madchenname, vorgesetzt*, hausarzt*,
            notfallkontakt*, erziehungsberechtigt*, klassenlehrer*, responsable legal*, medecin traitant, next kin,
            household member, emergency contact*, legal guardian*
        """,
        "number": """
            patient id, person id, customer id, client id, user id, member id, case id, respondent, respondent id,
            participant*, proband*, subject id, subjid, patnr, patientennummer, personalnummer*, persnr,
            kundennummer*, kundennr, kdnr, matrikelnummer*, matrikelnr, fallnummer*, fallnr, aktenzeichen*, mrn,
            medical record number, case number, employee number, staff number, member number, membership number,
            student number, customer number, patient number, patient no, no patient, numero patient, numero paciente,
            numero dossier, nr, n eleve, n patient, n dossier, numero eleve, ine, numero client, numero cliente,
            matricule*, matricola*, matricula alumno, codice paziente,
            codice cliente, codigo paciente, codigo cliente, expediente*, historia clinica, nhc, card id, customer*,
            client, clients, patient, patients, person, persons, kunde, kunden, kundin, mitarbeiter*, cliente,
            clientes, paziente, paciente, pacientes, persona, personne, mrn number, member, members, employee,
            employees, insured*, versicherte*, assure, asegurado, policy number*, policy no, policy id, beneficiary*,
            certificate number*, certificate no, license number*, licence number*, prescription number*
        """,
        "key": """
            id, ids, key, uid, guid, ident, identifier*, identificador, identifiant*, identificativo, record id,
            record number, order number, invoice number, file number, laufnummer, lfdnr, serial number, sample id,
            barcode*, ticket*, reference number
        """,
        "national": """
            ssn, social security*, socsec, nin, nino, nhs, nhs number, nhs no, passport*, reisepass*, passeport*,
            passaporto*, pasaporte*, driver licence*, driver license*, driving licence*, driving license*,
            fuhrerschein*, drivers license*, drivers licence*, permis conduire, patente guida, licencia conducir,
            id card*, personalausweis*, ausweis*,
            carte identite, carta identita, tax id, tax number, tin, itin, steuer id, steuernummer*,
            steueridentifikation*, sozialversicherung*, svnr, svnummer, ahv, ahv nr, avs, navs, versichertennummer*,
            versicherungsnummer*, krankenversichertennummer*, nir, insee, numero securite sociale, securite sociale,
            nss, num secu, codice fiscale, codfisc, cf, partita iva, dni, nie, nif, numero seguridad social, seguridad
            social, naf, tarjeta sanitaria, tessera sanitaria, cip, bsn, pesel, cpr, personnummer, national id*,
            national number*, insurance number*, medicare*
        """,
        "email": """
            email*, mail, mails, mail address, emailadresse, courriel*, correo, correo electronico, posta elettronica,
            indirizzo email, mel, adresse mail, direccion correo
        """,
        "telephone": """
            phone*, telephone*, tel, tel no, mobile*, mobil, mobilnummer, cell, cellphone, fax*, handy*, telefon*,
            rufnummer*, portable, telephon*, gsm, cellulare*, movil*, celular*, recapito, whatsapp
        """,
        "address": """
            address*, street*, addr, house number, house no, adresse*, anschrift*, strasse*, str, hausnummer*, hausnr,
            wohnadresse, rue, voie, numero rue, domicile*, indirizzo*, via, civico, numero civico, domicilio*,
            direccion*, calle*, residential address, postal address, flat number, apartment*
        """,
        "iban": "iban*",
        "account": """
            account, account number, account no, bank account, bankverbindung*, konto, kontonummer*, kontonr, bic,
            swift, compte, compte bancaire, numero compte, rib, conto, conto corrente, numero conto, cuenta, cuenta
            bancaria, numero cuenta, sort code
        """,
        "card": """
            card number, credit card, credit card number, cc number, ccnum, kreditkarte*, kartennummer*, carte
            bancaire, numero carte, carta credito, numero carta, tarjeta credito, numero tarjeta, pan
        """,
        "plate": """
            plate, number plate, license plate*, licence plate*, registration plate, vin, chassis*, fahrzeugschein*,
            kennzeichen*, kfz
            kennzeichen, autokennzeichen, nummernschild, immatriculation*, plaque*, targa, matricula
        """,
        "user": """
            username*, user name, login*, nickname*, screen name, twitter*, handle, instagram, facebook,
            benutzername*, nutzername*, identifiant connexion, nom utilisateur, pseudo, nome utente, utente, usuario*
        """,
        "web": "url, urls, website*, web, homepage*, web address, site web, sito web, sitio web, pagina web, webseite*",
        "ip": "ip, ip address*, ipaddr*, ipv4, ipv6, ip adresse, adresse ip, indirizzo ip, direccion ip",
        "device": """
            device*, mac address, mac, imei*, imsi, serial no, seriennummer*, cookie*, idfa, gaid, advertising id
        """,
        "uuid": "uuid*",
        "text": """
            note, notes, comment*, remark*, free text, description*, narrative*, observations, observaciones,
            anmerkung*, bemerkung*, kommentar*, freitext*, beschreibung*, notiz*, befund*, anamnese*, commentaire*,
            remarque*, texte libre, commenti, commento, osservazion*, annotazion*, comentario*, notas, anotacion*,
            memo, message*, letter, verbatim*
        """,
        "file": """
            photo*, picture*, image*, mugshot*, headshot*, portrait*, foto*, bild*, immagine*, imagen*, signature*,
            unterschrift*, firma digital, scan
        """,
        "secret": """
            password*, passwd, pwd, passwort*, mot passe, contrasena*, pin, pin code, token*, api key, secret*, hash
        """,
        "birth": """
            birth*, dateofbirth*, birth date*, date birth, born, dob, birthday*, birth year, year birth, yob, birth
            month, day birth, geburtsdatum*, geburtstag*, geburtsjahr*, geb, gebdat*, geb dat, gebdatum, geburt,
            geboren*, gebjahr, naissance*, date naissance, annee naissance, ddn, nascita, data nascita, anno nascita,
            nato, nata, nacimiento*, fecha nacimiento, fecha nac, fec nac, fnac, ano nacimiento, nacido
        """,
        "age": """
            age, ages, age group, age years, agegrp, age class, alter, lebensalter, altersgruppe*, altersklasse*, eta,
            classe eta, edad, grupo edad, tranche age, anos edad
        """,
        "sex": """
            sex, sexes, gender*, gndr, male, female, geschlecht*, anrede*, salutation, title, sexe*, genre, civilite*,
            sesso, genere, sexo, genero
        """,
        "postcode": """
            zip, zip code, zipcode*, zip5, zip3, post code, postcode*, postal code*, postalcode, eircode, plz,
            postleitzahl*, code postal, cpost, cap, codice postale, cp, codigo postal, codpostal, wohn plz
        """,
        "town": """
            city, cities, town*, village*, municipality, municipalities, place, place residence, place birth, birth
            place, placeofbirth, stadt, ort, wohnort*, gemeinde*, gemeindename, geburtsort*, ortschaft, bezirk*,
            ville*, commune*, lieu naissance, lieu, localite*, comune*, citta, luogo nascita, comune nascita, comune
            residenza, localita, municipio*, ciudad*, poblacion, lugar nacimiento, localidad*, residence, residenza,
            residencia, wohnsitz, location, neighbourhood*, neighborhood*, quartier*, quartiere*, barrio*, borough*,
            district*, parish*, suburb*
        """,
        "region": """
            region*, state, states, state residence, state previous residence, province*, county, counties, canton*,
            department residence, bundesland*, kanton*, land kreis, landkreis*, provinz*, departement*, provincia*,
            regione*, provincia residenza, comunidad autonoma, ccaa, nuts, nuts3, nuts2, lsoa, msoa, census tract,
            tract, block group, fips, precinct*
        """,
        "country": """
            country*, cntry, countryofbirth, country birth, birth country, native country, country origin, nation, land,
            staat, geburtsland*, herkunftsland*, wohnland, pays*, pays naissance, paese*, paese nascita, stato
            nascita, pais*, pais nacimiento
        """,
        "coordinates": """
            lat, latitude*, lon, lng, long, longitude*, coordinate*, geo, gps, geolocation*, geopoint, easting,
            northing, breitengrad, langengrad, koordinate*, latitudine, longitudine, latitud, longitud, coordenada*
        """,
        "nationality": """
            nationalit*, citizenship*, citizen, nacionalidad*, staatsangehorigkeit*, staatsburgerschaft*,
            cittadinanza*, ciudadania*, migration background, migrationshintergrund*, immigrant, visa
        """,
        "language": """
            language*, mother tongue, sprache*, muttersprache*, langue*, langue maternelle, lingua*, idioma*, lengua*
        """,
        "marital": """
            marital*, marital status, marriage*, married, civil status, family status, familienstand*, zivilstand*,
            etat civil, situation familiale, situation matrimoniale, stato civile, estado civil, matrimonial, spouse*
        """,
        "household": """
            household*, household size, family size, relationship*, children, number children, num children, kids,
            siblings, dependents, dependants, haushalt*, haushaltsgrosse, kinder, kinderzahl, anzahl kinder, menage*,
            enfants, nombre enfants, nucleo familiare, figli, numero figli, hogar*, hijos, numero hijos, living
            arrangement, tenure, hh size, hhsize*, hh members, hhgrosse*, hhtyp*, personen haushalt, foyer*, componenti
            famiglia, componenti nucleo, famiglia, miembros familia
        """,
        "education": """
            education*, educat*, school*, schooling, degree*, qualification*, highest qualification, university,
            faculty, bildung*, schulbildung, ausbildung*, bildungsabschluss, abschluss*, schule*, etudes*, diplome*,
            niveau etudes, instruction, titre scolaire, istruzione*, titolo studio, studio, scuola*, educacion*,
            estudios, nivel estudios, escolaridad, titulacion*, classroom, course, klasse, schulklasse*, klassenstufe*,
            jahrgang*, classe, niveau, schulform*, schultyp*, edulvl*, eisced*, isced*
        """,
        "occupation": """
            occupation*, job*, job title, profession*, position, employment*, employment status, work status,
            workclass, isco, labour status, labor status, beruf*, tatigkeit*, beschaftigung*, erwerbsstatus, stellung,
            berufsstand, metier*, emploi*, fonction*, poste, professione*, lavoro*, occupazione*, mestiere, mansione,
            profesion*, ocupacion*, empleo*, trabajo, puesto, oficio, situacion laboral, hours week, working hours,
            working time, part time, full time, fte,
            rank, dienstgrad*, funktion, vereinsfunktion*, ehrenamt*, arbeitszeit*, teilzeit*, vollzeit*, dienstjahre*,
            anciennete, csp, categorie socioprofessionnelle*, temps travail, temps partiel
        """,
        "employer": """
            employer*, company, company name, organisation*, organization*, firm, industry, sector*, branch*,
            department, arbeitgeber*, firma, unternehmen*, branche*, abteilung*, employeur*, entreprise*, societe,
            service, secteur*, datore lavoro, azienda*, ditta, settore*, reparto, empresa*, sociedad, departamento*,
            hospital name, hospital, clinic, ward, unit, team, station, institution*, school name, site, work site,
            standort*, niederlassung*, filiale*, etablissement*, kostenstelle*, cost
            center*, cost centre*, centre cout*, centro coste*, centro costo*, dept, depts, division, abt, fachbereich*,
            dienststelle*, referat, bureau, unite, direction, unita, unita operativa, dipartimento*, ufficio, servizio,
            unidad, servicio, oficina
        """,
        "race": """
            race*, ethnic*, hispanic*, skin colo*, rasse, ethnie*, ethnizitat, etnia*, raza, razza, tribe, caste
        """,
        "body": """
            height, body height, body weight, birth weight, weight kg, height cm, bmi, korpergrosse*, korpergewicht*,
            geburtsgewicht*, gewicht kg, grosse, taille, poids kg, poids corporel, poids naissance, altezza, statura,
            peso kg, peso corporeo, peso nascita, peso corporal, peso nacimiento, altura, estatura, eye color, eye
            colour, hair color, shoe size
        """,
        "event": """
            admission*, admitted*, admission date, discharge*, discharged*, visit date, date visit, date death,
            death*, deceased*, hire date, hired*, date hired, entry date, exit date, start date, end date, wedding
            date, accident date, event date, exam date, test date, date, dates, datum, day, tag, todesdatum*, sterbe*,
            aufnahme*, aufnahmedatum, entlassung*, eintritt*, austritt*, unfalldatum, date admission, date sortie,
            date deces, deces, date entree, jour, data ricovero, data dimissione, data decesso, data ingresso, data,
            giorno, fecha ingreso, fecha alta, fecha defuncion, fecha, dia, year month, enrolment date, enrollment
            date, timestamp*, time, uhrzeit, heure*, ora, hora, zeitpunkt*, datetime, arrival*, departure*, pickup*,
            dropoff*
        """,
        "religion": """
            religio*, faith, church*, belief*, denomination*, konfession*, glaube*, kirche*, croyance*, fede, credo,
            fe, iglesia*
        """,
        "politics": """
            politic*, party, political party, vote*, voting*, voted, partei*, wahl*, parti, parti politique, vot,
            partito*, voto, partido*
        """,
        "union": """
            union, trade union, union member*, gewerkschaft*, syndicat*, sindacat*, sindicat*, afiliacion sindical
        """,
        "health": """
            diagnos*, disease*, illness*, condition*, symptom*, treatment*, therapy, therap*, medication*, drug*, drugs,
            medicine*, health*, disability, disabilit*, allerg*, blood*, blood type, blood pressure, cholesterol*,
            glucose*, hiv, covid*, vaccin*, surgery, surger*, procedure*, pregnan*, smok*, raucher*, fumeu*, fumat*,
            fumad*, tabac*, tabag*, alcohol*, tumor*, tumour*, cancer*, length stay, lab result*, lab value*,
            gesundheit*, krankheit*, erkrankung*, behandlung*, medikament*, behinderung*, blutgruppe*, blutdruck*,
            impf*, operation*, schwanger*, maladie*, sante, traitement*, handicap*, groupe sanguin, vaccination*,
            grossesse*, malattia*, patologia*, salute, terapia*, farmac*, disabilita, gruppo sanguigno, intervento*,
            enfermedad*, salud, tratamiento*, discapacidad*, schwerbehinder*, gdb, grad behinderung, pflegegrad*,
            pflegestufe*, grupo sanguineo, vacuna*, embarazo*, drg, comorbid*, stroke, diabet*, hypertension*, sick*,
            krankenstand*, krankentag*, fehltage*, arret maladie*
        """,
        "icd": "icd*, icd10, icd code, cim, cim10, cie, cie10",
        "genes": """
            genetic*, genom*, gene, genes, dna, snp, biometric*, fingerprint*, genetik*, fingerabdruck*, genetique*,
            adn, empreinte*, impronta*, huella*, voice print*, face print*, iris code*,
            iris scan*, retina*
        """,
        "sexuality": """
            sexual*, sexual orientation, orientation sexuelle, orientamento sessuale, orientacion sexual, lgbt*
        """,
        "crime": """
            crime*, criminal*, conviction*, convicted, offence*, offense*, arrest*, sentence*, straftat*, vorstrafe*,
            delikt*, verurteilung*, condamnation*, infraction*, reato, condanna*, delito*, condena*, recidiv*
        """,
        "money": """
            income*, salary, salaries, salary class, wage*, earning*, pay, payment*, paid, revenue*, amount*, amt,
            balance*, solde*, bal, bill*, price*, cost*, costs, debt*, loan*, credit, credit limit, limit, capital,
            capital gain*, capital loss*, dividend*, tax, taxes, rent, mortgage*, default*, wealth, assets, turnover*,
            spending*, expenditure*, benefit, benefits, gehalt*, einkommen*, lohn*, betrag*, preis*, kosten*, schuld*,
            kredit*, miete*, umsatz*, vermogen*, steuer, saldo*, revenu*, salaire*, montant*, prix, cout*, dette*,
            loyer*, impot*, reddito*, stipendio*, salario*, importo*, prezzo*, debito*, affitto*, ingreso, ingresos,
            renta, sueldo*, entgelt*, besoldung*, beitrag*, cotisation*, bourse*, boursier*, importe*, precio*, coste*,
            deuda*, alquiler*, pension*, expend*, saving*
        """,
        "grade": """
            grade*, score*, mark, marks, result*, exam result, gpa, rating*, note moyenne, noten*, punkte*, voto
            esame, punteggio*, nota, calificacion*, puntuacion*, appraisal*, beurteilung*, leistungsbeurteilung*,
            zeugnisnote*, moyenne*, satisfaction*, zufriedenheit*
        """,
        "weight": """
            weight, weights, wgt, fnlwgt, pweight, sampling weight*, instance weight*, survey weight*, weight trimmed,
            hochrechnung*, gewicht, gewichte, gewichtung*, stichprobengewicht*, poids, poids enquete, poids sondage,
            ponderation*, peso, pesi, pesos, peso campionario, ponderacion*, expansion factor, factor elevacion, factor
            expansion, household weight*, haushaltsgewicht*, person weight*, personengewicht*, poids menage, peso hogar,
            peso famiglia, design weight*, post stratification*, afnlwgt, pspwght, dweight, anweight, weighting, pond
        """,
        "technical": """
            row, row number, rownum, line number, index, unnamed, created, updated, modified, inserted, last update,
            version, batch, source file, filename, imported*, exported*, checksum*, zeile, zeilennummer, erstellt*,
            geandert*, ligne, numero ligne, riga, fila, wave, survey year, interviewer*
        """,
    }
)
"""Meaning by its key, and its words, between commas."""

SMALL_WORDS: Final = frozenset(
    (
        *("of", "the", "a", "an", "at", "in", "on", "for", "and", "or", "to", "per", "is", "has"),
        *("der", "die", "das", "des", "dem", "den", "und", "im", "am", "von", "zum", "zur", "fur"),
        *("de", "du", "la", "le", "les", "l", "d", "et", "au", "aux", "en"),
        *("di", "del", "della", "dello", "dei", "degli", "delle", "il", "lo", "e", "al", "y", "el", "los", "las"),
    )
)
"""Words that join others, and mean nothing by themselves."""
VAGUE: Final = frozenset(
    (
        *(
            "name",
            "names",
            "nom",
            "nome",
            "nombre",
            "id",
            "ids",
            "key",
            "date",
            "dates",
            "datum",
            "data",
            "fecha",
            "day",
        ),
        *("state", "title", "place", "time", "limit", "position", "index", "union", "land", "unit", "ort", "note"),
        *("address", "adresse", "anschrift", "indirizzo", "direccion", "domicile", "domicilio"),
        *("customer", "patient", "person", "client", "member", "employee"),
        *("account", "konto", "compte", "conto", "cuenta", "employment", "treatment", "birth"),
        *("site", "nr", "rank", "niveau", "klasse", "classe", "funktion"),
        *(
            "service",
            "unite",
            "unita",
            "unidad",
            "servizio",
            "servicio",
            "direction",
            "division",
            "condition",
            "result",
            "grade",
            "score",
            "web",
            "via",
            "str",
            "mail",
            "pan",
            "long",
        ),
    )
)
"""Words that mean something alone, but give way to any other word beside them: ``town name``, ``date of birth``."""


_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")


_LONGEST_NAME: Final = 200


_MOST_WORDS: Final = 4
"""Words of the longest phrase."""


_ENDINGS: Final = {"name": "person", "nummer": "number", "datum": "event", "adresse": "address"}
"""Ends of compounds, as German makes them."""


_RANKS: Final = ("technical", "sensitive", "known", "identifies")


_PLACES: Final = ("town", "region", "country")


class _Found(NamedTuple):
    """A phrase that stands in a name; the greatest says what the name means."""

    is_clear: bool
    words: int
    rank: int
    """What is known to others wins over what nobody should know: the age at a diagnosis is an age."""
    length: int
    place: int
    key: str


def split_name(name: str) -> list[str]:
    """Cut a name into its words, in small letters and without accents.

    Examples
    --------
    >>> split_name("dateOfBirth"), split_name("Straße_Nr2"), split_name("ÉTAT-CIVIL")
    (['date', 'of', 'birth'], ['strasse', 'nr'], ['etat', 'civil'])
    """
    plain = name[:_LONGEST_NAME].replace("ß", "ss").replace("ẞ", "SS")
    decomposed = unicodedata.normalize("NFKD", plain)
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return [part.casefold() for part in _PARTS.findall(letters) if not part.isdigit()]


def find_name_meaning(name: str) -> Meaning | None:
    """Return what the values of a column are, by its name; None if the name does not say.

    Examples
    --------
    >>> [find_name_meaning(name).key for name in ("Geburtsdatum", "code_postal", "teléfono", "address_city", "fnlwgt")]
    ['birth', 'postcode', 'telephone', 'town', 'weight']
    >>> find_name_meaning("q17") is None
    True
    """
    words = [word for word in split_name(name) if word not in SMALL_WORDS]
    found = sorted([*_find_phrases(words), *_find_phrases([_restore_umlauts(word) for word in words])])
    if not found:
        return None
    best = found[-1]
    if best.key == "birth" and (places := [one for one in found if one.is_clear and one.key in _PLACES]):
        # The town of birth is a town.
        best = places[-1]
    return MEANINGS[best.key]


def _find_phrases(words: list[str]) -> Iterator[_Found]:
    """Yield each phrase that stands in a name, whether its words are apart or not."""
    whole, beginnings = _index()
    for first in range(len(words)):
        for count in range(1, min(_MOST_WORDS, len(words) - first) + 1):
            joined = "".join(words[first : first + count])
            if (key := whole.get(joined)) is not None:
                yield _make_found_phrase(key, joined not in VAGUE, count, len(joined) + 1, first)
            elif length := next((end for end in range(len(joined), 2, -1) if joined[:end] in beginnings), 0):
                # The longest of several: "bildung" is no picture, which is "bild".
                begin = joined[:length]
                yield _make_found_phrase(beginnings[begin], begin not in VAGUE, count, length, first)
        for ending, key in _ENDINGS.items():
            if words[first].endswith(ending) and words[first] != ending:
                yield _make_found_phrase(key, False, 1, len(ending), first)


def _make_found_phrase(key: str, is_clear: bool, words: int, length: int, place: int) -> _Found:
    return _Found(is_clear, words, _RANKS.index(MEANINGS[key].consequence), length, place, key)


def _restore_umlauts(word: str) -> str:
    """Write a word as if its umlauts had not been spelt out."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


@cache
def _index() -> tuple[dict[str, str], dict[str, str]]:
    """Return the whole phrases and the beginnings, each without blanks, with the keys of their meanings."""
    whole: dict[str, str] = {}
    beginnings: dict[str, str] = {}
    for key, words in NAME_WORDS.items():
        for phrase in words.split(","):
            joined = "".join(phrase.split())
            into = beginnings if joined.endswith("*") else whole
            into[joined.removesuffix("*")] = key
    return whole, beginnings
