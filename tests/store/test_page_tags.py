"""Tags of pages: inherited from domain, host and pattern, the most specific first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Page
from weft.store.entities import Entities
from weft.store.tags import Scope, Tag, append_tags
from weft.workspace.workspace import Workspace

URLS = [
    "http://example.com/",
    "http://example.com/a/one",
    "http://example.com/a/two",
    "http://www.example.com/a/three",
    "http://example.org/",
    "http://notexample.com/",
]


@pytest.fixture
def site(keep_at: Callable[..., Workspace], tmp_path: Path) -> Workspace:
    """Six pages on four hosts."""
    return keep_at(tmp_path / "c.weft", *(Page(url, title=url, text="words") for url in URLS))


def tagged(site: Workspace, *tags: tuple[Scope, str, str]) -> dict[str, str]:
    append_tags(site.folder, [Tag(scope, target, "topic", value) for scope, target, value in tags])
    values = site.collection.tag_values("topic")
    urls: list[str] = site.collection.pages["url"].to_pylist()
    return {url: values.of(k) for k, url in enumerate(urls) if values.of(k)}


def test_a_domain_covers_its_hosts(site: Workspace) -> None:
    assert set(tagged(site, ("domain", "example.com", "x"))) == set(URLS[:4])


def test_a_host_covers_its_pages_only(site: Workspace) -> None:
    assert set(tagged(site, ("host", "example.com", "x"))) == set(URLS[:3])


def test_a_pattern_covers_what_it_matches(site: Workspace) -> None:
    assert set(tagged(site, ("pattern", "*/a/t*", "x"))) == {URLS[2], URLS[3]}


def test_the_most_specific_tag_counts(site: Workspace) -> None:
    found = tagged(
        site,
        ("page", "example.com/a/one", "page"),
        ("pattern", "*/a/*", "pattern"),
        ("host", "example.com", "host"),
        ("domain", "example.com", "domain"),
    )
    assert [found.get(url) for url in URLS[:4]] == ["host", "page", "pattern", "pattern"]


def test_a_nested_entity_inherits_unless_it_has_a_tag_of_its_own(site: Workspace) -> None:
    rules = Entities().with_added("All", ["example.com"]).with_added("A", ["example.com/a"])
    site.set_entities(rules)
    assert set(tagged(site, ("entity", "All", "x"))) == set(URLS[:4])
    # the order in which they are tagged does not matter
    found = tagged(site, ("entity", "A", "y"), ("entity", "All", "z"))
    assert [found[url] for url in URLS[:4]] == ["z", "y", "y", "z"]


def test_of_equals_the_last_one_counts(site: Workspace) -> None:
    first = tagged(site, ("pattern", "*/a/*", "old"), ("pattern", "*one", "new"))
    assert (first[URLS[1]], first[URLS[2]]) == ("new", "old")
    assert tagged(site, ("pattern", "*/a/o*", "newest"))[URLS[1]] == "newest"


def test_a_value_holds_those_below_it(site: Workspace) -> None:
    tagged(site, ("page", URLS[0], "science/physics"), ("page", URLS[4], "sciences"))
    assert site.collection.have_tag("topic=science").sum() == 1
    assert site.collection.have_tag("topic=science/physics").sum() == 1
    assert site.collection.have_tag("topic=physics").sum() == 0
    with pytest.raises(UnknownName):
        site.collection.have_tag("subject=science")


def test_unknown_pages_are_no_error(site: Workspace) -> None:
    assert tagged(site, ("page", "http://nowhere.example/", "x"), ("host", "no.example", "y")) == {}


def test_a_search_takes_tags(site: Workspace) -> None:
    tagged(site, ("host", "example.com", "science/physics"), ("page", URLS[4], "art"))
    append_tags(site.folder, [Tag("pattern", "*/a/*", "decision", "out")])

    def urls(query: str) -> set[str]:
        return set(site.search(query).to_table()["url"].to_pylist())

    assert urls("words tag:topic=science") == set(URLS[:3])
    assert urls("words tag:topic=science -tag:decision=out") == {URLS[0]}
    assert urls("tag:topic=science tag:topic=art") == {*URLS[:3], URLS[4]}
    assert urls("words tag:topic=nothing") == set()
    assert urls("words -tag:topic=science") == set(URLS[3:])
    with pytest.raises(UnknownName):
        urls("words tag:subject=x")


def test_tags_and_entities_outlive_every_change_of_the_pages(
    site: Workspace, tmp_path: Path
) -> None:
    tagged(site, ("host", "example.com", "kept"))
    site.set_entities(site.entities.with_added("Both", ["example.com", "example.org"]))
    more = tmp_path / "more.jsonl"
    more.write_text('{"url": "http://example.com/new", "title": "new", "text": "words"}\n')
    site.add(more)
    site.remove([URLS[1]])
    site.compact()
    assert site.collection.have_tag("topic=kept").sum() == 3
    assert [entity.name for entity in site.entities.entities] == ["Both"]
    assert site.doctor() == []


def test_the_doctor_finds_altered_tags_and_entities(site: Workspace) -> None:
    tagged(site, ("host", "example.com", "kept"))
    site.set_entities(site.entities.with_added("Both", ["example.com"]))
    log = site.folder / "tags.jsonl"
    log.write_bytes(log.read_bytes().replace(b"kept", b"lost"))
    (site.folder / "entities" / "000001.toml").write_text("entity = 1")
    assert len(site.doctor()) == 2


def test_hosts_are_known_by_any_spelling(keep_at: Callable[..., Workspace], tmp_path: Path) -> None:
    url = "http://xn--mller-kva.example/"
    site = keep_at(tmp_path / "c.weft", Page(url, text="words"))
    assert tagged(site, ("host", "Müller.Example", "one")) == {url: "one"}
    assert tagged(site, ("domain", "http://MÜLLER.example:80/x", "two")) == {url: "one"}
    site.set_entities(Entities().with_added("M", ["müller.example"]))
    assert tagged(site, ("entity", "M", "three")) == {url: "three"}


def test_of_the_tags_of_a_page_the_last_counts(site: Workspace) -> None:
    """Also where they name it in two ways."""
    found = tagged(site, ("page", "example.com/a/one", "first"), ("page", URLS[1], "second"))
    assert found == {URLS[1]: "second"}
    assert tagged(site, ("page", "example.com/a/one", "third")) == {URLS[1]: "third"}
