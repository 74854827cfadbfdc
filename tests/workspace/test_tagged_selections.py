"""Tags in a selection: every kind of analysis sees only the pages that are asked for."""

import shutil
from pathlib import Path

import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.gather.url import host
from weft.groups import Groups
from weft.store.tags import Tag, append_tags, undo_tags
from weft.workspace.workspace import Workspace


@pytest.fixture
def tagged(demo: Workspace, tmp_path: Path) -> Workspace:
    """The demo web, with half of its hosts tagged."""
    folder = Path(shutil.copytree(demo.folder, tmp_path / "c.weft"))
    hosts = sorted(set(map(host, demo.graph().pages)))
    tags = [Tag("host", name, "decision", "in") for name in hosts[::2]]
    tags += [Tag("host", name, "decision", "out") for name in hosts[1::2]]
    append_tags(folder, tags)
    return Workspace(folder)


def hosts_in(workspace: Workspace) -> set[str]:
    inside = workspace.collection.have_tag("decision=in")
    return {host(page) for page, has in zip(workspace.graph().pages, inside, strict=True) if has}


def members(topics: Groups) -> set[str]:
    return {topics.base.graph.pages[page] for topic in topics for page in topic.members.tolist()}


def test_a_ranking_has_the_tagged_pages_only(tagged: Workspace) -> None:
    ranking = tagged.rank("indegree", only_tag=["decision=in"])
    assert {host(page) for page in ranking.pages} == hosts_in(tagged)
    rest = tagged.rank("indegree", exclude_tag=["decision=in"])
    assert len(ranking) + len(rest) == len(tagged.collection)


def test_both_values_of_a_facet_are_alternatives(tagged: Workspace) -> None:
    both = tagged.rank("indegree", only_tag=["decision=in", "decision=out"])
    assert len(both) == len(tagged.collection)


def test_hosts_stay_with_one_of_their_pages(tagged: Workspace) -> None:
    ranking = tagged.rank("indegree", level="host", only_tag=["decision=in"])
    assert set(ranking.pages) == hosts_in(tagged)


def test_topics_of_a_query_follow_the_tags(tagged: Workspace) -> None:
    inside = hosts_in(tagged)
    pages = members(tagged.topics("jaguar", only_tag=["decision=in"]))
    assert pages
    assert {host(page) for page in pages} <= inside
    assert len(pages) < len(members(tagged.topics("jaguar")))


def test_changed_tags_change_the_answer(tagged: Workspace) -> None:
    before = len(tagged.topics("jaguar", only_tag=["decision=out"]).base.graph)
    append_tags(tagged.folder, [Tag("pattern", "*", "decision", "out")])
    assert len(tagged.topics("jaguar", only_tag=["decision=out"]).base.graph) > before
    undo_tags(tagged.folder)
    assert len(tagged.topics("jaguar", only_tag=["decision=out"]).base.graph) == before


def test_an_export_takes_tags(tagged: Workspace, tmp_path: Path) -> None:
    rows = tagged.export(tmp_path / "pages.csv", "pages", only_tag=["decision=in"])
    assert rows == int(tagged.collection.have_tag("decision=in").sum())


def test_unknown_facets_and_other_texts_are_refused(tagged: Workspace) -> None:
    with pytest.raises(UnknownName):
        tagged.rank("indegree", only_tag=["choice=in"])
    with pytest.raises(BadParameter):
        tagged.rank("indegree", exclude_tag=["decision"])
