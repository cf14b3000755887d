"""Values by which a column is known whose name says nothing: vocabularies, and numbers that carry their check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Values by which a column is known whose name says nothing: sexes, marital statuses, countries, first names.


SEXES: Final = frozenset(
    (
        *("m", "f", "w", "d", "h", "v", "x", "u", "male", "female", "man", "woman", "men", "women", "other", "diverse"),
        *("unknown", "mannlich", "weiblich", "divers", "mann", "frau", "herr", "homme", "femme", "masculin", "feminin"),
        *(
            "maschio",
            "femmina",
            "uomo",
            "donna",
            "hombre",
            "mujer",
            "masculino",
            "femenino",
            "mr",
            "mrs",
            "ms",
            "non binary",
        ),
    )
)
"""All values of a column of sexes are among these; the letters alone say it only if m is one of two or three."""

_SHARED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "marital": """
            single, married, divorced, widowed, separated, never married, married civ spouse, married spouse absent,
            married af spouse, married civilian spouse present, married a f spouse present, registered partnership,
            partnered, unmarried, widow, widower, ledig, verheiratet, geschieden, verwitwet, getrennt, getrennt
            lebend, verpartnert, celibataire, marie, mariee, divorce, divorcee, veuf, veuve, pacse, separe, celibe,
            nubile, coniugato, coniugata, sposato, sposata, divorziato, divorziata, vedovo, vedova, separato, soltero,
            soltera, casado, casada, divorciado, divorciada, viudo, viuda, separado, separada
        """,
        "race": """
            white, black, asian, black or african american, african american, hispanic, latino, asian pac islander,
            asian or pacific islander, amer indian eskimo, amer indian aleut or eskimo, american indian, native
            american, native hawaiian, caucasian, mixed, european, mexican american, mexican mexicano, other spanish,
            all other, puerto rican, central or south american, chicano
        """,
        "education": """
            bachelors, masters, doctorate, bachelor, master, phd, some college, hs grad, high school, high school
            graduate, prof school, assoc voc, assoc acdm, preschool, 1st 4th, 5th 6th, 7th 8th, 9th, 10th, 11th, 12th,
            7th and 8th grade, 9th grade, 10th grade, 11th grade, 12th grade no diploma, 1st 2nd 3rd or 4th grade, 5th
            or 6th grade, less than 1st grade, some college but no degree, bachelors degree ba ab bs, masters degree
            ma ms meng med msw mba, doctorate degree phd edd, associates degree occup vocational, associates degree
            academic program, prof school degree md dds dvm llb jd, primary, secondary, tertiary, lower secondary,
            upper secondary, university, matura, abitur, lehre, pflichtschule, hauptschule, realschule, hochschule,
            universitat, baccalaureat, licence, brevet, laurea, diploma, licenza media, bachillerato, grado, primaria,
            secundaria, licenciatura
        """,
        "occupation": """
            sales, adm clerical, adm support including clerical, exec managerial, executive admin and managerial, prof
            specialty, professional specialty, craft repair, precision production craft repair, machine op inspct,
            machine operators assmblrs inspctrs, handlers cleaners, handlers equip cleaners etc, farming fishing,
            farming forestry and fishing, tech support, technicians and related support, protective serv, protective
            services, priv house serv, private household services, other service, transport moving, transportation and
            material moving, armed forces, teacher, nurse, engineer, lawyer, doctor, student, retired, unemployed,
            employed, self employed, clerk, farmer, worker, manager, housewife, lehrer, lehrerin, arzt, arztin,
            angestellte, angestellter, arbeiter, arbeiterin, pensionist, rentner, selbststandig, arbeitslos,
            ingenieur, infirmiere, enseignant, ouvrier, retraite, employe, chomeur, insegnante, operaio, impiegato,
            pensionato, disoccupato, profesor, enfermera, obrero, jubilado, private, federal government, federal gov,
            state government, state gov, local government, local gov, self emp not inc, self emp inc, self employed
            not incorporated, self employed incorporated, without pay, never worked
        """,
        "nationality": """
            native born in the united states, native born abroad of american parent s, native born in puerto rico or u
            s outlying, foreign born not a citizen of u s, foreign born u s citizen by naturalization, citizen, non
            citizen, austrian, german, french, italian, spanish, british, american, swiss, polish, turkish, romanian,
            dutch, belgian, portuguese, greek, deutsch, osterreichisch, franzosisch, italienisch, turkisch, italiana,
            espanola, francaise, allemande
        """,
        "religion": """
            catholic, roman catholic, protestant, orthodox, muslim, islam, jewish, hindu, buddhist, sikh, atheist,
            agnostic, no religion, romisch katholisch, katholisch, evangelisch, muslimisch, judisch, ohne bekenntnis,
            konfessionslos, catholique, protestante, musulman, juif, cattolico, cattolica, musulmano, ebreo, catolico,
            catolica
        """,
        "country": """
            afghanistan, albania, algeria, angola, argentina, armenia, australia, austria, azerbaijan, bahrain,
            bangladesh, belarus, belgium, bolivia, bosnia and herzegovina, brazil, bulgaria, cambodia, cameroon,
            canada, chile, china, colombia, congo, costa rica, croatia, cuba, cyprus, czech republic, czechia,
            denmark, dominican republic, ecuador, egypt, el salvador, england, eritrea, estonia, ethiopia, finland,
            france, georgia, germany, ghana, greece, guatemala, haiti, holand netherlands, honduras, hong kong,
            hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy, ivory coast, jamaica, japan,
            jordan, kazakhstan, kenya, kosovo, kuwait, laos, latvia, lebanon, libya, lithuania, luxembourg, malaysia,
            mali, malta, mexico, moldova, montenegro, morocco, myanmar, nepal, netherlands, new zealand, nicaragua,
            nigeria, north macedonia, norway, outlying u s guam usvi etc, pakistan, panama, paraguay, peru,
            philippines, poland, portugal, puerto rico, qatar, romania, russia, saudi arabia, scotland, senegal,
            serbia, singapore, slovakia, slovenia, somalia, south, south africa, south korea, spain, sri lanka, sudan,
            sweden, switzerland, syria, taiwan, tanzania, thailand, trinadad tobago, tunisia, turkey, uganda, ukraine,
            united kingdom, united states, united states of america, uruguay, usa, uk, uzbekistan, venezuela, vietnam,
            wales, yemen, yugoslavia, zimbabwe, osterreich, deutschland, schweiz, italien, frankreich, spanien,
            ungarn, polen, turkei, kroatien, serbien, slowenien, autriche, allemagne, suisse, italie, espagne,
            belgique, maroc, algerie, tunisie, germania, francia, svizzera, spagna, marocco, albanien, alemania,
            italia, espana, suiza, marruecos
        """,
        "region": """
            alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, district of columbia,
            florida, hawaii, idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland,
            massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new
            jersey, new mexico, new york, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode
            island, south carolina, south dakota, tennessee, texas, utah, vermont, virginia, washington, west
            virginia, wisconsin, wyoming, abroad, wien, steiermark, tirol, salzburg, karnten, burgenland, vorarlberg,
            niederosterreich, oberosterreich, bayern, hessen, sachsen, thuringen, hamburg, berlin, bremen, saarland,
            brandenburg, niedersachsen, nordrhein westfalen, baden wurttemberg, bretagne, normandie, occitanie,
            lombardia, piemonte, toscana, veneto, lazio, sicilia, sardegna, andalucia, cataluna, galicia, aragon,
            murcia
        """,
        "person": """
            anna, maria, marie, sofia, sophia, sophie, emma, laura, julia, sarah, lena, lea, eva, elisabeth,
            elizabeth, katharina, christina, susanne, monika, ursula, barbara, andrea, sabine, claudia, petra,
            johanna, magdalena, theresa, paul, peter, thomas, michael, johann, josef, franz, andreas, markus, stefan,
            martin, christian, wolfgang, alexander, florian, lukas, david, daniel, felix, jakob, maximilian, hans,
            karl, jean, pierre, jacques, nicolas, julien, camille, chloe, nathalie, isabelle, philippe, francois,
            luca, marco, giuseppe, giovanni, francesco, alessandro, matteo, antonio, chiara, giulia, francesca, elena,
            paola, carlos, jose, juan, luis, miguel, javier, carmen, ana, isabel, lucia, john, james, robert, william,
            mary, patricia, jennifer, linda, susan, jessica, emily, george, charles, richard, joseph, mark, steven,
            kevin, brian, edward, oliver, jack, harry, gruber, huber, bauer, wagner, muller, mueller, pichler,
            steiner, moser, mayer, meier, hofer, schmidt, schneider, fischer, weber, schulz, hoffmann, bernard,
            dubois, durand, moreau, rossi, russo, ferrari, esposito, bianchi, romano, garcia, rodriguez, gonzalez,
            fernandez, lopez, martinez, sanchez, perez, smith, johnson, williams, brown, jones, davis, miller, wilson,
            taylor, anderson
        """,
    }
)
NO_ANSWERS: Final = frozenset(
    (
        *(
            "not in universe",
            "not in universe or children",
            "not identifiable",
            "not applicable",
            "n a",
            "na",
            "unknown",
        ),
        *(
            "other",
            "none",
            "no",
            "refused",
            "dont know",
            "do not know",
            "no answer",
            "missing",
            "all other",
            "do not know",
        ),
        *("keine angabe", "unbekannt", "sonstige", "andere", "entfallt", "inconnu", "autre", "aucun", "sans objet"),
        *("sconosciuto", "altro", "nessuno", "non applicabile", "desconocido", "otro", "ninguno", "no aplica", ""),
    )
)
"""What is written where a question has no answer; it says nothing of the column."""
VOCABULARIES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {key: frozenset(" ".join(word.split()) for word in words.split(",")) for key, words in _SHARED.items()}
)
"""By the key of a meaning: words as `plain` writes them."""
LEAST: Final[Mapping[str, float]] = MappingProxyType({"person": 0.3})
"""Share of the records from which the words of a vocabulary say what a column is."""
LEAST_OTHERS: Final = 0.6
FEWEST_WORDS: Final = 2
"""Different words of a vocabulary that must occur."""


# Numbers that carry their own check: whether a text is one, by its shape and its check digits.
#
# Sources: IBAN, ISO 13616 (remainder of 97); payment cards, ISO/IEC 7812-1 (Luhn); AHV/AVS, EAN-13 with the prefix
# 756 (Swiss Central Compensation Office); Austrian Sozialversicherungsnummer, weights 3 7 9 and 5 8 4 2 1 6,
# remainder of 11; German steuerliche Identifikationsnummer, ISO/IEC 7064 MOD 11,10; DNI and NIE, remainder of 23
# (Real Decreto 1553/2005); codice fiscale, D.M. 23.12.1976; numéro d'inscription au répertoire, 97 less the remainder
# of 97 (INSEE); NHS number, weights 10 to 2, remainder of 11 (NHS Data Dictionary); social security numbers of the
# United States have a shape, and areas that are never given (SSA).

_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CARD: Final = re.compile(r"[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}")
_AHV: Final = re.compile(r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}")
_SVNR: Final = re.compile(r"[1-9][0-9]{3}[ /-]?[0-9]{6}")
_STEUER_ID: Final = re.compile(r"[1-9][0-9] ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}")
_DNI: Final = re.compile(r"[0-9XYZ][0-9]{7}[ -]?[A-Z]")
_FISCALE: Final = re.compile(r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]")
_NIR: Final = re.compile(r"[12][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{6}[0-9]{2}")
_NHS: Final = re.compile(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}")
_SSN: Final = re.compile(r"(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_FISCALE_ODD: Final = dict(
    zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
    ), strict=True)
)  # fmt: skip


def is_iban(text: str) -> bool:
    """Return whether a text, without blanks, is an account with the right checksum.

    Examples
    --------
    >>> is_iban("AT611904300234573201"), is_iban("AT611904300234573202")
    (True, False)
    """
    if _IBAN.fullmatch(text) is None:
        return False
    digits = "".join(str(int(character, 36)) for character in text[4:] + text[:4])
    return int(digits) % 97 == 1


def is_card(text: str) -> bool:
    """Return whether a text is the number of a payment card: 13 to 19 digits with the check digit of Luhn."""
    if _CARD.fullmatch(text) is None:
        return False
    digits = _list_digits(text)
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_ahv(text: str) -> bool:
    """Return whether a text is a Swiss insurance number."""
    if _AHV.fullmatch(text) is None:
        return False
    *front, check = _list_digits(text)
    return (sum(front[::2]) + 3 * sum(front[1::2]) + check) % 10 == 0


def is_svnr(text: str) -> bool:
    """Return whether a text is an Austrian insurance number; the last six digits are a birthday, or stand for one."""
    if _SVNR.fullmatch(text) is None:
        return False
    digits = _list_digits(text)
    weighted = zip(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6), strict=True)
    day, month = 10 * digits[4] + digits[5], 10 * digits[6] + digits[7]
    return sum(digit * weight for digit, weight in weighted) % 11 == digits[3] and 1 <= day <= 31 and 1 <= month <= 15


def is_steuer_id(text: str) -> bool:
    """Return whether a text is a German tax number: of its first ten digits one occurs two or three times."""
    if _STEUER_ID.fullmatch(text) is None:
        return False
    *front, check = _list_digits(text)
    rest = 10
    for digit in front:
        rest = ((digit + rest) % 10 or 10) * 2 % 11
    repeated = [count for count in Counter(front).values() if count > 1]
    return (11 - rest) % 10 == check and len(repeated) == 1 and repeated[0] <= 3


def is_dni(text: str) -> bool:
    """Return whether a text is a Spanish identity number, of citizens or of foreigners."""
    if _DNI.fullmatch(text) is None:
        return False
    number = text[:8].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(number) % 23] == text[-1]


def is_codice_fiscale(text: str) -> bool:
    """Return whether a text is an Italian tax code."""
    if _FISCALE.fullmatch(text) is None:
        return False
    total = sum(_FISCALE_ODD[letter] for letter in text[:15:2])
    total += sum(int(letter) if letter.isdigit() else ord(letter) - ord("A") for letter in text[1:15:2])
    return chr(ord("A") + total % 26) == text[15]


def is_nir(text: str) -> bool:
    """Return whether a text, without blanks, is a French insurance number with its key."""
    if _NIR.fullmatch(text) is None:
        return False
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(text[13:])


def is_nhs(text: str) -> bool:
    """Return whether a text is a number of the British health service."""
    if _NHS.fullmatch(text) is None:
        return False
    *front, check = _list_digits(text)
    expected = 11 - sum(digit * weight for digit, weight in zip(front, range(10, 1, -1), strict=True)) % 11
    return expected != 10 and expected % 11 == check and any(front)


def is_ssn(text: str) -> bool:
    """Return whether a text has the shape of a social security number of the United States; it has no check digit."""
    return _SSN.fullmatch(text) is not None


def _list_digits(text: str) -> list[int]:
    return [int(character) for character in text if "0" <= character <= "9"]


def is_national(text: str) -> bool:
    """Return whether a text is one of the numbers that a state or an insurance gives to people."""
    plain = text.strip().upper()
    compact = plain.replace(" ", "")
    tests = (is_ahv, is_svnr, is_steuer_id, is_dni, is_nhs, is_ssn)
    return any(test(plain) for test in tests) or is_codice_fiscale(compact) or is_nir(compact)
