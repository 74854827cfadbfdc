"""Labels by hand: what is said, what others say too, and what is left without words."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from weft.engine import CLOSED
from weft.gather.demoweb import Truth, truth_path
from weft.graph.expand import expand
from weft.graph.views import subgraph
from weft.rank import hits
from weft.run.workspace import Workspace
from weft.store.telling import Words
from weft.topics import Topic, Topics
from weft.topics.labels import labelled

Make = Callable[..., Topics]


def test_each_topic_has_its_own_words(cats_and_cars: Topics) -> None:
    cars, cats = labelled(cats_and_cars)
    assert cars.label[0] in {"cars", "classic cars"}
    assert cats.label[0] == "big cats"
    assert cars.name != cats.name


def test_words_of_the_query_are_left_out(cats_and_cars: Topics) -> None:
    words = " ".join(chain(*(topic.label for topic in labelled(cats_and_cars))))
    assert "jaguar" not in words
    other = replace(cats_and_cars, base=replace(cats_and_cars.base, query="cars"))
    assert not any("car" in term.split() for topic in labelled(other) for term in topic.label)


def test_the_title_is_that_of_the_best_hub_with_a_telling_one(cats_and_cars: Topics) -> None:
    cars, cats = labelled(cats_and_cars)
    assert cars.title == "Classic car links"
    assert cats.title == "Jaguars and other big cats"


def test_terms_do_not_repeat_each_other(cats_and_cars: Topics) -> None:
    for topic in labelled(cats_and_cars):
        words = [word for term in topic.label for word in term.split()]
        assert len(words) == len(set(words))
        assert 1 <= len(topic.label) <= 3


def test_what_every_topic_says_names_none(make: Make) -> None:
    links = {
        ("a", "x"): "annual report fishing",
        ("b", "x"): "annual report fishing",
        ("c", "y"): "annual report sailing",
        ("d", "y"): "annual report sailing",
    }
    one, two = labelled(make(links, {}, ["a b x", "c d y"]))
    assert "fishing" in one.label[0]
    assert "sailing" in two.label[0]
    assert one.label[0] != "annual report"


def test_a_single_topic_is_named_too(make: Make) -> None:
    [only] = labelled(make({("a", "x"): "fishing", ("b", "x"): "fishing"}, {}, ["a b x"]))
    assert only.label == ("fishing",)


def test_one_site_alone_does_not_name_a_topic(make: Make) -> None:
    """Two pages of one person say the name of the person, two others what it is about."""
    hubs = {
        "http://a.org/1": "Ann Lee",
        "http://a.org/2": "Ann Lee",
        "http://b.org/": "fishing",
        "http://c.org/": "fishing boats",
    }
    target = "http://x.org/"
    made = make({(hub, target): "" for hub in hubs}, hubs, [" ".join([*hubs, target])])
    assert labelled(made)[0].label[0] == "fishing"


def test_stop_words_are_those_of_the_page(make: Make) -> None:
    links = {("a", "x"): "war", ("b", "x"): "war"}
    made = make(links, {}, ["a b x"])
    assert labelled(made, ["en"] * 3)[0].label == ("war",)
    assert labelled(made, ["de"] * 3)[0].label == ("x",)


@pytest.mark.parametrize(
    ("titles", "name"),
    [({}, "fish.example"), ({"http://fish.example/": "Home"}, "Home")],
    ids=["nothing", "a title that says nothing"],
)
def test_without_telling_words_the_best_authority_names(
    make: Make, titles: dict[str, str], name: str
) -> None:
    links = {("http://a.org/", "http://fish.example/"): "", ("b", "http://fish.example/"): "here"}
    made = make(links, titles, ["http://a.org/ b http://fish.example/"])
    assert labelled(made)[0].label == (name,)


def test_what_was_set_aside_is_named_and_compared(cats_and_cars: Topics) -> None:
    cars, cats = cats_and_cars
    dull = replace(cats, reason="dull", facts={"sites": 3})
    loose = replace(cats, reason="loose")
    made = labelled(replace(cats_and_cars, topics=(cars,), aside=(loose, dull)))
    assert [topic.reason for topic in made.aside] == ["loose", "dull"]
    assert made.aside[0].label == ()
    assert made.aside[1].label[0] == "big cats"


def test_texts_weigh_what_titles_and_links_say(make: Make) -> None:
    """Two things are said of a page alike; the texts of several pages speak of one of them."""
    links = {("a", "x"): "apples pears", ("b", "x"): "apples pears"}
    titles = {"a": "apples; pears", "b": "apples; pears"}
    made = make(links, titles, ["a b x"])
    for told in ("apples", "pears"):
        texts = [told if page in "ab" else "" for page in made.base.pages]
        words = Words.of([""] * 4, [*texts, "else"], ["en"] * 4).some(np.arange(3, dtype=np.int32))
        base = replace(made.base, read_words=partial(Words, words.stems, words.rows))
        assert labelled(replace(made, base=base))[0].label[0] == told


def test_texts_name_what_nothing_else_does(make: Make) -> None:
    made = make({("a", "x"): "", ("b", "x"): ""}, {}, ["a b x"])
    base = replace(made.base, read_texts=lambda: ["fishing boats"] * 3)
    assert labelled(replace(made, base=base))[0].label == ("fishing boats",)


def test_what_sites_put_on_many_titles_names_no_topic(make: Make) -> None:
    """Unless nothing else is said."""
    words = ("oars", "sails", "rudders", "masts")
    boats = {f"http://a.org/{k}": f"boats and {word} - A Handbook" for k, word in enumerate(words)}
    home = {f"http://b.org/{k}": "Sea Anglers: Home" for k in range(4)}
    links = {(page, f"http://{page[7]}.net/"): "" for page in (*boats, *home)}
    groups = [" ".join([*boats, "http://a.net/"]), " ".join([*home, "http://b.net/"])]
    one, two = labelled(make(links, {**boats, **home}, groups))
    assert one.label[0] == "boats"
    assert "handbook" not in one.name
    assert one.title.endswith("- A Handbook")
    assert two.label == ("sea anglers",)


def test_where_no_page_scores_members_name_the_group(make: Make) -> None:
    titles = {"a": "fishing boats", "b": "fishing", "c": "fishing nets"}
    made = make({(page, "x"): "" for page in "abc"}, titles, ["a b c"])
    topic = replace(made[0], authority=np.zeros(3), hub=np.zeros(3))
    [named] = labelled(replace(made, topics=(topic,)))
    assert named.label[0] == "fishing"
    assert named.title


def told_by(made: Topics, texts: dict[str, str]) -> Topics:
    """The same topics where pages have texts."""
    read = [texts.get(page, "") for page in made.base.pages]
    n = len(read)
    words = Words.of([""] * (n + 1), [*read, "else"], ["en"] * (n + 1))
    kept = words.some(np.arange(n, dtype=np.int32))
    return replace(made, base=replace(made.base, read_words=partial(Words, kept.stems, kept.rows)))


def test_what_few_of_its_pages_say_does_not_name_a_topic(make: Make) -> None:
    """The best pages speak of oars and of sails, the others of sails."""
    others = [f"p{k}" for k in range(30)]
    links = {("a", "x"): "oars; sails", ("b", "x"): "oars; sails"}
    links |= {(page, "a"): "" for page in others}
    made = make(links, {}, [" ".join(["a", "b", "x", *others])])
    texts = {"a": "oars", "b": "oars", **dict.fromkeys(others, "sails")}
    assert labelled(told_by(made, texts))[0].label[0] == "sails"


def test_a_topic_of_many_things_says_so(make: Make) -> None:
    pages = [f"p{k}" for k in range(30)]
    made = make({(page, "x"): "oars" for page in pages}, {}, [" ".join([*pages, "x"])])
    topic = replace(made[0], facts={"top share": 0.1})
    for share, note in ((3, "mixed: its label speaks for few of its pages"), (15, None)):
        texts = {page: "oars" if k < share else f"w{k % 4}ord" for k, page in enumerate(pages)}
        told = labelled(told_by(replace(made, topics=(topic,)), texts))[0]
        assert told.label == ("oars",)
        assert told.facts.get("note") == note
    one_site = replace(made[0], facts={"top share": 0.9})
    assert "note" not in labelled(told_by(replace(made, topics=(one_site,)), texts))[0].facts


def test_no_topics_and_no_pages(make: Make) -> None:
    assert len(labelled(make({}, {}, []))) == 0
    [empty] = labelled(make({("a", "b"): "x"}, {}, [""]))
    assert (empty.label, empty.title) == ((), "")


def test_long_titles_are_cut(make: Make) -> None:
    made = make({("a", "x"): "fishing"}, {"a": "boats " * 20_000}, ["a x"])
    assert labelled(made)[0].label


def test_the_senses_of_the_demo_web(demo: Workspace, demo_warc: Path) -> None:
    """Given the pages of each sense, its label has a word that only this sense has."""
    words = {
        "animal": {"cats", "conservation", "wildlife", "fund", "schools"},
        "cars": {"car", "cars", "coventry", "club", "motor"},
        "console": {"atari", "game", "games"},
        "football": {"jacksonville", "football"},
    }
    base = expand(demo.collection, "jaguar", stoplist="none")
    sense = {fact.url: fact.sense for fact in Truth.from_json(truth_path(demo_warc)).rows()}
    made = []
    for own in words:
        kept = np.array([sense.get(page) == own for page in base.pages])
        scores = hits(subgraph(base.graph, kept)[0]).scores
        members = np.flatnonzero(kept).astype(np.int32)
        made.append(Topic(members, scores["authority"], scores["hub"], 1.0))
    named = labelled(Topics("toy", base, tuple(made), CLOSED))
    for topic, own in zip(named, words, strict=True):
        assert words[own] & {word for term in topic.label for word in term.split()}, topic.label
        assert "jaguar" not in topic.name
