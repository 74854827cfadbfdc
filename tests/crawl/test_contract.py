"""The contract of every crawl strategy."""

import json
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.webs import ToyWeb, crawl, links_only, url

from weft.core.errors import BadParameter
from weft.core.register import METHODS, Method, method_notes
from weft.crawl import Crawl, CrawlTask, CrawlTopic
from weft.crawl.crawl import Frontier, LinkStrategy, Scores
from weft.gather.page import Page

STRATEGIES = [method for method in METHODS.values() if method.kind == "crawl"]
COLUMNS = ["url", "relevance", "score", "depth", "parent", "http_status"]
TOYS = {
    "one page": links_only({"a": ""}),
    "a page that links to itself": links_only({"a": "aa"}),
    "a dead link": links_only({"a": "bz", "b": "z"}),
    "a cycle": links_only({"a": "b", "b": "c", "c": "a"}),
    "two components": links_only({"a": "b", "b": "", "c": "d", "d": ""}),
    "pages without text": ToyWeb({"a": ("", "bc"), "b": ("", "c"), "c": ("", "")}),
}
# what a crawl from `a` finds, and what it could not fetch
FOUND = {
    "one page": ("a", 0),
    "a page that links to itself": ("a", 0),
    "a dead link": ("ab", 1),
    "a cycle": ("abc", 0),
    "two components": ("ab", 0),
    "pages without text": ("abc", 0),
}
every_strategy = pytest.mark.parametrize("method", STRATEGIES, ids=lambda m: m.name)
every_toy = pytest.mark.parametrize("toy", TOYS)


def topic_of(web: ToyWeb) -> CrawlTopic:
    """A name and an example, so that every strategy has what it needs."""
    return CrawlTopic("word", [web.page("a")])


def run(method: Method, toy: str) -> Crawl:
    return crawl(method.name, TOYS[toy], "a", topic_of(TOYS[toy]))


@every_strategy
@every_toy
def test_a_crawl_finds_what_is_there(method: Method, toy: str) -> None:
    found = run(method, toy)
    names, dead = FOUND[toy]
    assert sorted(found.urls) == [url(name) for name in names]
    assert found.failures == ({"HTTP 404": dead} if dead else {})
    assert found.waiting == 0
    assert found.method == method.name
    assert found.topic == "word"


@every_strategy
@every_toy
def test_a_crawl_is_a_table(method: Method, toy: str) -> None:
    found = run(method, toy)
    table = found.to_table()
    assert table.column_names == COLUMNS
    assert table["url"].to_pylist() == found.urls == [step.url for step in found]
    assert table.num_rows == len(found)
    assert found[0].parent == ""
    assert found[0].depth == 0
    assert list(found.to_pandas().columns) == COLUMNS


@every_strategy
@every_toy
def test_a_crawl_is_json(method: Method, toy: str) -> None:
    document = run(method, toy).to_document()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert [row["place"] for row in document["rows"]] == list(range(1, document["pages"] + 1))
    assert document["rows"][0]["score"] is None


@every_strategy
@every_toy
def test_a_crawl_has_a_one_line_repr(method: Method, toy: str) -> None:
    assert re.fullmatch(
        rf"<Crawl of \d pages? by {method.name}: harvest rate [\d.]+, 0 URLs waiting>",
        repr(run(method, toy)),
    )


@every_strategy
def test_an_unknown_seed_gives_an_empty_crawl(method: Method) -> None:
    web = links_only({"a": "b", "b": ""})
    found = crawl(method.name, web, ["nowhere"], topic_of(web))
    assert len(found) == 0
    assert found.failures == {"HTTP 404": 1}
    assert found.harvest_rate == 0
    assert found.to_table().num_rows == 0
    assert found.to_table().column_names == COLUMNS
    json.dumps(found.to_document(), allow_nan=False)


@every_strategy
def test_an_unknown_seed_does_not_stop_the_others(method: Method) -> None:
    web = links_only({"a": "b", "b": ""})
    assert sorted(crawl(method.name, web, ["z", "a", "a"], topic_of(web)).urls) == [
        url("a"),
        url("b"),
    ]


@every_strategy
def test_a_crawl_needs_a_seed(method: Method) -> None:
    web = links_only({"a": "b"})
    with pytest.raises(BadParameter, match="needs at least one seed") as refused:
        crawl(method.name, web, "", topic_of(web))
    assert refused.value.hint


@every_strategy
def test_scope_is_kept(method: Method) -> None:
    web = links_only({"a": "bc", "b": "c", "c": "d", "d": ""})
    task = CrawlTask(web, (url("a"),), topic_of(web), follow=lambda page: page != url("c"))
    found: Crawl = method(task)  # type: ignore[assignment]
    assert found.urls == [url("a"), url("b")]
    assert url("c") not in web.fetched[-2:]


@every_strategy
def test_pages_are_passed_on_as_they_are_fetched(method: Method) -> None:
    web = links_only({"a": "bc", "b": "", "c": ""})
    seen: list[str] = []
    task = CrawlTask(
        web,
        (url("a"),),
        topic_of(web),
        on_page=lambda page, step: seen.append(f"{page.url} {step.url}"),
    )
    found: Crawl = method(task)  # type: ignore[assignment]
    assert seen == [f"{page} {page}" for page in found.urls]


@every_strategy
def test_redirects_count_once(method: Method) -> None:
    """Page a links to b and to an alias of b: b is fetched once, whichever comes first."""
    for targets in ("bx", "xb"):
        web = ToyWeb(
            {"a": ("word a", targets), "b": ("word b", "c"), "c": ("word c", "")}, {"x": "b"}
        )
        found = crawl(method.name, web, "a", topic_of(web))
        assert sorted(found.urls) == [url(page) for page in "abc"]
        comes_late = url("x") in web.fetched[web.fetched.index(url("b")) :]
        assert sum(found.failures.values()) == comes_late


