"""Hierarchies of texts that everybody reads alike: addresses, telephone numbers, countries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar, Final
from unicodedata import combining, normalize

from toolbox.hierarchy.builders.builder import COUNTS, BadSettingError, FormField, Setting, Wrong
from toolbox.hierarchy.builders.texts import Naming, TextBuilder, say_keep
from toolbox.messages import mark, say

# Addresses of e-mail by domain and top-level domain: ``ada@mail.example.org``, ``*@mail.example.org``, ``*.org``.

_NAME: Final = re.compile(r'"[^"]*"|[^\s,;"]+')
_DOMAIN: Final = re.compile(r"[^\s@.\[\]<>,;]+(?:\.[^\s@.\[\]<>,;]+)*\.?")


@dataclass(frozen=True, kw_only=True)
class Email(TextBuilder):
    """The domain and the top-level domain."""

    name: ClassVar[str] = "email"
    title: ClassVar[str] = mark("Addresses of e-mail")
    sentence: ClassVar[str] = mark("The domain, then its end.")
    rank: ClassVar[int] = 120

    @property
    def hint(self) -> str:
        return say("Correct them: an address is name@domain.")

    def choose_sort_key(self, text: str) -> object:
        return tuple(reversed(text.rpartition("@")[2].lower().split(".")))

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return _name_domains


def _name_domains(text: str) -> tuple[str, ...] | None:
    name, _, domain = text.strip().rpartition("@")
    if not _NAME.fullmatch(name) or not _DOMAIN.fullmatch(domain):
        return None
    known = domain.lower().rstrip(".")
    return f"*@{known}", f"*.{known.rpartition('.')[2]}"


# Addresses of the internet by network: ``192.0.2.17``, ``192.0.2.0/24``, ``192.0.0.0/16``, ``192.0.0.0/8``.

_BITS: Final = (64, 48, 32)
"""Of the networks of IPv6."""
_PLAIN: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


@dataclass(frozen=True, kw_only=True)
class Ip(TextBuilder):
    """Networks of 24, 16 and 8 bits of IPv4, and of 64, 48 and 32 bits of IPv6."""

    name: ClassVar[str] = "ip"
    title: ClassVar[str] = mark("Addresses of the internet")
    sentence: ClassVar[str] = mark("192.0.2.17, then its networks.")
    rank: ClassVar[int] = 110

    @property
    def hint(self) -> str:
        return say("Correct them: an address is four numbers up to 255 with points between them, or one of IPv6.")

    def choose_sort_key(self, text: str) -> object:
        plain = text.strip()
        if _PLAIN.fullmatch(plain):
            return (4, *map(int, plain.split(".")))
        address = _parse_address(text)
        return (0,) if address is None else (address.version, int(address))

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return _name_networks


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        # Behind a percent sign stands where an address is known, which is no part of its network.
        return ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None


def _name_networks(text: str) -> tuple[str, ...] | None:
    address = _parse_address(text)
    if address is None:
        return None
    if address.version == 4:
        first, second, third, _ = str(address).split(".")
        return f"{first}.{second}.{third}.0/24", f"{first}.{second}.0.0/16", f"{first}.0.0.0/8"
    return tuple(str(ip_network((address, bits), strict=False)) for bits in _BITS)


# Telephone numbers by country and area: ``+43 316 123456``, ``+43 3161..``, ``+43 31..``, ``+43 ..``.

# Country codes of one and of two digits; all others have three. From ITU-T E.164, the list of assigned country codes.
_ONE: Final = frozenset("17")
_TWO: Final = re.compile("2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]")
_KEEPS_ZERO: Final = frozenset({"39", "378"})
"""Countries where the zero of a national number is dialled from abroad, too: Italy and San Marino."""
_TRUNKS: Final[Mapping[str, str]] = MappingProxyType({"1": "1", "7": "8"})
"""What a national number of eleven digits may begin with, where that is no zero: in North America and Russia."""
_BETWEEN: Final = re.compile(r"[\s./()\u2010-\u2015-]+")
_DIGITS: Final = re.compile(r"[0-9]{4,15}")


def _parse_country(text: str) -> str:
    digits = text.strip().removeprefix("+").removeprefix("00")
    if not digits.isascii() or not digits.isdigit() or _code_of(digits) != digits:
        raise BadSettingError(say("is no country code"), say("Write one, such as 43 or +43."))
    return digits


def _code_of(digits: str) -> str:
    """Return the country code with which a number begins."""
    length = 1 if digits[:1] in _ONE else 2 if _TWO.match(digits) else 3
    return digits[:length]


@dataclass(frozen=True, kw_only=True)
class Telephone(TextBuilder):
    """The country, and the first digits behind it, which are those of the area."""

    name: ClassVar[str] = "telephone"
    title: ClassVar[str] = mark("Telephone numbers")
    sentence: ClassVar[str] = mark("Areas, then countries.")
    rank: ClassVar[int] = 100
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "keep": FormField(
                mark("Digits after the country code that stay"), mark("On each level, the most first."), "4,2"
            ),
            "country": FormField(mark("Country code of numbers without one"), mark("43, say."), wants="number"),
        }
    )
    main: ClassVar[str | None] = "keep"
    sample: ClassVar[str] = "4,2"
    is_needed: ClassVar[bool] = False
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"keep": COUNTS, "country": Setting(_parse_country)})

    keep: tuple[int, ...] = (4, 2)
    """Digits after the country code that stay on each level, the narrowest first; above them is the country."""
    country: str | None = None
    """The country code of numbers that have none."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        for more, fewer in pairwise(self.keep):
            if fewer >= more:
                yield Wrong(say_keep(fewer, more), say("Write fewer digits on each level, such as 4,2."))

    @property
    def hint(self) -> str:
        if self.country is None:
            return say("Write country='43', say, if they have no country code, or correct them.")
        return say("Correct them: a number has 4 to 15 digits.")

    def choose_sort_key(self, text: str) -> object:
        return self._number(text) or ("", "")

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return self._named

    def _named(self, text: str) -> tuple[str, ...] | None:
        number = self._number(text)
        if number is None:
            return None
        country, rest = number
        # A short number has nothing to hide, and is told from longer ones that begin like it.
        hidden = (f"{rest[:keep]}{'..' if len(rest) > keep else ''}" for keep in self.keep)
        return (*(f"+{country} {digits}" for digits in hidden), f"+{country} ..")

    def _number(self, text: str) -> tuple[str, str] | None:
        """Return the country code and the digits behind it; None if a text is no number of a known country."""
        plain = _BETWEEN.sub("", text.replace("(0)", ""))
        digits = plain.removeprefix("+")
        if not _DIGITS.fullmatch(digits):
            return None
        if plain.startswith("+") or digits.startswith("00"):
            digits = digits if plain.startswith("+") else digits[2:]
            country = _code_of(digits)
            return None if digits.startswith("0") or len(digits) <= len(country) else (country, digits[len(country) :])
        return None if self.country is None else (self.country, self._strip_national_prefix(digits))

    def _strip_national_prefix(self, digits: str) -> str:
        """Remove what a number begins with within a country only."""
        assert self.country is not None
        trunk = _TRUNKS.get(self.country, "0")
        is_long = trunk == "0" or len(digits) == 11
        return digits[1:] if digits.startswith(trunk) and is_long and self.country not in _KEEPS_ZERO else digits


