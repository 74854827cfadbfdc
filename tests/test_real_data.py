"""Real collections: what must be found in each."""

import gzip
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from benchmarks.base_sets import write_graphml
from benchmarks.classify import WebKB, evaluate
from tests.command import weft
from tests.real import DATA, real

from weft.graph.levels import add_self_links
from weft.graph.webgraph import link_weights
from weft.workspace.workspace import Workspace

pytestmark = real


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("real")


def made(folder: Path, name: str, *inputs: Path) -> Workspace:
    workspace = Workspace(folder / f"{name}.weft")
    if not workspace.folder.exists():
        workspace.add(*inputs)
    return workspace


@pytest.mark.slow
def test_wikispeedia_has_its_pages_and_its_links(folder: Path) -> None:
    workspace = made(folder, "wiki", DATA / "wikispeedia.warc.gz")
    assert workspace.counts["captured"] == 5464
    graph = add_self_links(workspace.collection)
    names = [article(url) for url in graph.pages]
    found = set()
    for number, source in enumerate(names):
        inside = slice(graph.outlinks.starts[number], graph.outlinks.starts[number + 1])
        found |= {(source, names[target]) for target in graph.outlinks.ids[inside]}
    with gzip.open(DATA / "wikispeedia" / "links.tsv.gz", "rt") as file:
        rows = [
            line.rstrip("\n").split("\t")
            for line in file
            if not line.startswith("#") and "\t" in line
        ]
    wanted = {(unquote(source), unquote(target)) for source, target in rows}
    assert len(wanted) == 119_882
    assert len(wanted & found) >= 119_800


def article(url: str) -> str:
    """The name of an article from its address, whose file name was escaped twice."""
    name = unquote(unquote(url.rpartition("/")[2]))
    return name.removesuffix(".htm")


@pytest.mark.slow
def test_webkb_crosses_hosts(folder: Path) -> None:
    workspace = made(folder, "webkb", DATA / "webkb.warc.gz")
    counts = workspace.counts
    assert counts["captures"] == 8274
    assert 8200 < counts["captured"] <= 8274
    assert 580 < counts["hosts"] < 640
    captured = workspace.collection.pages["kind"].to_numpy() == 0
    graph = workspace.graph()
    host = np.unique([url.split("/")[2] for url in graph.pages], return_inverse=True)[1]
    source = np.repeat(np.arange(len(graph)), np.diff(graph.outlinks.starts))
    target = np.asarray(graph.outlinks.ids)
    crossing = captured[source] & captured[target] & (host[source] != host[target])
    assert link_weights(graph.outlinks)[crossing].sum() >= 3000


@pytest.mark.slow
def test_two_universities_of_webkb_compared(folder: Path) -> None:
    workspace = made(folder, "webkb", DATA / "webkb.warc.gz")
    found = workspace.compare_sites("cs.cornell.edu", "cs.washington.edu")
    terms = found.to_table("terms")["term"].to_pylist()
    assert terms[0] == "cse"
    assert {"seattle", "uw", "autumn"} <= set(terms)
    assert "cornell" not in terms
    concepts = [set(words.split()) for words in found.to_table("concepts")["concept"].to_pylist()]
    assert {"extension", "operating", "system"} in concepts
    assert found["my pages with a match"] > 300


@pytest.mark.slow
def test_both_archive_formats_hold_the_same_pages(folder: Path) -> None:
    warc = made(folder, "warc", DATA / "warc" / "aut-example.warc.gz")
    arc = made(folder, "arc", DATA / "warc" / "aut-example.arc.gz")
    pages = [
        set(w.collection.pages.filter(w.collection.pages["kind"].to_numpy() < 2)["url"].to_pylist())
        for w in (warc, arc)
    ]
    assert len(pages[0] ^ pages[1]) <= 1
    assert warc.counts["links"] == arc.counts["links"]


def test_california(folder: Path) -> None:
    """Of its 9,664 nodes and 16,150 links, 46 are the address of a host that has a slash, too."""
    path = write_graphml(DATA / "california" / "gr0.California", folder / "california.graphml")
    counts = made(folder, "california", path).counts
    assert (counts["listed"], counts["links"]) == (9664 - 46, 16009)


@pytest.mark.slow
def test_a_clipped_archive_keeps_what_it_has(folder: Path) -> None:
    done = weft("add", folder / "clipped.weft", DATA / "warc" / "clipped.warc.gz")
    assert done.returncode == 3
    assert "damaged" in done.stderr
    hits = Workspace(folder / "clipped.weft").search("chance rapper houston")
    assert len(hits) == 1


def test_blogs_have_the_components_that_are_known(folder: Path) -> None:
    """The largest weak component has 1,222 of 1,490 blogs and the core 793, as is often cited."""
    blogs = made(folder, "polblogs", DATA / "polblogs" / "polblogs.gml")
    found = blogs.structure("bow-tie")
    assert (found["pages"], found["largest weak component"], found["core"]) == (1490, 1222, 793)
    assert found.notes == ()


@pytest.mark.slow
def test_an_encyclopaedia_is_nearly_all_core(folder: Path) -> None:
    found = made(folder, "wiki", DATA / "wikispeedia.warc.gz").structure("bow-tie")
    assert found["pages"] == 5464
    assert found["core share"] > 0.85
    assert found["in"] == 0
    assert "not captured" in found.notes[0]


@pytest.mark.slow
def test_selected_pages_of_universities_have_a_small_core(folder: Path) -> None:
    found = made(folder, "webkb", DATA / "webkb.warc.gz").structure("bow-tie")
    assert 0.2 < found["core share"] < 0.25
    assert found["disconnected"] > 1000
    assert found["tendrils by Broder"] > found["in"]


@pytest.mark.slow
def test_classifiers_learn_the_classes_of_webkb(folder: Path) -> None:
    """Each university by all others: .862 and .728 were measured elsewhere."""
    webkb = WebKB.from_workspace(made(folder, "webkb", DATA / "webkb.warc.gz"))
    linear = evaluate(webkb, "linear", with_other=False)
    assert linear.accuracy > 0.862
    assert linear.macro_f1 > 0.728
    assert linear.calibration_error < 0.06
    bayes = evaluate(webkb, "naive-bayes", with_other=False)
    assert 0.75 < bayes.accuracy < linear.accuracy
    seven = evaluate(webkb, "linear", with_other=True)
    assert seven.accuracy > 0.79
    assert seven.macro_f1 > 0.49