@every_strategy
def test_a_copy_is_not_expanded_again(method: Method) -> None:
    """Page b and its copy x: both are fetched, and their link once."""
    web = ToyWeb({"a": ("word a", "bx"), "b": ("word", "c"), "x": ("word", "c"), "c": ("c", "")})
    assert sorted(crawl(method.name, web, "a", topic_of(web)).urls) == [url(p) for p in "abcx"]


@every_strategy
def test_a_method_has_a_card(method: Method) -> None:
    notes = method_notes("crawl", method.name)
    assert notes.formula
    assert notes.cost
    assert notes.limitations
    assert notes.deviations
    for option in re.findall(r"`--([a-z-]+)", f"{notes.formula}{notes.deviations}"):
        assert option.replace("-", "_") in {*method.options, "pages"}, option


@every_strategy
def test_seeds_come_first(method: Method) -> None:
    """Whatever links between seeds say of them."""
    web = links_only({"a": "cd", "b": "cd", "c": "d", "d": "ab", "e": ""})
    found = crawl(method.name, web, "abec", topic_of(web))
    assert found.urls[:4] == [url(page) for page in "abec"]


def test_redirects_end() -> None:
    """A redirect to itself, a loop of two, and a chain of seven."""
    chain = {str(k): str(k + 1) for k in range(7)}
    web = ToyWeb(
        {"a": ("x", ["b", "c", "0"]), "7": ("far", "")},
        {"b": "b", "c": "d", "d": "c", **chain},
    )
    found = crawl("breadth-first", web)
    assert found.urls == [url("a")]
    assert found.failures == {
        "redirect to a page that was fetched or is out of scope": 2,
        "too many redirects": 1,
    }


def test_a_redirect_keeps_the_distance() -> None:
    """Page x redirects to d, which was known at distance 2: it is at distance 1."""
    web = ToyWeb({"a": ("a", "bx"), "b": ("b", "d"), "d": ("d", "e"), "e": ("e", "")}, {"x": "d"})
    found = {step.url: step for step in crawl("breadth-first", web)}
    assert {page: found[url(page)].depth for page in "abde"} == {"a": 0, "b": 1, "d": 1, "e": 2}
    assert found[url("d")].parent == url("a")


def test_a_redirect_out_of_scope_is_not_followed() -> None:
    web = ToyWeb({"a": ("a", "x"), "b": ("b", "")}, {"x": "b"})
    task = CrawlTask(web, (url("a"),), CrawlTopic(), follow=lambda page: page != url("b"))
    found: Crawl = METHODS["crawl", "breadth-first"](task)  # type: ignore[assignment]
    assert found.urls == [url("a")]
    assert url("b") not in web.fetched


def test_copies_are_scored_once() -> None:
    """The function that scores links sees those of a, b and d; x is a copy of b."""
    web = ToyWeb({"a": ("a", "bxd"), "b": ("same", "c"), "x": ("same", "c"), "d": ("same", "a")})
    scored: list[tuple[str, str]] = []

    def worth(link: object, page: object) -> float:
        scored.append((page.page.url[-1], link.target[-1]))  # type: ignore[attr-defined]
        return 0.0

    CrawlTask(web, (url("a"),), CrawlTopic()).run(LinkStrategy(worth), "own")
    assert scored == [("a", "b"), ("a", "x"), ("a", "d"), ("b", "c"), ("d", "a")]


def test_links_without_score_are_not_followed() -> None:
    web = links_only({"a": "bcd", "b": "", "c": "", "d": ""})
    strategy = LinkStrategy(lambda link, _: None if link.target == url("c") else 0.0)
    found = CrawlTask(web, (url("a"),), CrawlTopic()).run(strategy, "own")
    assert found.urls == [url(page) for page in "abd"]
    assert found.waiting == 0


def test_a_frontier_by_hand() -> None:
    frontier = Frontier()
    frontier.push(Scores([0, 1, 2], [0.5, 0.5, 0.1]))
    frontier.push(Scores([2, 0], [0.9, 0.2]))  # 2 rises, 0 keeps its higher score
    assert [frontier.pop() for _ in range(2)] == [(2, 0.9), (0, 0.5)]
    frontier.push(Scores([2, 1], [1.0, 0.1], replace=True))  # 2 was taken, 1 falls
    assert len(frontier) == 1
    assert frontier.pop() == (1, 0.1)
    frontier.push(Scores([3, 4], [0.0, 0.0]))
    assert frontier.claim(3)
    assert not frontier.claim(3)
    assert frontier.pop() == (4, 0.0)
    assert len(frontier) == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.booleans()), max_size=300))
def test_a_frontier_takes_the_best_score(changes: list[tuple[int, int, bool]]) -> None:
    frontier, scores = Frontier(), dict[int, float]()
    for number, score, replace in changes:
        frontier.push(Scores([number], [float(score)], replace))
        scores[number] = score if replace else max(score, scores.get(number, 0))
    expected = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    assert [frontier.pop() for _ in range(len(frontier))] == expected


def test_an_empty_crawl_has_typed_columns() -> None:
    """So that tables of several crawls can be joined."""
    web = links_only({"a": ""})
    full, empty = (crawl("breadth-first", web, seed).to_table() for seed in ("a", "z"))
    assert pa.concat_tables([full, empty]).num_rows == 1


def test_a_language_that_is_not_certain_counts() -> None:
    web = ToyWeb({"a": ("word", "b")})
    web.pages[url("b")] = Page(url("b"), text="forest word", language="en?")
    found = crawl("best-first", web, "a", CrawlTopic("word"))
    assert found.relevance.tolist() == pytest.approx([1, 0.5**0.5])
