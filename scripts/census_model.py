"""The made-up population behind `generate_census`: its vocabulary, and how one attribute depends on others.

Each table holds whole numbers: one row per condition, one weight per category, every row of a table
with the same sum. No figure is that of a real country; only the direction of the dependencies is.
"""

from __future__ import annotations

AGES = range(17, 91)
AGE_WEIGHTS = [60 if age < 25 else 85 if age < 60 else 85 - 5 * (age - 59) // 2 for age in AGES]
AGE_GROUP_STARTS = (23, 30, 45, 65)
"""The first ages of the second to the fifth age group; most tables below have one row per age group."""

SEXES = ("Female", "Male")
SEX_BY_AGE = ((49, 51), (49, 51), (50, 50), (51, 49), (56, 44))

MARITAL_STATUSES = ("Single", "Partnered", "Married", "Separated", "Divorced", "Widowed")
MARITAL_STATUS_BY_AGE = (
    (90, 8, 2, 0, 0, 0),
    (55, 25, 18, 1, 1, 0),
    (22, 18, 49, 4, 7, 0),
    (10, 8, 60, 4, 15, 3),
    (5, 3, 54, 2, 11, 25),
)

EDUCATION_LEVELS = {
    "Basic": ("No schooling", "Primary school", "Lower secondary"),
    "Secondary": ("Upper secondary", "Evening school"),
    "Vocational": ("Apprenticeship", "Trade certificate", "Technical diploma"),
    "University": ("First degree", "Second degree", "Professional degree", "Research degree"),
}
EDUCATION_BY_AGE = (
    (0, 2, 34, 43, 1, 10, 4, 4, 2, 0, 0, 0),
    (0, 1, 10, 22, 2, 16, 9, 11, 19, 8, 1, 1),
    (1, 2, 10, 17, 2, 17, 11, 11, 15, 10, 2, 2),
    (1, 4, 14, 17, 3, 20, 12, 10, 10, 6, 2, 1),
    (3, 14, 22, 17, 2, 19, 9, 5, 4, 3, 1, 1),
)

SECTORS = {
    "Service": ("Cleaner", "Kitchen staff", "Shop assistant"),
    "Production": ("Farm worker", "Driver", "Machine operator"),
    "Trades": ("Builder", "Electrician", "Mechanic"),
    "Care and teaching": ("Care worker", "Nurse", "Teacher", "Physician"),
    "Office": ("Clerk", "Accountant", "Manager"),
    "Technology": ("Engineer", "Programmer"),
}
OCCUPATION_BY_EDUCATION_AND_SEX = (
    (24, 16, 20, 6, 2, 9, 1, 0, 0, 13, 1, 0, 0, 7, 0, 1, 0, 0),
    (9, 9, 7, 10, 16, 15, 21, 2, 5, 2, 0, 0, 0, 2, 0, 2, 0, 0),
    (7, 9, 24, 2, 1, 4, 0, 0, 0, 13, 3, 2, 0, 28, 3, 3, 0, 1),
    (4, 6, 13, 5, 13, 14, 12, 4, 7, 2, 1, 1, 0, 10, 2, 3, 0, 3),
    (3, 7, 17, 3, 1, 4, 1, 1, 1, 16, 17, 4, 0, 16, 5, 2, 1, 1),
    (1, 5, 7, 5, 8, 10, 15, 15, 14, 2, 3, 1, 0, 4, 2, 3, 3, 2),
    (0, 1, 5, 1, 0, 0, 0, 0, 0, 4, 11, 27, 6, 13, 10, 10, 6, 6),
    (0, 1, 5, 1, 2, 1, 1, 1, 1, 1, 3, 13, 5, 8, 10, 13, 18, 16),
)
"""Two rows, women and men, per level of education."""

WORKCLASSES_AT_WORK = (
    "Company employee",
    "Family business",
    "Freelance",
    "Business owner",
    "Municipal service",
    "State service",
    "Charity",
)
WORKCLASSES_NOT_AT_WORK = ("Seeking work", "Keeping house", "Retired")
WORKCLASS_BY_SECTOR = (
    (66, 12, 5, 5, 8, 2, 2),
    (66, 16, 4, 6, 5, 2, 1),
    (70, 9, 9, 8, 3, 1, 0),
    (30, 2, 7, 4, 24, 22, 11),
    (62, 4, 5, 8, 9, 9, 3),
    (74, 2, 12, 5, 2, 4, 1),
)
STATUS_BY_AGE = ((86, 9, 5, 0), (88, 6, 6, 0), (90, 4, 6, 0), (84, 4, 5, 7), (12, 0, 3, 85))
"""At work, or one of the classes of those who are not; these keep the occupation that they had."""

SALARY_CLASSES = ("Modest", "Middle", "High")
SALARY_STARTS = (7, 11)
"""The first scores of the second and the third salary class; a score is a sum of points and of luck, 0 to 4."""
SALARY_POINTS_OF_EDUCATION = (0, 1, 2, 4)
SALARY_POINTS_OF_SECTOR = (0, 1, 1, 1, 2, 3)
SALARY_POINTS_OF_AGE = (0, 1, 2, 3, 2)
SALARY_POINTS_OF_WORK = 2

HOME_COUNTRY = "Austria"
FOREIGNERS = {
    "Central Europe": {"Slovakia": 40, "Czechia": 34, "Slovenia": 24, "Switzerland": 13, "Liechtenstein": 2},
    "Northern and Western Europe": {"Spain": 10, "Sweden": 8, "Belgium": 6, "Denmark": 4, "Norway": 3, "Finland": 3},
    "South-East Europe": {
        "Serbia": 105,
        "Bosnia": 96,
        "Romania": 88,
        "Croatia": 48,
        "Kosovo": 33,
        "Bulgaria": 24,
        "North Macedonia": 19,
        "Albania": 7,
    },
    "Eastern Europe": {"Ukraine": 36, "Moldova": 6, "Georgia": 4, "Armenia": 3, "Belarus": 2},
    "Middle East": {"Turkey": 92, "Syria": 45, "Iraq": 14, "Lebanon": 4, "Jordan": 2},
    "Africa": {"Egypt": 12, "Nigeria": 9, "Somalia": 6, "Morocco": 5, "Tunisia": 4, "Ghana": 3, "Kenya": 2},
    "Asia": {"Afghanistan": 38, "Pakistan": 9, "Nepal": 5, "Bangladesh": 4, "Indonesia": 3, "Sri Lanka": 2},
    "Overseas": {"Brazil": 9, "Argentina": 3, "Australia": 3, "Chile": 2, "New Zealand": 1},
}
"""Per region, the countries of birth of the one person in ten who was born abroad; a long tail."""

RACES = ("European", "Middle Eastern", "African", "South Asian", "East Asian", "Mixed")
RACE_BY_REGION = (
    (92, 3, 1, 1, 1, 2),
    (90, 3, 3, 1, 1, 2),
    (93, 5, 0, 0, 0, 2),
    (94, 4, 0, 0, 1, 1),
    (14, 80, 1, 1, 0, 4),
    (3, 37, 54, 1, 0, 5),
    (3, 11, 1, 62, 19, 4),
    (62, 4, 7, 3, 8, 16),
)

DIAGNOSES = (
    "Common cold",
    "High blood pressure",
    "Back pain",
    "Asthma",
    "Diabetes",
    "Depression",
    "Anxiety",
    "Migraine",
    "Arthritis",
    "Heart failure",
    "Cancer",
    "HIV",
)
DIAGNOSIS_BY_AGE = (
    (340, 90, 130, 130, 40, 85, 100, 60, 8, 7, 5, 5),
    (330, 105, 145, 115, 50, 85, 80, 58, 12, 7, 7, 6),
    (310, 150, 150, 95, 70, 75, 65, 45, 20, 8, 7, 5),
    (280, 190, 145, 75, 95, 65, 48, 30, 40, 14, 13, 5),
    (240, 230, 115, 60, 115, 50, 35, 15, 75, 35, 26, 4),
)

VISITS_BY_AGE = (
    (30, 26, 18, 11, 6, 4, 2, 1, 1, 1),
    (28, 26, 18, 12, 7, 4, 2, 1, 1, 1),
    (24, 25, 19, 13, 8, 5, 3, 1, 1, 1),
    (17, 22, 20, 15, 10, 7, 4, 2, 2, 1),
    (9, 16, 19, 18, 14, 10, 6, 4, 2, 2),
)
"""Visits to a doctor within a year: 0 to 9."""

EDUCATIONS = tuple(name for names in EDUCATION_LEVELS.values() for name in names)
OCCUPATIONS = tuple(name for names in SECTORS.values() for name in names)
WORKCLASSES = (*WORKCLASSES_AT_WORK, *WORKCLASSES_NOT_AT_WORK)
COUNTRIES = (HOME_COUNTRY, *(name for region in FOREIGNERS.values() for name in region))

VOCABULARY: dict[str, tuple[str, ...]] = {
    "sex": SEXES,
    "race": RACES,
    "marital-status": MARITAL_STATUSES,
    "education": EDUCATIONS,
    "native-country": COUNTRIES,
    "workclass": WORKCLASSES,
    "occupation": OCCUPATIONS,
    "salary-class": SALARY_CLASSES,
}
"""What each quasi-identifier other than the age can be, in the order of its codes."""
