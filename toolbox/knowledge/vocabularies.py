"""Values by which a column is known whose name says nothing: sexes, marital statuses, countries, first names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_GAP: Final = re.compile(r"[\W_]+")

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


def plain(text: str) -> str:
    """Write a text in small letters, without accents, and with one blank between its words.

    Examples
    --------
    >>> plain("Married-civ-spouse"), plain(" Österreich ")
    ('married civ spouse', 'osterreich')
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return _GAP.sub(" ", letters).strip()
