"""What sets the strategies apart, and what they have in common."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.crawl.webs import NAMES, ToyWeb, crawl, links_only, order, random_webs, reachable, url

from weft.core.errors import BadParameter
from weft.core.register import METHODS
from weft.crawl import CrawlTopic
from weft.gather.page import Page

STRATEGIES = sorted(name for kind, name in METHODS if kind == "crawl")
NO_PRUNING = {name: {"max_irrelevant": 1000} for name in ("fish", "shark")}
# what makes each strategy learn or recompute early enough to matter on a web of eight pages
EAGER = {
    **NO_PRUNING,
    "pagerank": {"recompute_every": 2},
    "n-best": {"n": 3},
    "focused": {"distil_every": 2},
    "context-graph": {"retrain_every": 2},
    "intelligent": {"rescore_every": 2},
    "apprentice": {"warm_up": 2, "train_every": 2},
    "auto": {"min_pages": 5},
}
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
seeds = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


def topic_of(web: ToyWeb) -> CrawlTopic:
    """The words *tree graph*, a page like them, and one of another topic."""
    return CrawlTopic("tree graph", [web.page("b")], [web.page("c")])


def test_there_are_fourteen_strategies() -> None:
    assert len(STRATEGIES) == 14


@every_strategy
@settings(max_examples=15)
@given(random_webs, seeds)
def test_without_pruning_all_find_what_can_be_reached(
    strategy: str, web: ToyWeb, start: list[str]
) -> None:
    found = crawl(strategy, web, start, topic_of(web), **EAGER.get(strategy, {}))
    assert sorted(found.urls) == sorted(reachable(web, start))
    assert found.waiting == 0
    assert not found.failures


@every_strategy
@settings(max_examples=10)
@given(random_webs, st.integers(1, 8))
def test_fewer_pages_are_the_first_of_more(strategy: str, web: ToyWeb, pages: int) -> None:
    options = EAGER.get(strategy, {})
    all_pages = crawl(strategy, web, "ab", topic_of(web), **options)
    found = crawl(strategy, web, "ab", topic_of(web), pages, **options)
    assert found.steps == all_pages.steps[:pages]
    assert len(found) <= pages


@every_strategy
def test_a_crawl_twice_gives_the_same(strategy: str) -> None:
    web = links_only({"a": "bcd", "b": "ef", "c": "fg", "d": "ga", "e": "h", "f": "h", "g": "b"})
    first, second = (crawl(strategy, web, "a", topic_of(web)).to_document() for _ in range(2))
    assert first == second


@every_strategy
def test_the_order_alone_differs(strategy: str) -> None:
    """A chain leaves no choice; what auto has not scored yet is fetched as well."""
    length = 130
    pages = {f"p{k}": (f"tree page {k}", [f"p{k + 1}"]) for k in range(length - 1)}
    web = ToyWeb({**pages, f"p{length - 1}": ("tree end", [])})
    topic = CrawlTopic("tree", [web.page("p3")], [web.page("p129")])
    found = crawl(strategy, web, ["p0"], topic, **NO_PRUNING.get(strategy, {}))
    assert found.urls == [url(f"p{k}") for k in range(length)]


@every_strategy
def test_what_waits_is_counted(strategy: str) -> None:
    pages = {f"p{k}": (f"tree {k}", [f"p{k + 1}", f"q{k}"]) for k in range(80)}
    web = ToyWeb({**pages, **{f"q{k}": (f"tree graph {k}", []) for k in range(80)}})
    topic = CrawlTopic("tree graph", [web.page("q1")], [web.page("p1")])
    found = crawl(strategy, web, ["p0"], topic, 60)
    linked = {link.target for page in found.urls for link in web.pages[page].links}
    assert found.waiting == len(linked - set(found.urls))


@every_strategy
@pytest.mark.parametrize("pages", [1, 2, 5, 9])
def test_pages_bound_the_crawl(strategy: str, pages: int) -> None:
    web = ToyWeb(
        {"a": ("tree", [f"p{k}" for k in range(30)])}
        | {f"p{k}": (f"tree graph {k}", [f"p{(k + 1) % 30}"]) for k in range(30)}
    )
    topic = CrawlTopic("tree graph", [web.page("p1")], [web.page("p2")])
    requests = len(web.fetched)
    found = crawl(strategy, web, "a", topic, pages, **EAGER.get(strategy, {}))
    assert len(found) == pages
    if strategy not in {"context-graph", "focused"}:  # these fetch layers, and hubs again
        assert len(web.fetched) - requests == pages


@pytest.mark.parametrize("pages", [3, 7, 10, 12])
def test_a_batch_is_cut_at_the_last_page(pages: int) -> None:
    """Eleven URLs wait for one batch; a better link found in it must not overtake the rest."""
    web = ToyWeb(
        {"a": ("tree", [f"p{k}" for k in range(11)])}
        | {f"p{k}": (f"tree graph {k}", [f"x{k}"]) for k in range(11)}
        | {f"x{k}": (f"graph {k}", []) for k in range(11)}
    )
    found = crawl("n-best", web, "a", CrawlTopic("graph"), pages, n=11)
    assert found.urls == [url("a"), *(url(f"p{k}") for k in range(11))][:pages]


@settings(max_examples=25)
@given(random_webs, seeds)
def test_breadth_first_goes_layer_by_layer(web: ToyWeb, start: list[str]) -> None:
    found = crawl("breadth-first", web, start)
    depths = [step.depth for step in found]
    assert depths == sorted(depths)
    layer, distance = {url(name) for name in start}, {url(name): 0 for name in start}
    while layer:
        targets = {link.target for page in layer for link in web.pages[page].links}
        layer = targets - distance.keys()
        distance |= dict.fromkeys(layer, max(distance.values()) + 1)
    assert {step.url: step.depth for step in found} == distance


def test_breadth_first_keeps_the_order_of_discovery() -> None:
    web = links_only({"a": "cb", "b": "e", "c": "fd", "d": "", "e": "", "f": ""})
    assert order("breadth-first", web) == "a c b f d e"


BREADTH_FIRST_WHEN_NOTHING_DIFFERS = {
    "best-first": {},
    "n-best": {"n": 1},
    "focused": {"distil_every": 0},
    "intelligent": {"rescore_every": 2},
    "apprentice": {},
}


@pytest.mark.parametrize("strategy", BREADTH_FIRST_WHEN_NOTHING_DIFFERS)
@pytest.mark.parametrize("relevance", [1.0, 0.7])
@settings(max_examples=25)
@given(web=random_webs, start=seeds)
def test_a_constant_relevance_makes_it_breadth_first(
    strategy: str, relevance: float, web: ToyWeb, start: list[str]
) -> None:
    topic = CrawlTopic(relevance=lambda _: relevance)
    options = BREADTH_FIRST_WHEN_NOTHING_DIFFERS[strategy]
    assert (
        crawl(strategy, web, start, topic, **options).urls
        == crawl("breadth-first", web, start, topic).urls
    )


@settings(max_examples=25)
@given(random_webs, seeds)
def test_all_priorities_are_zero_where_all_is_relevant(web: ToyWeb, start: list[str]) -> None:
    found = crawl("intelligent", web, start, rescore_every=1)
    assert {step.score for step in found.steps[len(start) :]} <= {0.0}


@given(random_webs, seeds)
def test_one_best_is_best_first(web: ToyWeb, start: list[str]) -> None:
    topic = CrawlTopic("tree graph")
    assert (
        crawl("n-best", web, start, topic, n=1).steps
        == crawl("best-first", web, start, topic).steps
    )


@given(random_webs, seeds)
def test_shark_that_inherits_all_is_best_first(web: ToyWeb, start: list[str]) -> None:
    """With inherited weight 1, share 1 and some similarity everywhere."""
    texts = {
        page: Page(page, text=f"tree {p.text}", links=p.links) for page, p in web.pages.items()
    }
    web.pages = texts
    topic = CrawlTopic("tree graph")
    shark = crawl("shark", web, start, topic, inherit=1.0, inherited_weight=1.0)
    assert shark.steps == crawl("best-first", web, start, topic).steps


def test_back_links_decide() -> None:
    """After a and b, x has two known in-links, c only one."""
    web = links_only({"a": "bcx", "b": "yx", "c": "", "x": "", "y": ""})
    assert order("backlink-count", web) == "a b x c y"


def test_several_links_of_a_page_count_once() -> None:
    web = links_only({"a": "bcd", "b": "dd", "c": "ef", "d": "", "e": "", "f": "e"})
    assert order("backlink-count", web) == "a b d c e f"


def test_a_better_parent_raises_the_score() -> None:
    """All links of a score the same until m, about the topic, links to x."""
    web = ToyWeb(
        {
            "a": ("tree forest forest forest", ["m", "y", "x"]),
            "m": ("tree graph", "x"),
            "x": ("forest", []),
            "y": ("forest", []),
        }
    )
    for strategy in ("best-first", "shark", "focused"):
        assert order(strategy, web, "a", CrawlTopic("tree graph")) == "a m x y"


def test_a_worse_parent_does_not_lower_the_score() -> None:
    web = ToyWeb(
        {
            "a": ("tree graph", ["m", "x", "y"]),
            "m": ("forest", ["y", "x"]),
            "x": ("forest", []),
            "y": ("forest", []),
        }
    )
    found = crawl("best-first", web, "a", CrawlTopic("tree graph"))
    assert [step.score for step in found.steps[1:]] == pytest.approx([1, 1, 1])


def test_pagerank_by_hand_between_two_computations() -> None:
    """Four URLs are known and share 1/4 each: b gets it from a whole, as c is shared by two."""
    web = links_only({"s": "ab", "a": "cd", "b": "c", "c": "", "d": ""})
    steps = crawl("pagerank", web, "s")
    scores = {step.url: step.score for step in steps}
    assert scores[url("a")] == pytest.approx(1 / 3 / 2)  # three URLs are known
    assert order("pagerank", web, "s") == "s a b c d"
    assert scores[url("c")] == pytest.approx(1 / 5 / 2 + 1 / 5)  # from a and b, of five URLs


def test_pagerank_is_that_of_the_known_links() -> None:
    """Computed after every page: d is linked from three pages, the others from one."""
    web = links_only({"a": "bcd", "b": "d", "c": "d", "d": "", "e": ""})
    assert order("pagerank", web, "a", recompute_every=1) == "a b d c"


def test_location_counts_slashes() -> None:
    web = ToyWeb({"a": ("x", ["p/q/r", "p", "p/home", "p/q"])})
    topic = CrawlTopic()
    task_urls = [*map(url, ["p", "p/home", "p/q", "p/q/r"])]
    for page in task_urls:
        web.pages[page] = Page(page, text=page)
    web.pages["http://w.com/p/q/r"] = Page("http://w.com/p/q/r", text="com")
    assert crawl("location", web, "a", topic).urls == [url("a"), *task_urls]


def test_infospiders_depend_on_their_seed_alone() -> None:
    links = {NAMES[k]: "".join(NAMES[j] for j in range(8) if j != k) for k in range(8)}
    web = links_only(links)
    orders = {order("infospiders", web, "a", CrawlTopic("word"), seed=seed) for seed in range(5)}
    assert len(orders) > 1
    assert order("infospiders", web, "a", CrawlTopic("word"), seed=3) in orders


def fish_order(depth: int, texts: Sequence[str]) -> str:
    chain = {"abcdefgh"[k]: (text, "abcdefgh"[k + 1]) for k, text in enumerate(texts)}
    web = ToyWeb({**chain, "abcdefgh"[len(texts)]: ("end", "")})
    topic = CrawlTopic("food")
    fish, shark = (order(s, web, "a", topic, max_irrelevant=depth) for s in ("fish", "shark"))
    assert fish == shark
    return fish


def test_fish_and_shark_give_up_after_irrelevant_pages() -> None:
    """From a relevant page, that many irrelevant ones are crossed and not one more."""
    assert fish_order(1, ["food", "b", "c", "d"]) == "a b c"
    assert fish_order(2, ["food", "b", "c", "d"]) == "a b c d"
    assert fish_order(1, ["food", "b", "food c", "d", "e", "f"]) == "a b c d e"


def test_fish_puts_children_of_relevant_pages_first() -> None:
    """Page r is relevant, so x comes before what was found earlier, and y behind it."""
    web = ToyWeb(
        {
            "a": ("water", "pr"),
            "p": ("water", "y"),
            "r": ("food", "x"),
            "x": ("water", "z"),
            "y": ("water", ""),
            "z": ("water", ""),
        }
    )
    assert order("fish", web, "a", CrawlTopic("food")) == "a p y r x z"


def test_fish_width_moves_links_to_the_end() -> None:
    """The first two links of an irrelevant page, the first three of a relevant one."""
    web = ToyWeb(
        {
            "a": ("water", "bcdef"),
            "b": ("food", "uvwxy"),
            **{page: (f"water {page}", "") for page in "cdefuvwxy"},
        }
    )
    assert order("fish", web, "a", CrawlTopic("food"), width=2) == "a b u v w c d e f x y"


def test_fish_prefers_other_sites() -> None:
    web = ToyWeb({"a": ("food", "b"), "b": ("food b", "")})
    other = Page("http://other.org/", text="food there")
    web.pages[other.url] = other
    start = web.pages[url("a")]
    link = start.links[0]._replace(target=other.url)
    web.pages[url("a")] = Page(url("a"), text="food", links=(*start.links, link))
    found = crawl("fish", web, "a", CrawlTopic("food"), width=1)  # 1.5 x 1 is one link
    assert found.urls == [url("a"), other.url, url("b")]


def test_hard_focus_follows_relevant_pages_alone() -> None:
    web = ToyWeb(
        {"a": ("food", "bc"), "b": ("food b", "d"), "c": ("water", "e"), "d": ("food d", "")}
    )
    topic = CrawlTopic(relevance=lambda page: float("food" in page.text))
    found = crawl("focused", web, "a", topic, focus="hard")
    assert found.urls == [url(page) for page in "abcd"]
    assert not found.failures


def test_links_of_hubs_are_raised() -> None:
    """Without the distiller, all links of relevant pages score the same."""
    web = ToyWeb(
        {
            "s": ("food", "hpqz"),
            "h": ("food hub", ["r1", "r2", "x"]),
            "p": ("food p", "y"),
            "q": ("food q", ""),
            "r1": ("food 1", ""),
            "r2": ("food 2", ""),
            "x": ("water x", ""),
            "y": ("water y", ""),
            "z": ("water z", ""),
        }
    )
    topic = CrawlTopic(relevance=lambda page: 0.9 if "food" in page.text else 0.2)
    plain = order("focused", web, "s", topic, distil_every=0)
    assert plain == "s h p q z r1 r2 x y"
    # after two pages s is the one hub, of the authority h; its links are raised, then those of h
    raised = crawl("focused", web, "s", topic, distil_every=2, top_hubs=1)
    assert max(step.score for step in raised.steps[1:]) > 1


@pytest.mark.parametrize("topic", [CrawlTopic(), CrawlTopic("tree")])
def test_a_context_graph_needs_examples(topic: CrawlTopic) -> None:
    with pytest.raises(BadParameter, match="needs example pages") as refused:
        crawl("context-graph", links_only({"a": "b"}), "a", topic)
    assert refused.value.hint


def test_auto_needs_a_topic() -> None:
    with pytest.raises(BadParameter, match="auto needs a topic") as refused:
        crawl("auto", links_only({"a": "b"}), "a", CrawlTopic())
    assert "--topic" in refused.value.hint
