"""Domains of pages, and one vote per domain."""

from weft.graph.levels import encode_domains, voter_ids
from weft.graph.webgraph import WebGraph


def test_hosts_of_one_domain_have_one_number() -> None:
    graph = WebGraph.from_links([("http://a.com/1", "http://www.a.com/2"), ("b", "http://c.co.uk")])
    numbers, names = encode_domains(graph.names)
    assert [names[number] for number in numbers] == ["a.com", "a.com", "b", "c.co.uk"]


def test_pages_of_a_domain_vote_as_one() -> None:
    graph = WebGraph.from_links(
        [("http://a.com/1", "http://b.org/"), ("http://a.com/2", "http://c.org")]
    )
    numbers = dict(zip(graph.pages, voter_ids(graph).tolist(), strict=True))
    assert numbers["http://a.com/1"] == numbers["http://a.com/2"]
    assert len(set(numbers.values())) == 3


def test_where_links_stay_inside_domains_each_page_votes_for_itself() -> None:
    links = [("http://a.com/1", "http://a.com/2"), ("http://a.com/2", "http://a.com/3")]
    graph = WebGraph.from_links([*links, ("http://a.com/1", "http://b.org/")])
    assert len(set(voter_ids(graph).tolist())) == 4


def test_pages_without_names_vote_for_themselves() -> None:
    assert voter_ids(WebGraph.from_arrays(3, [0, 1], [2, 2])).tolist() == [0, 1, 2]
    assert not len(voter_ids(WebGraph.from_links([])))
