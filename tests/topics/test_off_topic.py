"""Members that are linked with a topic, but with other words."""

import numpy as np
import pyarrow as pa

from weft.groups.titles import stem_languages
from weft.store.term_weights import TermWeights
from weft.topics.off_topic import find_off_topic_members, member_topic_cosines
from weft.topics.soft_membership import PageTopicPairs

CATS = " ".join(
    f"paw fur tail whisker claw hunt forest river prey spot cub roar {w}" for w in ("night", "moon")
)
CATS += " jungle swamp deer leap canopy shade stripe den mate track"
ADS = "loan credit bank offer rate money interest deal free quote save pay insure agent policy "
ADS += "cover cost cheap buy call apply terms"


def words_of(texts: list[str], language: str = "en") -> TermWeights:
    return TermWeights.from_texts([""] * len(texts), texts, [language] * len(texts))


def everyone(n: int, topics: int = 1) -> PageTopicPairs:
    return PageTopicPairs.from_mask(np.ones((n, topics), bool))


def test_an_advertiser_is_off_topic() -> None:
    words = words_of([CATS] * 6 + [ADS, ADS])
    found = find_off_topic_members(words, everyone(8))
    assert found.tolist() == [False] * 6 + [True, True]


def test_pages_with_few_words_are_not_judged() -> None:
    words = words_of([CATS] * 6 + ["loan credit bank", "loan credit bank"])
    assert not find_off_topic_members(words, everyone(8)).any()


def test_pages_in_another_language_are_not_judged() -> None:
    texts = [CATS] * 6 + [ADS] * 2
    words = TermWeights.from_texts([""] * 8, texts, ["en"] * 6 + ["de"] * 2)
    assert not find_off_topic_members(words, everyone(8)).any()


def test_similarity_is_a_cosine() -> None:
    words = words_of([CATS, CATS, ADS, ADS])
    members = PageTopicPairs.from_mask(np.array([[True, False]] * 2 + [[False, True]] * 2))
    assert np.allclose(member_topic_cosines(words, members), 1)
    mixed = member_topic_cosines(words, everyone(4))
    assert np.allclose(mixed, np.sqrt(0.5))


def test_without_words_no_page_is_off_topic() -> None:
    assert not find_off_topic_members(TermWeights.empty(3), everyone(3)).any()


def test_stems_have_language_prefixes() -> None:
    stems = pa.array(["ab", "de/a", "x", "en/b/c", "東京", "de/b", ""], pa.large_string())
    codes, names = stem_languages(stems)
    assert [names[code] for code in codes.tolist()] == ["", "de", "", "en", "", "de", ""]
    assert stem_languages(stems.slice(3, 1))[1] == ["en"]
    assert stem_languages(stems[:0])[1] == []
