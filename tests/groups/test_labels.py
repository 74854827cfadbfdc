"""Labels by hand: phrases of one topic, of several, and topics without words."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from weft.demo import DemoTruth, truth_path
from weft.engine import CLOSED_FORM
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.views import subgraph
from weft.groups import Group, Groups, SiteDiversity
from weft.groups.labels import LabelCandidates, label_groups
from weft.rank import hits
from weft.store.term_weights import TermWeights
from weft.workspace.workspace import Workspace

Make = Callable[..., Groups]


def test_each_topic_has_its_own_words(cats_and_cars: Groups) -> None:
    cars, cats = label_groups(cats_and_cars)
    assert cars.label[0] in {"Cars", "Classic cars"}
    assert cats.label[0] == "Big cats"
    assert cars.name != cats.name


def test_a_label_says_more_than_the_query(cats_and_cars: Groups) -> None:
    other = replace(cats_and_cars, base=replace(cats_and_cars.base, query="cars"))
    for topics in (cats_and_cars, other):
        words = {"jaguar", "jaguars"} if topics is cats_and_cars else {"car", "cars"}
        for topic in label_groups(topics):
            assert all(set(term.lower().split()) - words for term in topic.label)


def test_the_title_names_two_pages(cats_and_cars: Groups) -> None:
    cars, cats = label_groups(cats_and_cars)
    assert cars.title == "Cars of Coventry; Classic car links"
    assert len(cats.title.split("; ")) == 2


def test_terms_do_not_repeat_each_other(cats_and_cars: Groups) -> None:
    for topic in label_groups(cats_and_cars):
        words = [word for term in topic.label for word in term.split()]
        assert len(words) == len(set(words))
        assert 1 <= len(topic.label) <= 3


def test_phrases_of_every_topic_label_none(make: Make) -> None:
    links = {
        ("a", "x"): "annual report fishing",
        ("b", "x"): "annual report fishing",
        ("c", "y"): "annual report sailing",
        ("d", "y"): "annual report sailing",
    }
    one, two = label_groups(make(links, {}, ["a b x", "c d y"]))
    assert "fishing" in one.label[0].lower()
    assert "sailing" in two.label[0].lower()
    assert one.label[0] != "Annual report"


def test_a_single_topic_is_labelled_too(make: Make) -> None:
    [only] = label_groups(make({("a", "x"): "fishing", ("b", "x"): "fishing"}, {}, ["a b x"]))
    assert only.label == ("Fishing",)


def test_one_site_alone_does_not_label_a_topic(make: Make) -> None:
    """Two pages of one site have a name, two of other sites the subject."""
    hubs = {
        "http://a.org/1": "Ann Lee",
        "http://a.org/2": "Ann Lee",
        "http://b.org/": "fishing",
        "http://c.org/": "fishing boats",
    }
    target = "http://x.org/"
    topics = make({(hub, target): "" for hub in hubs}, hubs, [" ".join([*hubs, target])])
    assert label_groups(topics)[0].label[0] == "Fishing"


def test_stop_words_are_those_of_the_page(make: Make) -> None:
    links = {("a", "x"): "war", ("b", "x"): "war"}
    topics = make(links, {}, ["a b x"])
    assert label_groups(topics, ["en"] * 3)[0].label == ("War",)
    assert label_groups(topics, ["de"] * 3)[0].label == ("x",)


@pytest.mark.parametrize(
    ("titles", "name"),
    [({}, "fish.example"), ({"http://fish.example/": "Home"}, "Home")],
    ids=["no title", "a title without phrases"],
)
def test_without_phrases_the_best_authority_is_the_label(
    make: Make, titles: dict[str, str], name: str
) -> None:
    links = {("http://a.org/", "http://fish.example/"): "", ("b", "http://fish.example/"): "here"}
    topics = make(links, titles, ["http://a.org/ b http://fish.example/"])
    assert label_groups(topics)[0].label == (name,)


def test_topics_set_aside_are_labelled_and_compared(cats_and_cars: Groups) -> None:
    cars, cats = cats_and_cars
    dull = replace(cats, reason="dull")
    loose = replace(cats, reason="loose", is_remainder=True)
    topics = label_groups(replace(cats_and_cars, groups=(cars,), set_aside=(loose, dull)))
    assert [topic.reason for topic in topics.set_aside] == ["loose", "dull"]
    assert topics.set_aside[0].label == ()
    assert topics.set_aside[1].label[0] == "Big cats"


def test_page_words_reweigh_titles_and_anchors(make: Make) -> None:
    """Titles and anchors have two phrases; the texts of several pages have one of them."""
    links = {("a", "x"): "apples pears", ("b", "x"): "apples pears"}
    titles = {"a": "apples; pears", "b": "apples; pears"}
    topics = make(links, titles, ["a b x"])
    for word in ("apples", "pears"):
        texts = [word if page in "ab" else "" for page in topics.base.pages]
        words = TermWeights.from_texts([""] * 4, [*texts, "else"], ["en"] * 4).take(
            np.arange(3, dtype=np.int32)
        )
        base = replace(
            topics.base, read_term_weights=partial(TermWeights, words.stems, words.matrix)
        )
        assert label_groups(replace(topics, base=base))[0].label[0] == word.capitalize()


def test_texts_label_topics_without_titles_and_anchors(make: Make) -> None:
    topics = make({("a", "x"): "", ("b", "x"): ""}, {}, ["a b x"])
    base = replace(topics.base, read_texts=lambda: ["fishing boats"] * 3)
    assert label_groups(replace(topics, base=base))[0].label == ("Fishing boats",)


def test_boilerplate_of_titles_labels_no_topic(make: Make) -> None:
    """Unless there is nothing else."""
    words = ("oars", "sails", "rudders", "masts")
    boats = {f"http://a.org/{k}": f"boats and {word} - A Handbook" for k, word in enumerate(words)}
    home = {f"http://b.org/{k}": "Sea Anglers: Home" for k in range(4)}
    links = {(page, f"http://{page[7]}.net/"): "" for page in (*boats, *home)}
    groups = [" ".join([*boats, "http://a.net/"]), " ".join([*home, "http://b.net/"])]
    one, two = label_groups(make(links, {**boats, **home}, groups))
    assert one.label[0] == "Boats"
    assert "Handbook" not in one.name
    assert one.title.startswith("boats and")
    assert two.label == ("Sea Anglers",)


def test_without_scores_members_label_the_topic(make: Make) -> None:
    titles = {"a": "fishing boats", "b": "fishing", "c": "fishing nets"}
    topics = make({(page, "x"): "" for page in "abc"}, titles, ["a b c"])
    topic = replace(topics[0], authority=np.zeros(3), hub=np.zeros(3))
    [named] = label_groups(replace(topics, groups=(topic,)))
    assert named.label[0] == "Fishing"
    assert named.title


def with_texts(topics: Groups, texts: dict[str, str]) -> Groups:
    """The same topics where pages have texts."""
    read = [texts.get(page, "") for page in topics.base.pages]
    n = len(read)
    words = TermWeights.from_texts([""] * (n + 1), [*read, "else"], ["en"] * (n + 1))
    kept = words.take(np.arange(n, dtype=np.int32))
    return replace(
        topics,
        base=replace(topics.base, read_term_weights=partial(TermWeights, kept.stems, kept.matrix)),
    )


def test_phrases_of_few_pages_do_not_label_a_topic(make: Make) -> None:
    """The best pages have oars and sails, the others sails."""
    others = [f"p{k}" for k in range(30)]
    links = {("a", "x"): "oars; sails", ("b", "x"): "oars; sails"}
    links |= {(page, "x"): "" for page in others}
    topics = make(links, {}, [" ".join(["a", "b", "x", *others])])
    texts = {"a": "oars", "b": "oars", **dict.fromkeys(others, "sails")}
    assert label_groups(with_texts(topics, texts))[0].label[0] == "Sails"


def test_a_mixed_topic_is_noted(make: Make) -> None:
    pages = [f"p{k}" for k in range(30)]
    topics = make({(page, "x"): "oars" for page in pages}, {}, [" ".join([*pages, "x"])])
    topic = replace(topics[0], sites=SiteDiversity(9, "a.org", 0.1, 9.0, 0.0))
    for share, note in ((3, "mixed: its label covers few of its pages"), (15, "")):
        texts = {page: "oars" if k < share else f"w{k % 4}ord" for k, page in enumerate(pages)}
        labelled = label_groups(with_texts(replace(topics, groups=(topic,)), texts))[0]
        assert labelled.label == ("Oars",)
        assert labelled.note == note
    one_site = replace(topics[0], sites=SiteDiversity(2, "a.org", 0.9, 1.2, 0.0))
    assert not label_groups(with_texts(replace(topics, groups=(one_site,)), texts))[0].note


def test_no_topics_and_no_pages(make: Make) -> None:
    assert len(label_groups(make({}, {}, []))) == 0
    [empty] = label_groups(make({("a", "b"): "x"}, {}, [""]))
    assert (empty.label, empty.title) == ((), "")


def test_long_titles_are_cut(make: Make) -> None:
    topics = make({("a", "x"): "fishing"}, {"a": "boats " * 20_000}, ["a x"])
    assert label_groups(topics)[0].label


def test_the_senses_of_the_demo_web(demo: Workspace, demo_warc: Path) -> None:
    """Given the pages of each sense, its label has a word that only this sense has."""
    words = {
        "animal": {"cats", "conservation", "wildlife", "fund", "schools"},
        "cars": {"car", "cars", "coventry", "club", "motor"},
        "console": {"atari", "game", "games"},
        "football": {"jacksonville", "football"},
    }
    base = build_query_base_set(demo.collection, "jaguar", stoplist="none")
    sense = {
        fact.url: fact.sense for fact in DemoTruth.read_gzip_jsonl(truth_path(demo_warc)).rows()
    }
    topics = []
    for own in words:
        kept = np.array([sense.get(page) == own for page in base.pages])
        scores = hits(subgraph(base.graph, kept)[0]).scores
        members = np.flatnonzero(kept).astype(np.int32)
        topics.append(Group(members, scores["authority"], scores["hub"], 1.0))
    named = label_groups(Groups("topics", "toy", base, tuple(topics), CLOSED_FORM))
    for topic, own in zip(named, words, strict=True):
        assert words[own] & {word for term in topic.label for word in term.lower().split()}, (
            topic.label
        )
        assert topic.name.lower() != "jaguar"


def test_an_index_page_names_instances(make: Make) -> None:
    """Titles with nothing in common are listed on a page that says what they are."""
    members = {
        f"http://a.org/{k}": title for k, title in enumerate(["Chad", "Mali", "Niger", "Togo"])
    }
    others = {f"http://a.org/x{k}": f"Rivers {k}" for k in range(4)}
    index = "http://a.org/countries"
    links = {(index, page): "" for page in members} | {(page, index): "" for page in members}
    links |= {(f"http://a.org/h{k}", page): "" for k in range(2) for page in (*members, *others)}
    titles = {**members, **others, index: "African Countries"}
    groups = [" ".join(members), " ".join(others)]
    countries, rivers = label_groups(make(links, titles, groups))
    assert countries.label[0] == "African Countries"
    assert rivers.label[0] == "Rivers"


def test_sites_name_no_topic(make: Make) -> None:
    pages = {f"http://docs.celeryq.dev/{k}": f"Celery routing of tasks {k}" for k in range(4)}
    links = {("http://a.org/", page): "" for page in pages}
    [topic] = label_groups(make(links, pages, [" ".join(pages)]))
    assert "celery" not in topic.name.lower()
    assert "routing" in topic.name.lower()


def test_home_pages_are_people(make: Make) -> None:
    names = ["Ann Lee's Home Page", "Bo's homepage", "Home page of Cy Dee", "Di Fox"]
    pages = {f"http://u{k}.edu/~p{k}/": name for k, name in enumerate(names)}
    links = {("http://a.org/", page): "" for page in pages}
    [topic] = label_groups(make(links, pages, [" ".join(pages)]))
    assert topic.label == ("People",)


def test_people_have_the_subject_that_their_texts_share(make: Make) -> None:
    names = ["Ann Lee", "Di Fox", "Cy Dee", "Bo May", "Al Ray"]
    people = {f"http://u{k}.edu/~p{k}/": name for k, name in enumerate(names)}
    others = {"http://v.org/1": "Compilers", "http://v.org/2": "Compilers"}
    titles = {**people, **others}
    links = {(f"http://{k}.net/", page): "" for k in "ab" for page in people}
    topics = make(
        links | {("http://a.net/", page): "" for page in others},
        titles,
        [" ".join([*titles, "http://a.net/", "http://b.net/"])],
    )
    for text, label in (("compilers", ("People", "Compilers")), ("boats", ("People",))):
        texts = [text] * len(topics.base)
        words = TermWeights.from_texts(
            [""] * (len(texts) + 1), [*texts, "else"], ["en"] * (len(texts) + 1)
        )
        kept = words.take(np.arange(len(texts), dtype=np.int32))
        base = replace(topics.base, read_term_weights=partial(TermWeights, kept.stems, kept.matrix))
        assert label_groups(replace(topics, base=base))[0].label == label


def test_names_of_persons_do_not_label(make: Make) -> None:
    """Two home pages of a name, and two pages with a subject."""
    titles = {
        "http://a.edu/~lee/": "Ann Lee's Home Page",
        "http://b.edu/~lee/": "Tom Lee's Home Page",
        "http://c.edu/fish": "Fishing in lakes",
        "http://d.edu/fish": "Fishing",
    }
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    assert label_groups(topics)[0].label[0] == "Fishing"


def test_pages_that_share_the_query_alone_are_labelled_by_it(make: Make) -> None:
    """Six pages of persons lead, and the title of a seventh page is no label."""
    names = ["Ann Lee", "Tom Fox", "Meg O'Brien", "Bo May", "Al Ray", "Cy Dee"]
    titles = {
        f"http://u{k}.edu/~{name.split()[1].lower().replace(chr(39), '')}/cv": f"{name}'s resume"
        for k, name in enumerate(names)
    }
    every = {**titles, "http://v.edu/x": "Blurb"}
    links = {(hub, page): "" for hub in "xy" for page in titles} | {("x", "http://v.edu/x"): ""}
    topics = make(links, every, [" ".join(every)], "resume")
    assert label_groups(topics)[0].label == ("Resume",)


def test_roman_numerals_label_no_topic(make: Make) -> None:
    titles = {f"http://{k}.edu/{k}": f"Part {k}, II: Solutions" for k in "abc"}
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    assert label_groups(topics)[0].label == ("Solutions",)


def test_courses_are_named_as_such(make: Make) -> None:
    titles = {
        f"http://{k}.edu/courses/": f"CS {k}14: Compiler Design{end}"
        for k, end in zip("234", ("", " - Syllabus", " Home Page"), strict=True)
    }
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    assert label_groups(topics)[0].label == ("Courses", "Compiler Design")


def test_capitals_become_words(make: Make) -> None:
    titles = {f"http://{k}.org/": "FISHING BOATS OF THE SEA" for k in "ab"}
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    assert label_groups(topics)[0].label[0].startswith("Fishing Boats")


def test_a_label_is_no_fragment_of_titles(make: Make) -> None:
    """Both pages with *mining* have the whole title."""
    titles = {
        "http://a.org/": "Mining and Monitoring Databases",
        "http://b.org/": "Mining and Monitoring Databases: homework",
        "http://c.org/": "Databases",
    }
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)], "databases")
    assert label_groups(topics)[0].label[0] == "Mining and Monitoring Databases"


def test_a_longer_title_of_one_page_does_not_name_all(make: Make) -> None:
    titles = {
        "http://a.org/": "Sea fishing",
        "http://b.org/": "Fishing",
        "http://c.org/": "Fishing boats",
    }
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    assert label_groups(topics)[0].label[0] == "Fishing"


def test_a_phrase_of_one_title_labels_only_what_texts_are_about() -> None:
    """The phrase is in the title of page 7; pages 1 and 2 lead, or 1 and 7."""
    key = ("en/brain",)
    made = partial(LabelCandidates, {key: 0.1}, {key: {7}}, {}, forms={key: {"Brain": 1.0}})
    asked = frozenset[str]()
    for leaders in ({1, 2}, {1, 7}):
        assert not made(coverage={"en/brain": 0.1}).is_shared(key, leaders, asked)
        assert made(coverage={"en/brain": 0.5}).is_shared(key, leaders, asked)
    both = LabelCandidates({key: 0.1}, {key: {1, 7}}, {}, {}, forms={key: {"Brain": 1.0}})
    assert both.is_shared(key, {1, 7}, asked)


def test_titles_that_share_nothing_give_an_example(make: Make) -> None:
    """Four titles without a common word, then the same with two links by one phrase."""
    names = ["Ghost dance", "Tamil grammar", "Bangladesh", "Opera houses"]
    titles = {f"http://{k}.org/": name for k, name in enumerate(names)}
    links = {("http://x.org/", page): "" for page in titles}
    [topic] = label_groups(make(links, titles, [" ".join(titles)]))
    assert topic.label == ("such as Ghost dance",)
    by_name = {(f"http://{hub}.org/", "http://0.org/"): "rituals" for hub in "xyz"}
    members = " ".join([*titles, *(hub for hub, _ in by_name)])
    [topic] = label_groups(make(links | by_name, titles, [members]))
    assert topic.label == ("Rituals",)


def test_numbers_of_chapters_do_not_label(make: Make) -> None:
    titles = {
        "http://a.org/1": "13.3. Explicit Locking",
        "http://b.org/2": "Part III. Explicit Locking",
        "http://c.org/3": "Chapter 4. Explicit Locking",
    }
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    assert label_groups(topics)[0].label == ("Explicit Locking",)


def test_hosts_of_one_site_do_not_label_a_topic(make: Make) -> None:
    """Three hosts of one university share a word, five universities another."""
    titles = {f"http://h{k}.amherst.edu/": f"Amherst robots {k}" for k in range(3)}
    titles |= {f"http://www.u{k}.edu/": f"Walking robots {k}" for k in range(5)}
    first = label_groups(make({("x", p): "" for p in titles}, titles, [" ".join(titles)], "robots"))
    assert first[0].label[0].lower().startswith("walking")


@pytest.mark.parametrize(
    ("projects", "label"), [(0, "People"), (1, "People"), (2, "such as Memory")]
)
def test_pages_of_projects_first_are_not_people(make: Make, projects: int, label: str) -> None:
    """Five pages, of which the first are of projects and the others home pages."""
    people = ["Ann Lee", "Bo Fox", "Cy Dee", "Di May", "Al Ray"]
    own = [*["Memory", "Networks"][:projects], *people[projects:]]
    titles = {f"http://u{k}.edu/~p{k}/": title for k, title in zip("abcde", own, strict=True)}
    links = {(f"h{n}", name): "" for k, name in enumerate(titles) for n in range(9 - k)}
    hubs = " ".join(f"h{n}" for n in range(9))
    [topic] = label_groups(make(links, titles, [f"{' '.join(titles)} {hubs}"]))
    assert topic.label[0] == label
