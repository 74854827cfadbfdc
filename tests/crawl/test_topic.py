"""Topics: what is relevant, and from where on."""

import pytest

from weft.crawl import CrawlTopic
from weft.crawl.topic import classified_text, url_words
from weft.gather.page import Link, Page

CARS = [f"engine wheel {word} road" for word in ("brake", "gear", "fuel", "speed")]
CATS = [f"jungle paw {word} prey" for word in ("claw", "whisker", "hunt", "tail")]


def page(text: str, name: str = "x", title: str = "") -> Page:
    return Page(f"http://w.org/{name}", text=text, title=title, language="en")


def pages(texts: list[str]) -> list[Page]:
    return [page(text, f"p{k}") for k, text in enumerate(texts)]


def test_without_a_topic_everything_is_relevant() -> None:
    topic = CrawlTopic()
    assert not topic.is_given
    assert not topic.has_words
    assert topic.relevance(page("anything")) == topic.similarity(page("")) == 1
    assert topic.is_relevant(topic.relevance(page("")))


def test_a_name_is_compared_by_its_words() -> None:
    topic = CrawlTopic("engine road")
    assert topic.is_given
    assert topic.relevance(page("an engine on the road")) == pytest.approx(1)
    assert topic.relevance(page("engine jungle")) == pytest.approx(1 / 2)
    assert topic.relevance(page("jungle")) == 0
    assert topic.is_relevant(topic.relevance(page("engine jungle")))
    assert not topic.is_relevant(0.0)


def test_examples_set_the_threshold() -> None:
    """Two examples with nothing in common: each has cosine 1/sqrt 2 with their centroid."""
    topic = CrawlTopic(examples=[page("engine"), page("jungle", "y")])
    assert topic.threshold == pytest.approx(0.5**0.5 / 2)
    assert topic.is_relevant(topic.relevance(page("engine")))
    assert not topic.is_relevant(topic.relevance(page("forest")))


def test_others_make_it_a_classifier() -> None:
    topic = CrawlTopic("cars", pages(CARS), pages(CATS))
    assert topic.classifier is not None
    car, cat = (topic.relevance(page(text)) for text in ("wheel and gear", "paw and tail"))
    assert car > 0.7
    assert cat < 0.3
    assert topic.is_relevant(car)
    assert not topic.is_relevant(cat)
    assert 0.2 < topic.threshold < 0.5


def test_similarity_stays_a_cosine_beside_a_classifier() -> None:
    topic = CrawlTopic("", pages(CARS), pages(CATS))
    assert topic.similarity(page("forest")) == 0
    assert topic.similarity(page("engine wheel")) > 0.5


def test_the_threshold_is_of_examples_that_were_held_out() -> None:
    """One example among those of cats looks like them, however well it is known."""
    topic = CrawlTopic("", [*pages(CARS), page("jungle paw claw prey", "q")], pages(CATS))
    inside = sorted(topic.relevance(example) for example in topic.examples)[2] / 2
    assert topic.threshold < inside


def test_one_example_and_one_other() -> None:
    topic = CrawlTopic("", [page("engine", "a")], [page("jungle", "b")])
    assert topic.threshold == pytest.approx(topic.relevance(topic.examples[0]) / 2)


def test_a_given_function_decides() -> None:
    topic = CrawlTopic("cars", relevance=lambda found: len(found.text) / 10)
    assert topic.relevance(page("12345")) == 0.5
    assert topic.is_relevant(0.5)
    assert not topic.is_relevant(0.49)
    assert CrawlTopic(relevance=lambda _: 0.3).similarity(page("x")) == 0.3


def test_title_and_url_count_three_times() -> None:
    text = classified_text(page("the text", "Great_Reef", "A title"))
    assert text.count("A title") == text.count("Great Reef") == 3
    assert text.endswith("\nthe text")
    assert url_words("http://w.org/") == url_words("http://w.org") == ""


def test_similarities_of_links() -> None:
    """An anchor of the topic, one beside its word, and one in another block."""
    text = "engine parts\nsee here road\nsee there"
    at = [text.index(word) for word in ("engine", "here", "there")]
    links = [
        Link(f"http://w.org/{k}", word, position=position)
        for k, (word, position) in enumerate(zip(("engine", "here", "there"), at, strict=True))
    ]
    found = Page("http://w.org/", text=text, language="en", links=tuple(links))
    anchors, contexts = CrawlTopic("engine road").link_similarities(found)
    assert anchors.tolist() == pytest.approx([0.5**0.5, 0, 0])
    assert contexts[0] == pytest.approx(1 / 2)
    assert contexts[1] > 0
    assert contexts[2] == 0


def test_terms_of_different_pages_are_not_mixed_up() -> None:
    topic = CrawlTopic("engine")
    first, second = page("engine"), page("jungle")
    assert [topic.similarity(p) for p in (first, second, first)] == [1, 0, 1]


def test_a_topic_has_a_one_line_repr() -> None:
    assert repr(CrawlTopic("cars", pages(CARS))) == "<CrawlTopic 'cars' with 4 examples>"


def test_a_name_matches_pages_in_their_own_language() -> None:
    topic = CrawlTopic("Bäume")
    german = Page("http://a.example/", text="Der Baum steht im Wald", language="de")
    english = Page("http://b.example/", text="A tree in the wood", language="en")
    assert topic.similarity(german) > 0
    assert topic.similarity(english) == 0


def test_relevance_is_a_number() -> None:
    assert CrawlTopic(relevance=lambda _: float("nan")).relevance(Page("http://a.example/")) == 0
