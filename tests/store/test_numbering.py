"""Which captures are live, which URLs are aliases, and the order of page numbers."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.gather.formats import recognise_input
from weft.gather.html import ParseOptions
from weft.gather.page import Link, Page
from weft.store import arrow_files, numbering
from weft.store.manifest import Segment
from weft.store.numbering import number_pages
from weft.workspace.ingest import add_sources
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def kinds(workspace: Workspace) -> dict[str, str]:
    rows = workspace.refresh().page_table().select(["url", "kind"]).to_pylist()
    return {row["url"].removeprefix("http://"): row["kind"] for row in rows}


def aliases(workspace: Workspace) -> dict[str, str]:
    collection = workspace.collection
    urls = collection.pages["url"].to_pylist()
    rows = collection.aliases.to_pylist()
    return {
        row["url"].removeprefix("http://"): urls[row["page"]].removeprefix("http://")
        for row in rows
    }


def page(place: str, **more: object) -> Page:
    return Page(f"http://{place}", **{"text": f"words of {place}", **more})  # type: ignore[arg-type]


def redirect(place: str, to: str, time: int = 0) -> Page:
    target = f"http://{to}"
    return page(place, kind="redirect", redirect=target, reason="HTTP 301", text="", time=time)


def to(*places: str) -> tuple[Link, ...]:
    return tuple(Link(f"http://{place}") for place in places)


def test_order_is_by_reversed_host_then_path(keep: Keep) -> None:
    places = ["b.org/", "www.a.com/x", "a.com/y", "a.com/x/1", "a.com/x", "a.net/", "10.0.0.1/"]
    workspace = keep(*(page(place) for place in places))
    assert list(kinds(workspace)) == [
        "10.0.0.1/", "www.a.com/x", "a.com/x", "a.com/x/1", "a.com/y", "a.net/", "b.org/",
    ]  # fmt: skip


def test_a_host_and_its_subdomains_are_one_range(keep: Keep) -> None:
    places = ["a.com/", "a.com:8080/", "b.a.com/", "a-b.com/", "a0.com/", "aa.com/", "z.b.a.com/q"]
    urls = keep(*(page(place) for place in places)).collection.pages["url"].to_pylist()
    inside = [".a.com" in url or "//a.com" in url for url in urls]
    assert sum(a != b for a, b in zip(inside, [*inside[1:], False], strict=True)) <= 2


def test_the_latest_capture_is_live_and_the_others_are_counted(keep: Keep) -> None:
    keep(page("a.com/", time=2, title="second"), page("a.com/", time=1, title="first"))
    workspace = keep(page("a.com/", time=3, title="third", links=to("b.com/")))
    table = workspace.collection.pages.to_pylist()
    assert [(row["title"], row["captures"]) for row in table] == [("third", 3), ("", 0)]
    assert kinds(workspace) == {"a.com/": "captured", "b.com/": "uncaptured"}


def test_captures_of_one_moment_are_decided_by_their_digest(keep: Keep) -> None:
    same = [page("a.com/", time=5, title=word) for word in ("one", "two", "three")]
    titles = set()
    for k, order in enumerate(permutations(same)):
        for capture in order:
            workspace = keep(capture, name=f"{k}.weft")
        titles.add(workspace.collection.pages["title"][0].as_py())
    assert len(titles) == 1


def test_links_of_superseded_captures_do_not_count(keep: Keep) -> None:
    keep(page("a.com/", time=1, links=to("old.com/")))
    workspace = keep(page("a.com/", time=2, links=to("new.com/")))
    assert kinds(workspace) == {"a.com/": "captured", "new.com/": "uncaptured"}


def test_redirects_are_followed_along_their_chain(keep: Keep) -> None:
    workspace = keep(
        redirect("a.com/1", "a.com/2"), redirect("a.com/2", "b.com/3"), page("b.com/3"),
        page("c.com/", links=to("a.com/1", "a.com/2")),
    )  # fmt: skip
    assert kinds(workspace) == {"b.com/3": "captured", "c.com/": "captured"}
    assert aliases(workspace) == {"a.com/1": "b.com/3", "a.com/2": "b.com/3"}
    assert workspace.graph().to_arrow().to_pylist() == [
        {"source": "http://c.com/", "target": "http://b.com/3", "weight": 2.0}
    ]


def test_the_target_of_a_redirect_is_uncaptured(keep: Keep) -> None:
    assert kinds(keep(redirect("a.com/", "b.com/"))) == {"b.com/": "uncaptured"}


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_the_first_page_of_a_cycle_represents_it(keep: Keep, length: int) -> None:
    cycle = [f"a.com/{k}" for k in range(length)]
    targets = [*cycle[1:], cycle[0]]
    workspace = keep(
        *(redirect(place, target) for place, target in zip(cycle, targets, strict=True)),
        redirect("b.com/", cycle[-1]),
    )
    assert kinds(workspace) == {"a.com/0": "uncaptured"}
    assert aliases(workspace) == dict.fromkeys([*cycle[1:], "b.com/"], "a.com/0")


def test_a_canonical_url_of_the_same_domain_makes_an_alias(keep: Keep) -> None:
    workspace = keep(
        page("www.a.com/?id=1", canonical="http://a.com/", title="copy"),
        page("a.com/", title="own"),
    )
    assert kinds(workspace) == {"a.com/": "captured"}
    assert workspace.collection.pages["title"].to_pylist() == ["own"]
    assert workspace.collection.pages["captures"].to_pylist() == [2]


def test_a_canonical_url_of_another_domain_does_not(keep: Keep) -> None:
    workspace = keep(page("a.com/", canonical="http://thief.com/"))
    assert kinds(workspace) == {"a.com/": "captured"}


def test_a_page_known_only_as_canonical_adopts_the_latest_capture(keep: Keep) -> None:
    keep(page("a.com/?2", canonical="http://a.com/", title="late", time=9, links=to("b.com/")))
    workspace = keep(page("a.com/?1", canonical="http://a.com/", title="early", time=1))
    assert kinds(workspace) == {"a.com/": "captured", "b.com/": "uncaptured"}
    assert workspace.collection.pages["title"][0].as_py() == "late"
    assert aliases(workspace) == {"a.com/?1": "a.com/", "a.com/?2": "a.com/"}
    assert workspace.search("late").page_numbers == (0,)


def test_content_survives_a_cycle_of_canonical_and_redirect(keep: Keep) -> None:
    """A page names as canonical what redirects back to it: a common mistake."""
    workspace = keep(
        page("a.com/z", canonical="http://a.com/b", title="kept"), redirect("a.com/b", "a.com/z")
    )
    assert kinds(workspace) == {"a.com/b": "captured"}
    assert workspace.search("kept").page_numbers == (0,)


def test_content_survives_a_canonical_that_answers_with_an_error(keep: Keep) -> None:
    workspace = keep(
        page("a.com/z", canonical="http://a.com/b", title="kept"),
        page("a.com/b", kind="error", status=404),
    )
    assert kinds(workspace) == {"a.com/b": "captured"}
    assert workspace.search("kept").page_numbers == (0,)


def test_a_removed_page_that_is_linked_becomes_uncaptured(keep: Keep) -> None:
    workspace = keep(page("a.com/", links=to("b.com/")), page("b.com/", links=to("c.com/")))
    assert workspace.remove(["http://b.com/"]) == 1
    assert kinds(workspace) == {"a.com/": "captured", "b.com/": "uncaptured"}
    assert workspace.remove(["http://a.com/"]) == 1
    assert kinds(workspace) == {}


def test_removing_drops_every_capture(keep: Keep) -> None:
    keep(page("a.com/", time=1), page("b.com/"))
    workspace = keep(page("a.com/", time=2))
    workspace.remove(["http://a.com/"])
    assert kinds(workspace) == {"b.com/": "captured"}


def test_titles_of_listed_pages_do_not_depend_on_the_order_of_graphs(tmp_path: Path) -> None:
    graphs = []
    for k, label in enumerate(("", "Alpha", "Beta")):
        path = tmp_path / f"{k}.gml"
        named = f' title "{label}"' if label else ""
        path.write_text(
            f'graph [ directed 1 node [ id 0 label "a"{named} ] node [ id 1 label "b{k}" ]\n'
            "edge [ source 0 target 1 ] ]"
        )
        graphs.append(recognise_input(path))
    titles = set()
    for k, order in enumerate(permutations(graphs)):
        for source in order:
            add_sources(tmp_path / f"{k}.weft", [source], ParseOptions())
        pages = Workspace(tmp_path / f"{k}.weft").collection.pages
        titles.add(tuple(pages["title"].to_pylist()))
    assert len(titles) == 1


PLACES = [f"{host}/{path}" for host in ("a.com", "www.a.com", "b.org", "c.net") for path in "xyz"]
WORDS = ["jaguar", "cat", "car", "atari", "the", "forest", "engine", "game"]
QUERIES = (*WORDS, "jaguar cat", "jaguar -car", '"cat car"', "site:a.com game", "lang:en")
some_words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
some_pages = st.lists(
    st.builds(
        lambda place, kind, time, title, text, other, targets, anchors: Page(
            f"http://{place}",
            kind=kind,
            time=time,
            title=title,
            text=text,
            language="en" if "the" in text else "",
            canonical=f"http://{other}" if kind == "captured" and time == 2 else "",
            redirect=f"http://{other}" if kind == "redirect" else "",
            links=tuple(
                Link(f"http://{target}", anchor)
                for target, anchor in zip(targets, anchors, strict=False)
                if kind == "captured"
            ),
        ),
        st.sampled_from(PLACES),
        st.sampled_from(["captured", "captured", "captured", "redirect", "error"]),
        st.integers(0, 3),
        some_words,
        some_words,
        st.sampled_from(PLACES),
        st.lists(st.sampled_from(PLACES), max_size=4),
        st.lists(some_words, min_size=4, max_size=4),
    ),
    min_size=1,
    max_size=14,
    unique_by=lambda page: (page.url, page.time, page.kind, page.title, page.text, page.links),
)


@pytest.mark.slow
@settings(max_examples=20)
@given(pages=some_pages, random=st.randoms(use_true_random=False))
def test_neither_order_nor_segments_matter(
    keep_at: Keep, portrait: Callable[..., str], pages: list[Page], random: Random
) -> None:
    with TemporaryDirectory() as folder:
        expected = portrait(keep_at(Path(folder) / "one.weft", *pages), *QUERIES)
        shuffled = random.sample(pages, len(pages))
        cuts = sorted(random.sample(range(len(pages) + 1), min(2, len(pages))))
        for start, end in zip([0, *cuts], [*cuts, len(pages)], strict=True):
            parts = keep_at(Path(folder) / "parts.weft", *shuffled[start:end])
        assert portrait(parts, *QUERIES) == expected


@pytest.mark.slow
@settings(max_examples=20)
@given(pages=some_pages, random=st.randoms(use_true_random=False))
def test_block_sizes_do_not_matter(keep_at: Keep, pages: list[Page], random: Random) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        at = Path(folder) / "c.weft"
        for start in range(0, len(pages), 3):
            workspace = keep_at(at, *pages[start : start + 3])
        if random.random() < 0.5:
            path = Path(folder) / "links.csv"
            ends = (f"http://{random.choice(PLACES)},http://{random.choice(PLACES)}" for _ in "123")
            path.write_text("source,target\n" + "\n".join(ends))
            workspace.add(path)
        if random.random() < 0.5:
            workspace.remove([pages[0].url])
        parts = workspace.refresh().collection.manifest.segments
        expected = numbered(at, parts, Path(folder) / "expected")
        patch.setattr(arrow_files, "RANGE_BYTES", 1 << 9)
        patch.setattr(numbering, "BLOCK_ROWS", random.choice([1, 2, 5]))
        assert numbered(at, parts, Path(folder) / "blocks") == expected


def numbered(collection: Path, parts: tuple[Segment, ...], into: Path) -> list[object]:
    """All results of numbering; it leaves no files but its two tables."""
    into.mkdir()
    found = number_pages(collection / "segments", parts, into)
    assert {path.name for path in into.iterdir()} == {"pages.arrow", "aliases.arrow"}
    tables = [found.pages.to_pydict(), found.aliases.to_pydict()]
    return [
        *tables,
        *([ids.tolist() for ids in arrays] for arrays in (found.page_of_url, found.page_of_row)),
    ]
