"""`weft crawl`: as the library does it, in every format; mistakes in one sentence."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command import in_lines, is_one_sentence, rows, run, weft
from tests.gather.fetch.page_server import PageServer, page, serve_pages

from weft.cli.crawl_display import CrawlDisplay
from weft.gather.fetch.engine import Progress
from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

SEED = "http://w.example/a"


@pytest.fixture
def web(keep: Callable[..., Workspace]) -> Workspace:
    """Three pages about jazz, linked in a row."""
    names = "abc"
    return keep(
        *(
            Page(
                f"http://w.example/{name}",
                title=f"Jazz {name}",
                text=f"jazz piano {name}",
                language="en",
                links=tuple(Link(f"http://w.example/{target}") for target in names[k + 1 : k + 2]),
            )
            for k, name in enumerate(names)
        )
    )


@pytest.fixture
def site() -> Iterator[PageServer]:
    """Three pages on loopback."""
    pages = {"/": page("/1", text="jazz piano"), "/1": page("/2", text="jazz"), "/2": page()}
    with serve_pages(pages) as server:
        yield server


def test_rows_in_the_order_of_fetching(web: Workspace, tmp_path: Path) -> None:
    words = ("crawl", "best-first", tmp_path / "n.weft", SEED, "--simulate", web.folder)
    found = rows(in_lines(*words, "--topic", "jazz"))
    assert [row["url"][-1] for row in found] == ["a", "b", "c"]
    assert [row["depth"] for row in found] == [0, 1, 2]


def test_a_table_and_a_summary(web: Workspace, tmp_path: Path) -> None:
    done = run("crawl", tmp_path / "n.weft", SEED, "--simulate", web.folder, "--pages", 2)
    assert "http://w.example/b" in done.stdout
    assert "2 pages · harvest rate" in done.stderr
    assert "1 URL waiting" in done.stderr


def test_one_document(web: Workspace, tmp_path: Path) -> None:
    words = ("crawl", tmp_path / "n.weft", SEED, "--simulate", web.folder, "--format", "json")
    document = json.loads(run(*words).stdout)
    assert document["method"] == "auto"
    assert document["pages"] == len(document["rows"]) == 3
    assert document["ended"] == "nothing left"


def test_a_live_crawl_its_status_and_its_continuation(site: PageServer, tmp_path: Path) -> None:
    folder, address = tmp_path / "n.weft", f"127.0.0.1:{site.port}"
    words = ("--topic", "jazz", "--delay", 0, "--contact", "me@example.org", "--pages", 2)
    done = run("crawl", folder, f"http://{address}/", *words, "--allow-private", address)
    assert "2 pages · harvest rate" in done.stderr
    assert (
        f"page limit; go on with:  weft crawl {folder} --allow-private {address} --pages 4"
        in done.stderr
    )
    status = run("crawl", folder, "--status")
    assert "auto · ended: page limit · 2 pages · harvest rate" in status.stderr
    assert "1 waiting on 1 host" in status.stderr
    assert f"http://{address}/2" in status.stdout
    assert "3 pages" in run("crawl", folder, "--pages", 3, "--allow-private", address).stderr
    pages = run("crawl", folder, "--status", "--format", "csv").stdout.splitlines()
    assert pages[0] == "url,relevance,score,depth,parent,http_status"
    assert len(pages) == 4


def test_a_crawl_goes_on_with_its_strategy_or_with_another(
    site: PageServer, tmp_path: Path
) -> None:
    folder, address = tmp_path / "n.weft", f"127.0.0.1:{site.port}"
    words = ("--delay", 0, "--contact", "me@example.org", "--pages", 1, "--distil-every", 5)
    seed = f"http://{address}/"
    private = ("--allow-private", address)
    run("crawl", "focused", folder, seed, *words, *private)
    assert "2 pages" in run("crawl", folder, "--pages", 2, *private).stderr
    plan = json.loads(run("crawl", folder, "--status", "--format", "json").stdout)["plan"]
    assert (plan["method"], plan["options"]) == ("focused", {"distil_every": 5})
    assert "no option 'min_pages'" in weft("crawl", folder, "--min-pages", 5, *private).stderr
    assert "3 pages" in run("crawl", "shark", folder, "--pages", 3, *private).stderr
    run("crawl", folder, "--delay", 1, *private)
    plan = json.loads(run("crawl", folder, "--status", "--format", "json").stdout)["plan"]
    assert plan["delay"] == 1


def test_what_is_removed_is_still_in_the_archive(site: PageServer, tmp_path: Path) -> None:
    folder, address = tmp_path / "n.weft", f"127.0.0.1:{site.port}"
    words = ("--delay", 0, "--contact", "me@example.org", "--allow-private", address)
    run("crawl", folder, f"http://{address}/", *words)
    done = run("remove", folder, f"http://{address}/1")
    assert "the next `weft crawl` adds them again" in done.stderr
    run("compact", folder)
    run("crawl", folder, "--allow-private", address)
    assert Workspace(folder).counts["captured"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_crawl_which_can_go_on(
    site: PageServer, tmp_path: Path, number: signal.Signals
) -> None:
    folder, address = tmp_path / "n.weft", f"127.0.0.1:{site.port}"
    words = ["crawl", str(folder), f"http://{address}/", "--contact", "me@example.org"]
    command = [sys.executable, "-m", "weft", *words, "--allow-private", address, "--delay", "9"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not site.paths:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert f"stopped; go on with:  weft crawl {folder} --allow-private {address}" in errors
    assert "Traceback" not in errors
    assert "Unclosed" not in errors
    assert "3 pages" in run("crawl", folder, "--delay", "0.01", "--allow-private", address).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "at least one seed"),
        ([SEED], "needs a contact"),
        (["best-first", SEED, "--contact", "a@b.org"], "'best-first' is not the URL"),
        (["w.example/a", "--contact", "a@b.org"], "the collection comes first"),
        (["ftp://w.example/a", "--contact", "a@b.org"], "is not the URL"),
        ([SEED, "--contact", "a@b.org\n"], "needs a contact"),
        ([SEED, "--contact", "a@b.org", "--allow-private", "10.0.0.1"], "is not HOST:PORT"),
        ([SEED, "--contact", "a@b.org", "--allow-private", "10.0.0.1:99999"], "is not HOST:PORT"),
        ([SEED, "--contact", "a@b.org", "--delay", "inf"], "delay is inf"),
        ([SEED, "--contact", "a@b.org", "--minutes", "inf"], "minutes is inf"),
        ([SEED, "--contact", "a@b.org", "--exclude", " "], "empty pattern"),
        ([SEED, "--contact", "a@b.org", "--like", "none.weft", "jazz", "1"], "none.weft"),
        ([SEED + "z", "--simulate", "WEB"], "was not captured"),
        ([SEED, "--simulate", "WEB", "--delay", "2"], "--delay is for live crawls"),
        ([SEED, "--simulate", "WEB", "--bytes", "2"], "--bytes is for live crawls"),
        ([SEED, "--simulate", "WEB", "--class", "x"], "--train and --class belong together"),
        ([SEED, "--simulate", "nothing.weft"], "nothing.weft"),
        (["--status"], "has no crawl"),
        (["SEED ALONE"], "the first argument is a URL"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    web: Workspace, tmp_path: Path, words: list[str], message: str
) -> None:
    given = [str(web.folder) if word == "WEB" else word for word in words]
    done = weft("crawl", *([SEED] if given == ["SEED ALONE"] else [tmp_path / "n.weft", *given]))
    assert is_one_sentence(done), done.stderr
    assert message in done.stderr
    assert not (tmp_path / "n.weft").exists()


def test_a_crawl_that_fetched_nothing_fails_with_the_reason(
    site: PageServer, tmp_path: Path
) -> None:
    address = f"127.0.0.1:{site.port}"
    words = ("--delay", 0, "--contact", "me@example.org", "--allow-private", address)
    done = weft("crawl", tmp_path / "n.weft", f"http://{address}/none", *words)
    assert done.returncode == 1
    assert "nothing was fetched: 1 × HTTP 404" in done.stderr  # noqa: RUF001


def test_a_private_address_is_refused_with_what_opens_it(site: PageServer, tmp_path: Path) -> None:
    seed = f"http://127.0.0.1:{site.port}/"
    done = weft("crawl", tmp_path / "n.weft", seed, "--contact", "me@example.org")
    assert done.returncode == 1
    assert "1 × private address" in done.stderr  # noqa: RUF001
    assert "--allow-private HOST:PORT" in done.stderr


def test_settings_given_at_their_default_replace_stored_ones(
    site: PageServer, tmp_path: Path
) -> None:
    folder, address = tmp_path / "n.weft", f"127.0.0.1:{site.port}"
    words = ("--delay", 0, "--contact", "me@example.org", "--allow-private", address)
    run("crawl", folder, f"http://{address}/", *words, "--pages", 1, "--depth", 1)
    assert "2 pages" in run("crawl", folder, *words, "--pages", 1000).stderr
    run("crawl", folder, *words, "--depth", 100)
    plan = json.loads(run("crawl", folder, "--status", "--format", "json").stdout)["plan"]
    assert (plan["pages"], plan["depth"]) == (1000, 100)


def test_the_display_has_the_harvest_rate(capsys: pytest.CaptureFixture[str]) -> None:
    with CrawlDisplay(100) as display:
        display._printed = -1e9
        display.show(Progress(10, 2_000_000, 5.0, 7, 2, 1, earlier_pages=20, harvest_rate=0.25))
    line = capsys.readouterr().err
    assert "30 of 100 pages · 2.0/s · 2.0 MB · harvest rate 0.25 · 7 URLs waiting" in line


@pytest.fixture
def two_subjects(keep: Callable[..., Workspace]) -> Workspace:
    """A portal that links to ten pages of each of two subjects, each the first of a chain of five.

    Anchors say nothing; the words of a page tell its subject.
    """
    words = {"jazz": "saxophone trumpet swing piano", "grain": "wheat barley harvest mill"}
    pages, firsts = [], []
    for k in range(10):
        for subject, text in words.items():
            chain = [f"http://w.example/{subject}-{k}-{depth}" for depth in range(5)]
            firsts.append(chain[0])
            pages += [
                Page(url, title="", text=f"{text} {url[-3]}", language="en", links=links(after))
                for url, after in zip(chain, [*([x] for x in chain[1:]), []], strict=True)
            ]
    return keep(
        Page("http://w.example/", text="portal", language="en", links=links(firsts)), *pages
    )


def links(targets: list[str]) -> tuple[Link, ...]:
    return tuple(Link(target, anchor="more") for target in targets)


@pytest.mark.parametrize("wanted", ["jazz", "grain"])
def test_a_trained_classifier_steers_a_crawl(
    two_subjects: Workspace, tmp_path: Path, wanted: str
) -> None:
    """Seeds and training data are the same: only the class wanted differs."""
    classes = [
        f"http://w.example/{subject}-{k}-4,{subject}" for subject in ("jazz", "grain") for k in "01"
    ]
    (tmp_path / "classes.csv").write_text("\n".join(["url,class", *classes]))
    source = ("--simulate", two_subjects.folder, "--pages", 51)
    trained = ("--train", tmp_path / "classes.csv", "--class", wanted)
    shares = {}
    for method, topic in (("best-first", trained), ("breadth-first", ())):
        into = tmp_path / f"{method}.weft"
        found = rows(in_lines("crawl", method, into, "http://w.example/", *source, *topic))
        shares[method] = sum(f"/{wanted}-" in row["url"] for row in found) / (len(found) - 1)
    assert shares["breadth-first"] == pytest.approx(0.5, abs=0.05)
    assert shares["best-first"] > 0.75
