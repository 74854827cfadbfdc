"""Topics and communities: found, named, compared, and with a memory of where they come from."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc
import pytest
from tests.subjects import TWO_SUBJECTS

import weft
from weft.communities.agreement import compare_with_labels, match_labels_to_pages, read_labels
from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Page
from weft.gather.url import domain, host
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.selection import Selection
from weft.groups import Groups, labels
from weft.groups.evidence import EvidenceCollector
from weft.workspace.analyse import cached_groups, find_registered, query_problem_note
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def two(keep: Keep) -> Workspace:
    return keep(*TWO_SUBJECTS)


def bits(found: Groups) -> list[tuple[object, ...]]:
    return [
        (t.label, t.title, t.members.tobytes(), t.authority.tobytes(), t.hub.tobytes())
        for t in (*found, *found.set_aside)
    ]


def test_two_topics_and_their_names(keep: Keep) -> None:
    found = keep(*TWO_SUBJECTS).topics("jaguar", "atd", min_size=5)
    assert {topic.label[0] for topic in found} == {"Engine", "Jungle"}
    assert {topic.title for topic in found} == {
        "engine links a; engine links b",
        "jungle links a; jungle links b",
    }
    first = EvidenceCollector(found).for_role(1, "authority", 1)[0]
    assert first.count == 6
    assert first.anchors[0].split()[0].capitalize() == found[0].label[0]


def test_topics_know_where_they_come_from(demo: Workspace) -> None:
    base = Selection(root_size=50, roots="first", exclude=("ads.example",))
    found = demo.topics("jaguar", selection=base)
    memory = found.provenance
    assert (memory["query"], memory["snapshot"], memory["weft"]) == ("jaguar", 1, weft.__version__)
    assert memory["selection"]["root_size"] == 50
    assert memory["selection"]["roots"] == "first"
    assert memory["exclude"] == ["ads.example"]
    counts = found.base.counts()
    assert counts["root"] <= 50
    assert counts["pages"] == len(found.base) > counts["root"]
    assert memory["left_out"]
    assert found.method == "auto"
    assert "min_size" in found.options


def test_the_same_answer_each_time(demo: Workspace) -> None:
    assert bits(demo.topics("jaguar")) == bits(Workspace(demo.folder).topics("jaguar"))


def test_a_query_is_remarked_on(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar")
    assert query_problem_note(demo.collection, base) == ""
    assert "common" in query_problem_note(
        demo.collection, build_query_base_set(demo.collection, "the and of")
    )
    assert "pages are in en (" in query_problem_note(
        demo.collection, build_query_base_set(demo.collection, "zzzz")
    )
    assert query_problem_note(demo.collection, build_query_base_set(demo.collection, "")) == ""
    assert "pages are in en (" in demo.topics("zzzz").notes[0]


def test_topics_know_their_share_of_sites(demo: Workspace) -> None:
    found = demo.topics("jaguar")
    every = len({domain(page) for page in found.base.pages})
    sites = [topic.sites for topic in found if topic.sites]
    assert len(sites) == len(found) > 0
    assert [own.share for own in sites] == [round(own.count / every, 4) for own in sites]


def test_snippets_say_the_query(demo: Workspace) -> None:
    found = demo.topics("jaguar")
    said = found.base.snippets(found.base.roots[:3])
    assert len(said) == 3
    assert all("jaguar" in words.lower() for words in said)
    assert found.base.snippets(found.base.roots[:0]) == []
    documents = found.to_document(3, 2, snippets="first")["topics"]
    shown = [[page["snippet"] for page in one["authorities"]] for one in documents]
    assert all(shown[0])
    assert not any(shown[1])


def test_the_whole_collection_and_other_levels(demo: Workspace) -> None:
    assert len(demo.topics(method="hits").base) > len(demo.topics("atari", "hits").base)
    hosts = demo.topics(method="hits", level="host")
    assert hosts.base.level == "host"
    assert hosts[0].label[0] in hosts.base.pages
    with pytest.raises(BadParameter, match="finds pages"):
        demo.topics("jaguar", level="host")


def test_what_cannot_be(demo: Workspace) -> None:
    with pytest.raises(UnknownName, match="atdd"):
        demo.topics("jaguar", "atdd")
    with pytest.raises(BadParameter, match="colour"):
        demo.topics("jaguar", colour="red")


@pytest.mark.parametrize("query", ["the of and", "xyzzyx", "ягуар", "捷豹"])
def test_odd_queries_are_answered(demo: Workspace, query: str) -> None:
    found = demo.topics(query)
    assert all(topic.name for topic in found)
    assert found.provenance["query"] == query


@pytest.mark.parametrize("query", ["!?", "-atari"])
def test_queries_without_words_are_refused_with_a_hint(demo: Workspace, query: str) -> None:
    with pytest.raises(BadParameter) as error:
        demo.topics(query)
    assert "add a word" in error.value.hint


def test_a_query_too_long_is_refused_in_words(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="100,000 characters"):
        demo.topics("j" * 100_000)


def test_links_without_words(tmp_path: Path) -> None:
    """An edge list has no text: topics are called after hosts."""
    edges = [f"http://{g}{k}.org/,http://{g}.com/{n}" for g in "pq" for k in range(6) for n in "xy"]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *edges]))
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "edges.csv")
    found = workspace.topics(min_size=3)
    assert {topic.label for topic in found} == {("p.com",), ("q.com",)}


def test_one_page(keep: Keep) -> None:
    found = keep(Page("http://a.org/", text="jaguar")).topics("jaguar")
    assert (len(found), len(found.base)) == (0, 1)


def test_two_communities_and_their_names(two: Workspace) -> None:
    found = two.communities()
    assert [community.label[0] for community in found] == ["Engine", "Jungle"]
    assert {community.title for community in found} == {
        "engine links a; engine links b",
        "jungle links a; jungle links b",
    }
    assert found.group_numbers("http://cars0.org/") == [1]
    assert found.facts["modularity"] == pytest.approx(0.5)


def test_a_query_has_communities_of_its_own(two: Workspace) -> None:
    found = two.communities("jungle", between="domain")
    assert {host(page) for page in found.base.pages} == {
        "cats.com",
        *(f"cats{k}.org" for k in range(6)),
    }
    assert found.base.query == "jungle"
    assert found.base.counts()["root"] == 10, "six say so, and links to four"


def test_hosts_have_communities(two: Workspace) -> None:
    found = two.communities(level="host", method="friends")
    assert found.base.level == "host"
    assert {found.base.pages[page] for page in found[0].members} >= {"cars0.org", "cars1.org"}


def test_every_method_can_be_called(two: Workspace) -> None:
    assert len(two.communities(method="hits", vectors=2)[0]) == 18
    assert two.communities(method="agora").to_table().column_names[0] == "page"
    with pytest.raises(UnknownName, match="modularty"):
        two.communities(method="modularty")
    with pytest.raises(BadParameter, match="resolution"):
        two.communities(resolution=-1)


def test_communities_know_where_they_come_from(two: Workspace) -> None:
    found = two.communities(exclude=("cars.com",))
    origin = found.provenance
    assert origin["snapshot"] == 1
    assert origin["exclude"] == ["cars.com"]
    assert found.base.counts()["links"] == 24
    assert origin["level"] == "page"


def test_only_the_first_have_names(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "MAX_LABELLED_GROUPS", 1)
    found = two.communities(cache=False)
    assert [bool(community.label) for community in found] == [True, False]
    assert found.notes[-1] == "only the first 1 of 2 communities have names"
    assert len(found) == 2


def compared(two: Workspace, tmp_path: Path, text: str) -> tuple[Groups, dict[str, str]]:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return two.communities(), read_labels(path)


def test_labels_of_a_file_are_compared(two: Workspace, tmp_path: Path) -> None:
    rows = [f"http://{group}{k}.org,{group}" for group in ("cars", "cats") for k in range(3)]
    found, given = compared(two, tmp_path, "\n".join(rows))
    result = compare_with_labels(found, given)
    assert (result.ari, result.nmi, result.compared_pages) == pytest.approx((1.0, 1.0, 6))
    found, given = compared(two, tmp_path, "cars0.org\tx\ncats0.org\tx\ncats1.org\ty\n")
    assert compare_with_labels(found, given).purity == pytest.approx(2 / 3)


def test_labels_that_say_nothing_are_an_error(two: Workspace, tmp_path: Path) -> None:
    found, given = compared(two, tmp_path, "http://nowhere.org/,x\n")
    with pytest.raises(BadParameter, match="none of the labelled pages"):
        compare_with_labels(found, given)
    with pytest.raises(BadParameter, match="row 2 has no label"):
        compared(two, tmp_path, "http://cars0.org/,x\nhttp://cats0.org/\n")


def test_pages_go_by_several_names(two: Workspace) -> None:
    found = two.communities()
    assert found.explain("cars0.org").page == "http://cars0.org/"
    assert found.explain("elsewhere.org").page == "elsewhere.org"
    assert match_labels_to_pages(found.graph, {"cars0.org": "a", "none.org": "b"}) == {
        "http://cars0.org/": "a"
    }


def test_what_was_found_before_is_there_and_nothing_else(two: Workspace) -> None:
    method = find_registered("communities", "modularity")
    assert cached_groups(two.collection, method, Selection(), {}) is None
    made = two.communities()
    known = cached_groups(two.collection, method, Selection(), {})
    assert known is not None
    assert [one.label for one in known] == [one.label for one in made]
    assert known.provenance.keys() == made.provenance.keys()
    assert cached_groups(two.collection, method, Selection(), {"seed": 1}) is None


def test_tables_by_name(two: Workspace) -> None:
    found = two.communities()
    groups, pages, members, matrix, bridges = (
        found.to_table(name) for name in ("groups", "pages", "members", "matrix", "bridge_pages")
    )
    assert found.to_table().equals(groups)
    assert groups.select(["community", "label", "pages", "internal_links"]).to_pylist() == [
        {"community": 1, "label": "Engine", "pages": 10, "internal_links": 24},
        {"community": 2, "label": "Jungle", "pages": 10, "internal_links": 24},
    ]
    assert groups["authority"].to_pylist() == ["http://cars.com/0", "http://cats.com/0"]
    assert pages.filter(pc.equal(pages["role"], "authority")).num_rows == 8
    assert found.to_table("pages", top=1).num_rows == 4
    assert members.column_names == ["community", "place", "page", "authority", "hub"]
    assert members["community"].to_pylist() == [1] * 10 + [2] * 10
    assert set(members["page"].to_pylist()) == set(found.base.pages)
    assert [tuple(row.values()) for row in matrix.to_pylist()] == [(1, 1, 24), (2, 2, 24)]
    assert (bridges.num_rows, bridges.column_names[:2]) == (0, ["page", "communities"])
    with pytest.raises(UnknownName, match="membres"):
        found.to_table("membres")


def test_tables_of_topics(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    assert found.to_table().equals(found.to_table("pages"))
    assert found.to_table("groups")["topic"].to_pylist() == [1, 2]
    assert found.to_table("groups")["internal_links"].null_count == 2, "not counted for topics"
    assert len(found.to_table("members")) == sum(map(len, found))


def test_topics_and_communities_have_one_document(two: Workspace) -> None:
    topics = two.topics("jaguar", "atd", min_size=5).to_document(top=2)
    communities = two.communities("jaguar").to_document(top=2)
    assert set(topics) - {"topics"} == set(communities) - {"communities"}
    [first, second] = communities["communities"]
    assert set(topics["topics"][0]) == set(first)
    assert [page["url"] for page in first["authorities"]] == [
        "http://cars.com/0",
        "http://cars.com/1",
    ]
    assert first["authorities"][0]["count"] == 6
    assert (first["number"], second["number"]) == (1, 2)
    assert first["links"] == {"internal": 24, "outgoing": 0, "incoming": 0}
    assert json.loads(json.dumps(communities)) == communities
    one = two.communities("jaguar").to_document(max_groups=1)
    assert (len(one["communities"]), one["total"]) == (1, 2)