# Countries by their codes of two or three letters, or by their names: ``AT``, ``Western Europe``, ``Europe``.

# From the standard country or area codes for statistical use of the United Nations (M49), with the codes of ISO 3166-1,
# UK and EL as Eurostat writes them, and XK for Kosovo. M49 does not list Taiwan, which stands with its neighbours.
_REGIONS: Final[tuple[tuple[str, str, str], ...]] = (
    ("Africa", "Northern Africa",
     "DZ DZA EG EGY LY LBY MA MAR SD SDN TN TUN EH ESH"),
    ("Africa", "Eastern Africa",
     "IO IOT BI BDI KM COM DJ DJI ER ERI ET ETH TF ATF KE KEN MG MDG MW MWI MU MUS YT MYT MZ MOZ RE REU RW "
     "RWA SC SYC SO SOM SS SSD UG UGA TZ TZA ZM ZMB ZW ZWE"),
    ("Africa", "Middle Africa",
     "AO AGO CM CMR CF CAF TD TCD CG COG CD COD GQ GNQ GA GAB ST STP"),
    ("Africa", "Southern Africa",
     "BW BWA SZ SWZ LS LSO NA NAM ZA ZAF"),
    ("Africa", "Western Africa",
     "BJ BEN BF BFA CV CPV CI CIV GM GMB GH GHA GN GIN GW GNB LR LBR ML MLI MR MRT NE NER NG NGA SH SHN SN "
     "SEN SL SLE TG TGO"),
    ("Americas", "Caribbean",
     "AI AIA AG ATG AW ABW BS BHS BB BRB BQ BES VG VGB KY CYM CU CUB CW CUW DM DMA DO DOM GD GRD GP GLP HT "
     "HTI JM JAM MQ MTQ MS MSR PR PRI BL BLM KN KNA LC LCA MF MAF VC VCT SX SXM TT TTO TC TCA VI VIR"),
    ("Americas", "Central America",
     "BZ BLZ CR CRI SV SLV GT GTM HN HND MX MEX NI NIC PA PAN"),
    ("Americas", "South America",
     "AR ARG BO BOL BV BVT BR BRA CL CHL CO COL EC ECU FK FLK GF GUF GY GUY PY PRY PE PER GS SGS SR SUR UY "
     "URY VE VEN"),
    ("Americas", "Northern America",
     "BM BMU CA CAN GL GRL PM SPM US USA"),
    ("Asia", "Central Asia",
     "KZ KAZ KG KGZ TJ TJK TM TKM UZ UZB"),
    ("Asia", "Eastern Asia",
     "CN CHN HK HKG MO MAC JP JPN KP PRK KR KOR MN MNG TW TWN"),
    ("Asia", "South-eastern Asia",
     "BN BRN KH KHM ID IDN LA LAO MY MYS MM MMR PH PHL SG SGP TH THA TL TLS VN VNM"),
    ("Asia", "Southern Asia",
     "AF AFG BD BGD BT BTN IN IND IR IRN MV MDV NP NPL PK PAK LK LKA"),
    ("Asia", "Western Asia",
     "AM ARM AZ AZE BH BHR CY CYP GE GEO IQ IRQ IL ISR JO JOR KW KWT LB LBN OM OMN QA QAT SA SAU PS PSE SY "
     "SYR TR TUR AE ARE YE YEM"),
    ("Europe", "Eastern Europe",
     "BY BLR BG BGR CZ CZE HU HUN PL POL MD MDA RO ROU RU RUS SK SVK UA UKR"),
    ("Europe", "Northern Europe",
     "AX ALA DK DNK EE EST FO FRO FI FIN IS ISL IE IRL IM IMN LV LVA LT LTU NO NOR SJ SJM SE SWE GB GBR GG "
     "GGY JE JEY UK"),
    ("Europe", "Southern Europe",
     "AL ALB AD AND BA BIH HR HRV GI GIB GR GRC VA VAT IT ITA MT MLT ME MNE MK MKD PT PRT SM SMR RS SRB SI "
     "SVN ES ESP XK XKX EL"),
    ("Europe", "Western Europe",
     "AT AUT BE BEL FR FRA DE DEU LI LIE LU LUX MC MCO NL NLD CH CHE"),
    ("Oceania", "Australia and New Zealand",
     "AU AUS CX CXR CC CCK HM HMD NZ NZL NF NFK"),
    ("Oceania", "Melanesia",
     "FJ FJI NC NCL PG PNG SB SLB VU VUT"),
    ("Oceania", "Micronesia",
     "GU GUM KI KIR MH MHL FM FSM NR NRU MP MNP PW PLW UM UMI"),
    ("Oceania", "Polynesia",
     "AS ASM CK COK PF PYF NU NIU PN PCN WS WSM TK TKL TO TON TV TUV WF WLF"),
    ("Antarctica", "Antarctica",
     "AQ ATA"),
)  # fmt: skip


