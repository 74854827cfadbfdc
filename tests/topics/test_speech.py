"""Pages that are linked with a topic and speak of something else."""

import numpy as np
import pyarrow as pa

from weft.store.telling import Words
from weft.topics.belong import Members
from weft.topics.speech import likenesses, marks, strangers

CATS = " ".join(
    f"paw fur tail whisker claw hunt forest river prey spot cub roar {w}" for w in ("night", "moon")
)
CATS += " jungle swamp deer leap canopy shade stripe den mate track"
ADS = "loan credit bank offer rate money interest deal free quote save pay insure agent policy "
ADS += "cover cost cheap buy call apply terms"


def words_of(texts: list[str], language: str = "en") -> Words:
    return Words.of([""] * len(texts), texts, [language] * len(texts))


def everyone(n: int, topics: int = 1) -> Members:
    return Members.of(np.ones((n, topics), bool))


def test_an_advertiser_is_a_stranger() -> None:
    words = words_of([CATS] * 6 + [ADS, ADS])
    found = strangers(words, everyone(8))
    assert found.tolist() == [False] * 6 + [True, True]


def test_who_says_little_is_not_judged() -> None:
    words = words_of([CATS] * 6 + ["loan credit bank", "loan credit bank"])
    assert not strangers(words, everyone(8)).any()


def test_nor_who_speaks_another_language() -> None:
    texts = [CATS] * 6 + [ADS] * 2
    words = Words.of([""] * 8, texts, ["en"] * 6 + ["de"] * 2)
    assert not strangers(words, everyone(8)).any()


def test_likeness_is_a_cosine() -> None:
    words = words_of([CATS, CATS, ADS, ADS])
    members = Members.of(np.array([[True, False]] * 2 + [[False, True]] * 2))
    assert np.allclose(likenesses(words, members), 1)
    mixed = likenesses(words, everyone(4))
    assert np.allclose(mixed, np.sqrt(0.5))


def test_without_words_nobody_is_a_stranger() -> None:
    assert not strangers(Words.nothing(3), everyone(3)).any()


def test_stems_are_marked_with_their_language() -> None:
    stems = pa.array(["ab", "de/a", "x", "en/b/c", "東京", "de/b", ""], pa.large_string())
    codes, names = marks(stems)
    assert [names[code] for code in codes.tolist()] == ["", "de", "", "en", "", "de", ""]
    assert marks(stems.slice(3, 1))[1] == ["en"]
    assert marks(stems[:0])[1] == []
