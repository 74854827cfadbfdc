"""Roots spread over sites, phrases first, repeated titles once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from weft.gather.page import Page
from weft.graph.baseset.expand import build_query_base_set, query_forms, spread_over_sites
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def root_pages(workspace: Workspace, query: str, **options: Any) -> list[str]:
    base = build_query_base_set(workspace.collection, query, steps=0, **options)
    return [base.pages[page] for page in base.roots.tolist()]


def test_one_site_does_not_fill_the_roots(keep: Keep) -> None:
    big = [Page(f"http://big.org/{k:02}", title=f"Gold {k}", text="gold gold") for k in range(40)]
    small = [Page(f"http://s{k}.org/", title="Old gold", text="gold " * 2) for k in range(4)]
    workspace = keep(*big, *small)
    first = root_pages(workspace, "gold", root_size=10, roots="first")
    assert {page.split("/")[2] for page in first} == {"big.org"}
    diverse = root_pages(workspace, "gold", root_size=10, roots="diverse")
    assert {page.split("/")[2] for page in diverse} == {"big.org", *(f"s{k}.org" for k in range(4))}
    assert set(first) <= set(diverse)  # the first results are roots in any case


def test_a_title_of_a_site_counts_once(keep: Keep) -> None:
    same = [Page(f"http://a.org/v{k}/", title="The price of gold", text="gold") for k in range(3)]
    others = [Page(f"http://{k}.org/", title="Ores", text="gold, long ago") for k in "bcd"]
    roots = root_pages(keep(*same, *others), "gold", root_size=4, roots="diverse")
    assert sum("a.org" in page for page in roots[:4]) == 1


def test_phrases_come_first(keep: Keep) -> None:
    words = Page("http://a.org/", title="History", text="war came, and law was civil")
    phrase = Page("http://b.org/", title="History", text="the civil war, and law came")
    others = [Page(f"http://o{k}.org/", text=f"a page about {k}") for k in range(8)]
    assert root_pages(keep(words, phrase, *others), "civil war", roots="diverse")[0] == phrase.url


@pytest.mark.parametrize(
    "query", ["gold", '"civil war"', "gold -silver", "site:a.org gold", "a OR b"]
)
def test_queries_with_operators_have_one_form(query: str) -> None:
    assert query_forms(query) == [query]


def test_scores_of_few_hosts_stay() -> None:
    scores, hosts = np.array([3.0, 2.0, 1.0]), np.array([0, 0, 1])
    assert spread_over_sites(scores, hosts).tolist() == [3, 2, 1]