_NAMES: Final = (
    "AF afghanistan, AX aland islands, AL albania, DZ algeria, AS american samoa, AD andorra, AO angola, "
    "AI anguilla, AQ antarctica, AG antigua and barbuda, AR argentina, AM armenia, AW aruba, AU australia, "
    "AT austria, AZ azerbaijan, BS bahamas, BH bahrain, BD bangladesh, BB barbados, BY belarus, BE belgium, "
    "BZ belize, BJ benin, BM bermuda, BT bhutan, BO bolivia, BA bosnia and herzegovina, BA bosnia, BW botswana, "
    "BR brazil, BN brunei, BG bulgaria, BF burkina faso, BI burundi, CV cabo verde, CV cape verde, KH cambodia, "
    "CM cameroon, CA canada, KY cayman islands, CF central african republic, TD chad, CL chile, CN china, "
    "CO colombia, KM comoros, CG congo, CD dr congo, CD democratic republic of the congo, CK cook islands, "
    "CR costa rica, CI cote d ivoire, CI ivory coast, HR croatia, CU cuba, CW curacao, CY cyprus, CZ czechia, "
    "CZ czech republic, DK denmark, DJ djibouti, DM dominica, DO dominican republic, EC ecuador, EG egypt, "
    "SV el salvador, GB england, GQ equatorial guinea, ER eritrea, EE estonia, SZ eswatini, SZ swaziland, "
    "ET ethiopia, FO faroe islands, FJ fiji, FI finland, FR france, GF french guiana, PF french polynesia, "
    "GA gabon, GM gambia, GE georgia, DE germany, GH ghana, GI gibraltar, GB great britain, GR greece, "
    "GL greenland, GD grenada, GP guadeloupe, GU guam, GT guatemala, GG guernsey, GN guinea, GW guinea bissau, "
    "GY guyana, HT haiti, VA holy see, HN honduras, HK hong kong, HU hungary, IS iceland, IN india, ID indonesia, "
    "IR iran, IQ iraq, IE ireland, IM isle of man, IL israel, IT italy, JM jamaica, JP japan, JE jersey, "
    "JO jordan, KZ kazakhstan, KE kenya, KI kiribati, XK kosovo, KW kuwait, KG kyrgyzstan, LA laos, LV latvia, "
    "LB lebanon, LS lesotho, LR liberia, LY libya, LI liechtenstein, LT lithuania, LU luxembourg, MO macao, "
    "MG madagascar, MW malawi, MY malaysia, MV maldives, ML mali, MT malta, MH marshall islands, MQ martinique, "
    "MR mauritania, MU mauritius, YT mayotte, MX mexico, FM micronesia, MD moldova, MC monaco, MN mongolia, "
    "ME montenegro, MS montserrat, MA morocco, MZ mozambique, MM myanmar, MM burma, NA namibia, NR nauru, "
    "NP nepal, NL netherlands, NL holland, NC new caledonia, NZ new zealand, NI nicaragua, NE niger, NG nigeria, "
    "NU niue, KP north korea, MK north macedonia, MK macedonia, GB northern ireland, NO norway, OM oman, "
    "PK pakistan, PW palau, PS palestine, PA panama, PG papua new guinea, PY paraguay, PE peru, PH philippines, "
    "PL poland, PT portugal, PR puerto rico, QA qatar, RE reunion, RO romania, RU russia, RU russian federation, "
    "RW rwanda, KN saint kitts and nevis, LC saint lucia, VC saint vincent and the grenadines, WS samoa, "
    "SM san marino, ST sao tome and principe, SA saudi arabia, GB scotland, SN senegal, RS serbia, SC seychelles, "
    "SL sierra leone, SG singapore, SX sint maarten, SK slovakia, SI slovenia, SB solomon islands, SO somalia, "
    "ZA south africa, KR south korea, KR korea, SS south sudan, ES spain, LK sri lanka, SD sudan, SR suriname, "
    "SE sweden, CH switzerland, SY syria, TW taiwan, TJ tajikistan, TZ tanzania, TH thailand, TL timor leste, "
    "TG togo, TO tonga, TT trinidad and tobago, TN tunisia, TR turkey, TR turkiye, TM turkmenistan, TV tuvalu, "
    "UG uganda, UA ukraine, AE united arab emirates, GB united kingdom, US united states, "
    "US united states of america, US usa, UY uruguay, UZ uzbekistan, VU vanuatu, VE venezuela, VN vietnam, "
    "VN viet nam, GB wales, EH western sahara, YE yemen, ZM zambia, ZW zimbabwe, "
    "AF afganistan, ZA afrique du sud, EG agypten, AL albanie, AL albanien, DE alemania, DZ algerie, DZ algerien, "
    "DE allemagne, AD andorre, AQ antarktis, GQ aquatorialguinea, SA arabia saudi, SA arabia saudita, "
    "SA arabie saoudite, DZ argelia, AR argentine, AR argentinien, AM armenie, AM armenien, AZ aserbaidschan, "
    "ET athiopien, AU australie, AU australien, AT autriche, AZ azerbaidjan, AZ azerbaigian, AZ azerbaiyan, "
    "BH bahrein, BD banglades, BD bangladesch, BB barbade, BH barein, BE belgica, BE belgien, BE belgio, "
    "BE belgique, BZ belice, BM bermudes, BY bielorrusia, BY bielorussia, BY bielorussie, MM birmania, "
    "MM birmanie, BO bolivie, BO bolivien, BA bosnia ed erzegovina, BA bosnia erzegovina, BA bosnia y herzegovina, "
    "BA bosnie herzegovine, BA bosnien, BA bosnien herzegowina, BA bosnien und herzegowina, BW botsuana, "
    "BR brasil, BR brasile, BR brasilien, BR bresil, BG bulgarie, BG bulgarien, BT butan, KH cambodge, "
    "KH cambogia, KH camboya, CM cameroun, CM camerun, CV cap vert, CV capo verde, QA catar, CZ cechia, "
    "CZ chequia, CL chili, CN chine, CY chipre, CY chypre, TD ciad, CL cile, CN cina, CY cipro, CO colombie, "
    "KM comores, KP corea del nord, KP corea del norte, KR corea del sud, KR corea del sur, KP coree du nord, "
    "KR coree du sud, CI costa d avorio, CI costa de marfil, HR croacia, HR croatie, HR croazia, DK danemark, "
    "DK danimarca, CD demokratische republik kongo, DE deutschland, DK dinamarca, DO dominikanische republik, "
    "DJ dschibuti, US ee uu, EG egipto, EG egitto, EG egypte, CI elfenbeinkuste, AE emirati arabi uniti, "
    "AE emiratos arabes unidos, AE emirats arabes unis, EC equateur, ER erythree, SK eslovaquia, SI eslovenia, "
    "ES espagne, ES espana, US estados unidos, EE estland, EE estonie, US etats unis, ET ethiopie, ET etiopia, "
    "RU federacion rusa, FJ fidschi, PH filipinas, PH filippine, FI finlande, FI finlandia, FI finnland, "
    "FR francia, FR frankreich, GA gabun, GM gambie, GE georgie, GE georgien, DE germania, JM giamaica, "
    "JP giappone, DJ gibuti, JO giordania, GR grece, GR grecia, GR griechenland, GL gronland, GB grossbritannien, "
    "GN guinee, GW guinee bissau, GQ guinee equatoriale, HK hongkong, HU hongrie, HU hungria, IN inde, IN indien, "
    "ID indonesie, ID indonesien, IQ irak, IE irland, IE irlanda, IE irlande, IS island, IS islanda, IS islande, "
    "IS islandia, IL israele, IT italia, IT italie, IT italien, JM jamaika, JM jamaique, JP japon, YE jemen, "
    "JO jordania, JO jordanie, JO jordanien, KH kambodscha, CM kamerun, CA kanada, CV kap verde, KZ kasachstan, "
    "QA katar, KZ kazajistan, KZ kazakistan, KE kenia, KG kirghizistan, KG kirgisistan, KG kirguistan, "
    "CO kolumbien, KM komoren, CG kongo, KW koweit, HR kroatien, CU kuba, LV letonia, LV lettland, LV lettonia, "
    "LV lettonie, LB liban, LB libano, LB libanon, LY libia, LY libye, LY libyen, LT litauen, LT lituania, "
    "LT lituanie, LU lussemburgo, LU luxemburg, LU luxemburgo, MK macedoine du nord, MK macedonia del nord, "
    "MG madagaskar, MY malaisie, MY malasia, MV malediven, MT malte, MA maroc, MA marocco, MA marokko, "
    "MA marruecos, MR mauretanien, MU maurice, MU mauricio, MR mauritanie, MX messico, MX mexiko, MX mexique, "
    "MD moldau, MD moldavia, MD moldavie, MN mongolei, MN mongolie, MZ mosambik, MZ mozambico, NA namibie, "
    "NZ neuseeland, NL niederlande, KP nordkorea, MK nordmazedonien, NO noruega, NO norvege, NO norvegia, "
    "NO norwegen, NZ nouvelle zelande, NZ nueva zelanda, NZ nuova zelanda, AT osterreich, UG ouganda, "
    "UZ ouzbekistan, NL paesi bassi, NL paises bajos, PS palastina, PG papua neuguinea, NL pays bas, PE perou, "
    "PH philippinen, PL polen, PL pologne, PL polonia, PT portogallo, GB regno unito, GB reino unido, "
    "CZ repubblica ceca, CF repubblica centrafricana, CD repubblica democratica del congo, "
    "DO repubblica dominicana, CF republica centroafricana, CZ republica checa, DO republica dominicana, "
    "CF republique centrafricaine, CD republique democratique du congo, DO republique dominicaine, "
    "CG republique du congo, CZ republique tcheque, RO roumanie, GB royaume uni, RW ruanda, RO rumania, "
    "RO rumanien, RU rusia, RU russie, RU russische foderation, RU russland, SV salvador, ZM sambia, "
    "SA saudi arabien, SE schweden, CH schweiz, RS serbie, RS serbien, SC seychellen, ZW simbabwe, SG singapour, "
    "SG singapur, SY siria, SK slovacchia, SK slovaquie, SI slovenie, SK slowakei, SI slowenien, SO somalie, "
    "SD soudan, SS soudan du sud, ES spagna, ES spanien, US stati uniti, ZA sudafrica, ZA sudafrika, "
    "SS sudan del sud, SS sudan del sur, KR sudkorea, SS sudsudan, SE suecia, SE suede, CH suisse, CH suiza, "
    "SE svezia, CH svizzera, SY syrie, SY syrien, TJ tadjikistan, TJ tadschikistan, TJ tagikistan, TH tailandia, "
    "TZ tansania, TZ tanzanie, TJ tayikistan, CZ tchequie, TH thailande, TH thailandia, TT trinidad und tobago, "
    "TT trinidad y tobago, TD tschad, CZ tschechien, CZ tschechische republik, TN tunesien, TN tunez, TN tunisie, "
    "TR turchia, TR turkei, TR turquia, TR turquie, UA ucraina, UA ucrania, HU ungarn, HU ungheria, UZ usbekistan, "
    "AE vereinigte arabische emirate, US vereinigte staaten, US vereinigte staaten von amerika, "
    "GB vereinigtes konigreich, BY weissrussland, EH westsahara, DJ yibuti, ZM zambie, "
    "CF zentralafrikanische republik, ZW zimbabue, CY zypern"
)  # fmt: skip
"""Codes with names, without accents: in English, then what German, French, Italian and Spanish call otherwise."""
_NO_LETTERS: Final = re.compile(r"[^a-z0-9]+")
_ARTICLE: Final = re.compile(r"^(?:the|la|le|les|l|die|der|el|los) ")


