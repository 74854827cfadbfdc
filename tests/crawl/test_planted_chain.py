"""A chain of irrelevant pages to a relevant cluster: what each strategy is for.

The seed is on topic. A chain leads from it to a cluster in so many steps, and five
long paths of pages that have one word of the topic, and nothing else, lead nowhere.
"""

import pytest
from tests.crawl.webs import ToyWeb, crawl, url

from weft.crawl import CrawlTopic

CLUSTER = [f"r{k}" for k in range(8)]
TOPIC = f"valley {'tree graph ' * 4}"
STAGES = {1: "timetable lecture", 2: "faculty people", 3: "campus city"}
PATHS, PATH_LENGTH, BUDGET = 5, 100, 150


def planted_web(steps: int) -> ToyWeb:
    """A web with a cluster so many steps from the seed `s`, and three chains to learn from."""
    chain = [f"c{k}" for k in range(steps - 1, 0, -1)]
    pages: dict[str, tuple[str, list[str]]] = {
        "s": (TOPIC, [*[f"d{p}x0" for p in range(PATHS)], [*chain, "r0"][0]])
    }
    for k, page in zip(range(steps - 1, 0, -1), chain, strict=True):
        pages[page] = (f"valley {f'{STAGES[k]} ' * 4} {page}", [[*chain, "r0"][steps - k]])
    for k, page in enumerate(CLUSTER):
        pages[page] = (f"{TOPIC} {page}", [CLUSTER[(k + 1) % 8], CLUSTER[(k + 2) % 8]])
    for p in range(PATHS):
        for k in range(PATH_LENGTH):
            pages[f"d{p}x{k}"] = ("valley " * (k + 2), [f"d{p}x{(k + 1) % PATH_LENGTH}"])
    for example in range(4):
        pages[f"e{example}x0"] = (f"{TOPIC} {example}", [])
        for k, words in STAGES.items():
            text = f"valley {f'{words} ' * 4} {example}"
            pages[f"e{example}x{k}"] = (text, [f"e{example}x{k - 1}"])
    return ToyWeb(pages)


def recall(strategy: str, steps: int, pages: int = BUDGET, **options: object) -> float:
    """The share of the cluster among the first pages."""
    web = planted_web(steps)
    topic = CrawlTopic("tree graph", [web.page(f"e{k}x0") for k in range(4)])
    found = set(crawl(strategy, web, "s", topic, pages, **options).urls)
    return len(found & {url(page) for page in CLUSTER}) / len(CLUSTER)


def test_the_paths_are_long_enough() -> None:
    assert PATHS * PATH_LENGTH > 2 * BUDGET


@pytest.mark.parametrize("strategy", ["best-first", "focused"])
def test_greedy_strategies_fail_beyond_one_step(strategy: str) -> None:
    options = {"focus": "hard"} if strategy == "focused" else {}
    assert [recall(strategy, steps, BUDGET, **options) for steps in (1, 2, 3)] == [1, 0, 0]


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_exploring_strategies_succeed(steps: int) -> None:
    assert recall("breadth-first", steps) == 1
    assert recall("n-best", steps, n=20) == 1


@pytest.mark.parametrize(("steps", "layers"), [(1, 1), (1, 3), (2, 2), (2, 3), (3, 3)])
def test_a_context_graph_succeeds_with_enough_layers(steps: int, layers: int) -> None:
    assert recall("context-graph", steps, layers=layers) == 1


def test_a_context_graph_goes_straight_to_the_cluster() -> None:
    """One seed, its six links, the last page of the chain and the cluster are 16 pages."""
    assert recall("context-graph", 3, pages=16) == 1
    assert recall("context-graph", 3, pages=16, layers=1) < 1
    assert recall("breadth-first", 3, pages=16) < 1 / 2


def test_fish_and_shark_cross_as_many_irrelevant_pages_as_they_may() -> None:
    """Where nothing else leads on, the option decides: two pages lie between seed and cluster."""
    web = planted_web(3)
    seed = web.pages[url("s")]
    web.pages[url("s")] = type(seed)(seed.url, text=seed.text, links=seed.links[PATHS:])
    topic = CrawlTopic("tree graph")
    for strategy in ("fish", "shark"):
        assert len(crawl(strategy, web, "s", topic, max_irrelevant=1)) == 3
        assert len(crawl(strategy, web, "s", topic, max_irrelevant=2)) == 3 + len(CLUSTER)
