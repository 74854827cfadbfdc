"""The index: its contents, and failures to write it."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from weft.core.errors import WeftError
from weft.gather.page import Link, Page
from weft.store import index as indexes
from weft.store.index import build_index
from weft.store.numbering import PAGE_SCHEMA
from weft.store.term_weights import TermWeightWriter
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def test_only_pages_with_text_are_indexed(keep: Keep) -> None:
    workspace = keep(
        Page("http://a.com/", text="x", links=(Link("http://other.com/", "uncaptured"),)),
        Page("http://b.com/", kind="error", status=404, text="not found"),
        Page("http://c.com/", kind="redirect", redirect="http://a.com/"),
    )
    assert workspace.collection.text_index.index.searcher().num_docs == 1
    assert len(workspace.search("found OR other OR x")) == 1


def test_the_index_knows_its_stemmers(keep: Keep) -> None:
    workspace = keep(Page("http://a.com/", language="de"), Page("http://b.com/", language="zh"))
    assert workspace.collection.text_index.stemmers == ["de", "xx"]


def test_pages_stemmed_in_batches_keep_their_words(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "MAX_STEM_BATCH_BYTES", 50)
    pages = [
        Page(f"http://a.com/{k}", text=f"connected word{k} " * 3, language="en" if k % 3 else "")
        for k in range(20)
    ]
    workspace = keep(*pages)
    for k, page in enumerate(pages):
        assert workspace.search(f"word{k}").to_table()["url"].to_pylist() == [page.url]
    assert len(workspace.search("connecting", 100)) == 13


def test_large_pages_are_read_and_stemmed_a_few_at_a_time(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many share a row group; small ones are stemmed together."""
    sizes: list[tuple[int, int]] = []
    split = indexes._split_by_stemmer

    def split_and_measure(rows: pa.Table) -> Iterator[pa.Table]:
        sizes.append((len(rows), rows["body"].nbytes))
        return split(rows)

    monkeypatch.setattr(indexes, "_split_by_stemmer", split_and_measure)
    large = [Page(f"http://a.com/{k}", text=f"word{k} " * 150_000) for k in range(30)]
    small = [Page(f"http://b.com/{k}", text="word") for k in range(200)]
    keep(*large, *small)
    assert max(nbytes for _, nbytes in sizes) < 24 << 20
    assert sizes[-1][0] > 190


def test_readers_leave_nothing_behind(keep: Keep) -> None:
    workspace = keep(Page("http://a.com/", text="cat"))
    before = sorted(workspace.folder.rglob("*"))
    assert len(workspace.search("cat")) == 1
    assert sorted(workspace.folder.rglob("*")) == before


def test_an_open_index_is_searched_without_its_links(
    keep: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are gone as soon as it is open: whoever is killed leaves none behind."""
    workspace = keep(Page("http://a.com/", text="cat and dog"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    collection = workspace.collection
    assert collection.text_index.stemmers == ["xx"]
    assert not list(temporary.iterdir())
    assert collection.search('"cat and dog"').total == 1


def test_long_texts_are_indexed_up_to_the_cap(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap counts bytes: a cut through a character leaves it out."""
    monkeypatch.setattr(indexes, "MAX_TEXT_BYTES", 10)
    workspace = keep(
        Page("http://a.com/", text="first     last"),
        Page("http://b.com/", text="北海道大学", language="zh"),
        Page("http://c.com/", text="short"),
    )
    words = ("first", "last", "道", "大", "short")
    assert [len(workspace.search(word)) for word in words] == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ('IoError { io_error: Os { code: 28, message: "No space left on device" } }', "No space"),
        ("something else", "something else"),
    ],
)
def test_a_failed_write_is_reported_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str, message: str
) -> None:
    def fail(_folder: Path) -> None:
        raise ValueError(error)

    monkeypatch.setattr(indexes, "create_index", fail)
    weights = TermWeightWriter(tmp_path / "term_weights", 0)
    with pytest.raises((WeftError, OSError), match=message):
        build_index(PAGE_SCHEMA.empty_table(), [], tmp_path / "index", weights)


def test_the_link_folder_goes_though_a_lock_is_created_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links, remove, tries = tmp_path / "links", shutil.rmtree, list[Path]()
    links.mkdir()

    def late(path: Path, *, ignore_errors: bool) -> None:
        tries.append(path)
        if len(tries) > 1:
            remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", late)
    indexes._remove_folder_with_retries(links)
    assert (len(tries), links.exists()) == (2, False)
