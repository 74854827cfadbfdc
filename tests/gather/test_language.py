"""Language detection on long, short and empty texts."""

import py3langid
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.language_model import language_identifier
from weft.gather.text import (
    FUNCTION_WORDS,
    LANGUAGE_BY_WORD,
    classify_language,
    detect_by_function_words,
    detect_language_fast,
)

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


def detect(text: str, declared: str = "") -> str:
    """The language by the fast rules, or by the classifier if they are not certain."""
    language = detect_language_fast(text, declared)
    classified = classify_language(text) if language.endswith("?") else ""
    return classified or language.removesuffix("?")


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


def test_each_function_word_is_in_one_language() -> None:
    assert len(LANGUAGE_BY_WORD) == sum(len(words.split()) for words in FUNCTION_WORDS.values())


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (TOWN, "en"),
        (f"{STADT} {STADT}", "de"),
        (VILLE, "fr"),
        (f"{TOWN} {STADT} {STADT}", ""),
        (TOWN[:90], ""),
        ("Amsterdam Boston Cairo Denver " * 100 + TOWN, ""),
        (JAPANESE * 80 + TOWN, ""),
        ("", ""),
    ],
    ids=["English", "German", "French", "two languages", "brief", "a list", "few words", "nothing"],
)
def test_function_words_decide_for_prose_in_one_language(text: str, language: str) -> None:
    assert detect_by_function_words(text) == language


def test_uncertain_text_is_left_to_the_classifier() -> None:
    names = "Amsterdam Boston Cairo Denver Edinburgh Florence Geneva"
    assert detect_language_fast(names, "cy") == "cy?"
    assert detect_language_fast(TOWN, "cy") == "en"


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


# Texts full of the words that their languages share with German, English, Spanish or French.
RELATED = {
    "da": (
        "Jaguaren er den største kat i Amerika, og den er den eneste art af slægten der lever"
        " i den nye verden. Den lever i skoven, hvor der er vand, og den jager om natten. Der"
        " er ikke mange dyr der er farlige for den, og den er kendt for at svømme godt. Det "
        "er den kat der oftest bliver set ved floden, og den er fredet i de fleste lande."
    ),
    "nl": (
        "De jaguar is een grote kat die in Zuid-Amerika leeft. Het is de enige soort van het "
        "geslacht die daar voorkomt, en of hij nu in het bos of in het gras leeft, hij is "
        "altijd dicht bij water. Het dier was vroeger ook in het noorden te vinden, maar dat "
        "is niet meer zo. Is het donker, dan gaat hij op jacht, en wat hij vangt is groot of "
        "klein."
    ),
    "sv": (
        "Jaguaren är den största katten i Amerika och den enda arten i sitt släkte som lever "
        "där. Den lever i skogen, där det finns vatten, och den jagar om natten. Det är inte "
        "många djur som är farliga för den. Den kan simma, och den tar fisk ur floden. För "
        "den som vill se den är det bäst att vänta vid vattnet."
    ),
    "no": (
        "Jaguaren er den største katten i Amerika, og den er den eneste arten i slekten som "
        "lever der. Den lever i skogen, der det er vann, og den jakter om natten. Det er ikke"
        " mange dyr som er farlige for den, og den er kjent for å svømme godt. Der det er "
        "elver, der er den, og der den er, er det ikke andre katter. Den er fredet i de "
        "fleste land."
    ),
    "af": (
        "Die jaguar is die grootste kat in Amerika en die enigste soort van sy genus wat daar"
        " leef. Hy leef in die bos, naby water, en jag in die nag. Daar is nie baie diere wat"
        " vir hom gevaarlik is nie. Die jaguar is bekend as 'n goeie swemmer, en dit is wat "
        "hom van ander katte onderskei. Was dit nie vir die bos nie, was hy weg."
    ),
    "ca": (
        "El jaguar és el felí més gran de les Amèriques i l'única espècie del seu gènere que "
        "viu al nou món. Viu a la selva, prop dels rius, i caça de nit. No hi ha gaires "
        "animals que li facin por, i es diu que és un bon nedador. Per veure'l cal esperar "
        "amb paciència a la vora del riu. Els que el volen veure es posen els vestits de caça"
        " i es queden quiets; el riu es veu des de lluny i els ocells es senten."
    ),
    "la": (
        "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani,"
        " et tertiam qui ipsorum lingua Celtae, nostra Galli appellantur. Hi omnes lingua, "
        "institutis, legibus inter se differunt. Gallos ab Aquitanis Garumna flumen, a Belgis"
        " Matrona et Sequana dividit. Horum omnium fortissimi sunt Belgae, et longe absunt et"
        " bellum gerunt, et est et non est et hoc est quod et dicitur et fit."
    ),
    "ro": (
        "Jaguarul este cea mai mare felină din Americi și singura specie din genul său care "
        "trăiește în lumea nouă. Trăiește în pădure, lângă râuri, și vânează noaptea. Nu sunt"
        " multe animale care îi fac frică, și se spune că este un bun înotător. Se poate "
        "vedea la râu, unde se adapă, și se ascunde când se apropie oameni; se hrănește cu "
        "pește."
    ),
    "lb": (
        "De Jaguar ass déi gréisst Kaz an Amerika an déi eenzeg Aart vun hirer Gattung, déi "
        "do lieft. Si lieft am Bësch, no beim Waasser, a geet an der Nuecht op d'Juegd. Et "
        "ginn net vill Déieren, déi geféierlech fir si sinn. Den Jaguar kann och gutt "
        "schwammen, an den Fësch, deen en am Floss fänkt, ësst en op der Plaz."
    ),
}


@pytest.mark.parametrize("language", RELATED)
def test_shared_function_words_decide_nothing(language: str) -> None:
    for times in (1, 3):
        assert not detect_by_function_words((f"{RELATED[language]} " * times)[:1000])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [ENGLISH, GERMAN, RUSSIAN, JAPANESE, VILLE, STADT.upper(), "", "x", "\ud800\U0001f600"]
)
def test_the_mapped_model_classifies_as_langid_does(text: str) -> None:
    assert language_identifier().classify(text) == py3langid.classify(text)