@cache
def _find_regions() -> Mapping[str, tuple[str, str]]:
    """Return the region and the continent of each code, and of each name."""
    found = {code: (region, continent) for continent, region, codes in _REGIONS for code in codes.split()}
    named = (entry.partition(" ") for entry in _NAMES.split(", "))
    return {**found, **{name: found[code] for code, _, name in named}}


def _find_region(text: str) -> tuple[str, str] | None:
    """Return the region and the continent of a code or a name, however it is spelt."""
    regions = _find_regions()
    if found := regions.get(text.strip().upper()):
        return found
    # Iran, Islamic Republic of
    short = text.casefold().partition(",")[0]
    plain = "".join(letter for letter in normalize("NFKD", short) if not combining(letter))
    name = _NO_LETTERS.sub(" ", plain.replace("&", " and ")).strip()
    return regions.get(name) or regions.get(_ARTICLE.sub("", name))


@dataclass(frozen=True, kw_only=True)
class Countries(TextBuilder):
    """The region and the continent, as the United Nations have them."""

    name: ClassVar[str] = "countries"
    title: ClassVar[str] = mark("Countries")
    sentence: ClassVar[str] = mark("AT, AUT or Austria, then the region and the continent.")
    rank: ClassVar[int] = 95

    @property
    def hint(self) -> str:
        return say("Correct them: a country is a code of ISO 3166 or a name, such as AT, AUT or Austria.")

    def choose_sort_key(self, text: str) -> object:
        return (*reversed(_find_region(text) or ("", "")), text.strip().casefold())

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return _name_regions


def _name_regions(text: str) -> tuple[str, ...] | None:
    return _find_region(text)
