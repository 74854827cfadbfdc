"""`weft classify`: as the library says, in every format; bad examples in one sentence."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command import in_lines, is_one_sentence, rows, run, weft

from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Page
from weft.workspace.workspace import Workspace

TEXTS = {
    "a.example/1": ("Ball", "ball goal", "sport"),
    "a.example/2": ("Goal", "goal team", "sport"),
    "b.example/1": ("Bank", "bank loan", "money"),
    "b.example/2": ("Loan", "loan rate", "money"),
    "c.example/": ("Match", "a goal for the team", ""),
    "d.example/": ("Credit", "the rate of a loan", ""),
}
Write = Callable[..., Path]


@pytest.fixture
def six(keep: Callable[..., Workspace]) -> Workspace:
    """Four examples, and two pages to classify."""
    return keep(
        *(
            Page(f"http://{url}", title=title, text=text, language="en")
            for url, (title, text, _) in TEXTS.items()
        )
    )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of examples."""

    def write_file(content: str | bytes = "") -> Path:
        lines = [f"http://{url},{name}" for url, (_, _, name) in TEXTS.items() if name]
        text = content or "\n".join(["url,class", *lines])
        path = tmp_path / "examples.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write_file


def test_every_page_that_is_no_example_has_a_row(six: Workspace, write: Write) -> None:
    found = rows(in_lines("classify", six.folder, "--train", write()))
    assert {row["url"]: row["class"] for row in found} == {
        "http://c.example/": "sport",
        "http://d.example/": "money",
    }
    assert found == six.classify(write()).to_table().to_pylist()
    assert [list(row) for row in found] == [["url", "class", "certainty"]] * 2


def test_formats_agree(six: Workspace, write: Write) -> None:
    words = ("classify", "naive-bayes", six.folder, "--train", write())
    lines = rows(in_lines(*words))
    cells = list(csv.DictReader(io.StringIO(run(*words, "-f", "csv").stdout)))
    assert [row["url"] for row in cells] == [row["url"] for row in lines]
    document = json.loads(run(*words, "-f", "json", "--reasons").stdout)
    assert [row["certainty"] for row in document["rows"]] == [row["certainty"] for row in lines]
    assert document["rows"][0]["title"] in {"Match", "Credit"}
    assert {word for row in document["rows"] for word in row["words"]} >= {"goal", "loan"}
    assert document["classes"][0]["examples"] == 2
    table = run(*words, "-n", 1)
    assert table.stdout.count(".example") == 1
    assert "Classes of 2 pages by naive-bayes: 1 money, 1 sport" in table.stderr
    assert "of held-out pages right, macro-F1" in table.stderr


def test_reasons_are_a_column(six: Workspace, write: Write) -> None:
    words = ("classify", six.folder, "--train", write(), "--reasons")
    found = {row["url"]: row["words"].split() for row in rows(in_lines(*words))}
    assert set(found["http://c.example/"]) >= {"goal", "team"}


def test_pages_are_chosen_by_tags(six: Workspace, write: Write) -> None:
    """Pages that are left out are no examples either."""
    six.tag("d.example", "decision", "out")
    six.tag(["b.example/2", "c.example"], "topic", "x")
    words = ("classify", six.folder, "--train", write())
    found = rows(in_lines(*words, "--exclude-tag", "decision=out"))
    assert [row["url"] for row in found] == ["http://c.example/"]
    assert found == six.classify(write(), exclude_tag=["decision=out"]).to_table().to_pylist()
    message = "4 pages without the tags asked for ignored, such as 'http://a.example/1'"
    with pytest.raises(BadParameter, match=message):
        run(*words, "--only-tag", "topic=x", "--only-tag", "decision=out")
    with pytest.raises(UnknownName, match="no facet is called 'nothing'"):
        run(*words, "--only-tag", "nothing=x")


def test_tags_are_learned_on_chosen_pages(six: Workspace) -> None:
    six.tag(["a.example/1", "a.example/2"], "topic", "sport")
    six.tag(["b.example/1", "b.example/2"], "topic", "money")
    six.tag(["a.example/2", "c.example"], "decision", "out")
    done = run("classify", six.folder, "--facet", "topic", "--exclude-tag", "decision=out")
    assert "1 page by auto" in done.stderr
    result = six.classify(facet="topic", exclude_tag=["decision=out"])
    assert result.labelled.class_sizes == {"money": 2, "sport": 1}
    assert [page.page for page in result] == ["http://d.example/"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfurl,class\na.example/1,caf\xc3\xa9\nb.example/1,bar\n",
        b"URL;Class\r\na.example/1;caf\xe9\r\nb.example/1;bar\r\n",
        "class\tnote\turl\ncafé\t\ta.example/1\nbar\tx\thttp://b.example/1\n".encode(),
    ],
    ids=["byte order mark", "latin-1", "tabs"],
)
def test_dialects_of_examples(content: bytes, six: Workspace, write: Write) -> None:
    found = six.classify(write(content))
    assert found.classes == ("bar", "café")
    assert len(found) == 4


