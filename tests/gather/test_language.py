"""Languages of texts long, short and none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.language import detect

ENGLISH = (
    "The jaguar is a large cat that lives in the forests of South America and hunts at night. "
)
GERMAN = "Der Jaguar ist eine große Katze, die in den Wäldern von Südamerika lebt und nachts jagt. "
FRENCH = (
    "Le jaguar est un grand félin qui vit dans les forêts de l'Amérique du Sud et chasse la nuit. "
)
RUSSIAN = "Ягуар — крупная кошка, которая живёт в лесах Южной Америки и охотится по ночам. "
JAPANESE = "ジャガーは南アメリカの森に住む大きな猫で、夜に狩りをします。水を恐れず、よく泳ぎます。"


TOWN = (
    "The town lies on the bank of the river and has about three hundred thousand inhabitants. In "
    "the Middle Ages it was an important place of trade where merchants from many lands met. "
    "Today it is mainly students and families who live here and like the old centre with its lanes."
)
STADT = (
    "Die Stadt liegt am Ufer des Rheins und hat rund dreihunderttausend Einwohner. Im Mittelalter "
    "war sie ein wichtiger Handelsplatz, an dem sich Kaufleute aus vielen Ländern trafen. Heute "
    "leben hier vor allem Studenten und Familien, die den alten Kern mit seinen Gassen schätzen."
)
VILLE = (
    "La ville est située au bord du fleuve et compte environ trois cent mille habitants. Au Moyen "
    "Âge, c'était une importante place de commerce où se rencontraient des marchands de nombreux "
    "pays. Aujourd'hui, ce sont surtout des étudiants et des familles qui y vivent."
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        (FRENCH, "fr"),
        (RUSSIAN, "ru"),
        (JAPANESE, "ja"),
        (TOWN, "en"),
        (STADT, "de"),
        (VILLE, "fr"),
    ],
    ids=lambda value: value[:9],
)
def test_prose(text: str, language: str) -> None:
    assert detect(text) == language


def test_text_overrules_what_the_page_declares() -> None:
    assert detect(GERMAN, declared="en") == "de"


@pytest.mark.parametrize(
    ("declared", "language"),
    [("en-GB", "en"), ("DE", "de"), ("", ""), ("1x", ""), ("e", ""), ("english", "")],
)
def test_too_short_to_tell(declared: str, language: str) -> None:
    assert detect("Jaguar", declared) == language


@given(st.text(max_size=300), st.text(max_size=5))
def test_any_text_has_a_code_or_none(text: str, declared: str) -> None:
    found = detect(text, declared)
    assert found == "" or (len(found) in (2, 3) and found.islower())