def test_what_is_ignored_is_counted(six: Workspace, write: Write) -> None:
    """Also a page with two classes, which is neither learned from nor classified."""
    lines = write().read_text() + (
        "\nhttp://e.example/,sport\nnowhere,money\nc.example/,sport\nc.example/,money"
        "\nhttp://d.example/,\n"
    )
    done = run("classify", six.folder, "--train", write(lines), "-f", "csv")
    assert [row[0] for row in csv.reader(io.StringIO(done.stdout))] == ["url", "http://d.example/"]
    assert "2 unknown URLs ignored, such as 'http://e.example/' and 'nowhere'" in done.stderr
    assert "1 page with two classes ignored, such as 'http://c.example/'" in done.stderr
    assert "1 URL without a class ignored, such as 'http://d.example/'" in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("url,label\na,b\n", "has no columns url and class but 'url,label'"),
        ("\n \n", "is empty"),
        ("url,class\n", "no usable examples: there are none"),
        ("url,class\nx.example,a\n", "no usable examples: 1 unknown URL ignored, such as 'x.e"),
        ("url,class\na.example/1,x\na.example/2,x\n", "there is only the class 'x' to learn"),
        (
            "url,class\na.example/1,x\nx.example,y\n",
            "there is only the class 'x' to learn: 1 unknown URL ignored",
        ),
        (
            "url,class\na.example/1,x\na.example/1,y\n",
            "no usable examples: 1 page with two classes",
        ),
    ],
    ids=[
        "columns",
        "empty",
        "header only",
        "unknown",
        "one class",
        "other class unknown",
        "conflict",
    ],
)
def test_bad_examples_are_refused(content: str, message: str, six: Workspace, write: Write) -> None:
    with pytest.raises(BadParameter) as refused:
        run("classify", six.folder, "--train", write(content))
    assert message in str(refused.value)
    assert "class" in refused.value.hint


def test_a_missing_file_is_one_sentence(six: Workspace, tmp_path: Path) -> None:
    done = weft("classify", six.folder, "--train", tmp_path / "none.csv")
    assert is_one_sentence(done)
    assert "none.csv cannot be read: No such file" in done.stderr


def test_without_a_file_the_tags_are_learned(six: Workspace, write: Write) -> None:
    """The decision, or a facet that is named, or the only one; what is undecided is no example."""
    with pytest.raises(BadParameter, match="too few pages with a decision to learn from"):
        run("classify", six.folder)
    for url, (_, _, name) in TEXTS.items():
        if name:
            six.tag([f"http://{url}"], "topic", name)
    known = rows(in_lines("classify", six.folder, "--train", write()))
    assert rows(in_lines("classify", six.folder)) == known
    assert six.classify(facet="topic").to_table().to_pylist() == known
    six.tag(["http://a.example/1"], "kind", "page")
    with pytest.raises(BadParameter, match="several facets to learn: kind and topic"):
        six.classify()
    six.tag(["http://a.example/1", "http://b.example/1"], "decision", "in")
    six.tag(["http://a.example/2", "http://b.example/2"], "decision", "out")
    six.tag(["http://c.example/"], "decision", "undecided")
    assert set(six.classify().classes) == {"in", "out"}
    assert len(six.classify()) == 2
    with pytest.raises(BadParameter, match="exclude each other"):
        six.classify(write(), facet="topic")


def test_silk_needs_no_examples(six: Workspace) -> None:
    found = rows(in_lines("classify", "silk", six.folder, "--class", "content"))
    assert len(found) == 6
    assert {row["class"] for row in found} == {"content"}
    words = (
        "classify",
        "link-context",
        six.folder,
        "--categories",
        "sport",
        "--categories",
        "money",
    )
    assert "6 pages without a context that fits a category" in run(*words).stderr


def test_summary_next_and_curve(six: Workspace, write: Write) -> None:
    words = ("classify", "linear", six.folder, "--train", write())
    shares = rows(in_lines(*words, "--summary"))
    assert [row["class"] for row in shares] == ["money", "sport"]
    assert [row["examples"] for row in shares] == [2, 2]
    assert all(row["low"] <= row["share"] <= row["high"] for row in shares)
    assert sum(row["share"] for row in shares) == pytest.approx(1)
    chosen = rows(in_lines(*words, "--next", 1))
    assert chosen[0]["url"] in {"http://c.example/", "http://d.example/"}
    assert rows(in_lines(*words, "--curve"))[-1]["examples"] == 4
    with pytest.raises(BadParameter, match="cannot be combined"):
        run(*words, "--summary", "--curve")


def test_the_library_takes_classes_by_url(six: Workspace, write: Write) -> None:
    by_url = {url: name for url, (_, _, name) in TEXTS.items() if name}
    known = six.classify(write()).to_table()
    assert six.classify(by_url).to_table() == known
    assert six.classify(list(by_url.items()), method="auto").to_table() == known
    assert six.classify(by_url).provenance["snapshot"] == 1
    with pytest.raises(BadParameter, match="auto: cost"):
        six.classify(by_url, cost=-1.0)
