"""The contract of every classifier."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from weft.classify import Classes, LabelledPages
from weft.cli import app
from weft.core.errors import BadParameter, UnknownName
from weft.core.register import METHODS, Method, method_notes

Rows = list[tuple[str, str, str]]
CLASSIFIERS = [method for method in METHODS.values() if method.kind == "classify"]
EXAMPLES: Rows = [
    ("a", "ball goal", "sport"),
    ("b", "goal team", "sport"),
    ("c", "bank loan", "money"),
    ("d", "loan rate", "money"),
]
TOYS: dict[str, Rows] = {
    "no pages": [],
    "one example a class": [EXAMPLES[0], EXAMPLES[2], ("x", "goal", "")],
    "nothing to classify": EXAMPLES,
    "a page without words": [*EXAMPLES, ("x", "", ""), ("y", "...", "")],
    "an example without words": [*EXAMPLES, ("e", "", "money"), ("x", "ball", "")],
    "three classes": [*EXAMPLES, ("e", "oak forest", "nature"), ("x", "team bank forest", "")],
    "another script": [*EXAMPLES, ("e", "東京", "city"), ("x", "東京", "")],
}
every_method = pytest.mark.parametrize("method", CLASSIFIERS, ids=lambda m: m.name)
# those that learn from words; silk knows how long a text is, and not what it says
every_reader = pytest.mark.parametrize(
    "method", [method for method in CLASSIFIERS if method.name != "silk"], ids=lambda m: m.name
)
# plsa-phits finds topics that may be about something else, from a random start
every_learner = pytest.mark.parametrize(
    "method",
    [method for method in CLASSIFIERS if method.name not in {"silk", "plsa-phits"}],
    ids=lambda m: m.name,
)
every_toy = pytest.mark.parametrize("toy", TOYS)
texts = st.lists(
    st.sampled_from(["ball", "goal", "team", "bank", "loan", "rate", "of"]), max_size=8
)


def run(method: Method, rows: object) -> Classes:
    return cast("Classes", method(rows))


def test_there_are_methods() -> None:
    assert {"naive-bayes", "linear"} <= {method.name for method in CLASSIFIERS}


@every_method
@every_toy
def test_every_page_without_a_class_gets_one(method: Method, toy: str) -> None:
    found = run(method, TOYS[toy])
    asked = [page for page, _, name in TOYS[toy] if not name]
    given_classes = {name for _, _, name in TOYS[toy] if name}
    assert found.method == method.name
    assert sorted(page.page for page in found) == sorted(asked)
    assert {page.class_ for page in found} <= given_classes
    certainties = [page.certainty for page in found]
    assert certainties == sorted(certainties, reverse=True)
    assert all(1 / len(given_classes) - 1e-9 <= value <= 1 for value in certainties)
    assert "\n" not in repr(found)


@every_method
@every_toy
def test_table_document_and_sequence_agree(method: Method, toy: str) -> None:
    found = run(method, TOYS[toy])
    rows = [(page.page, page.class_, page.certainty) for page in found]
    table = found.to_table()
    assert table.column_names == ["url", "class", "certainty"]
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    document = found.to_document()
    assert [tuple(row.values()) for row in document["rows"]] == rows
    assert document["total"] == len(found) == len(rows)
    assert sum(row["pages"] for row in document["classes"]) == len(found)
    assert [page.page for page in found[:2]] == [row[0] for row in rows[:2]]
    assert found.to_table(top=1).num_rows == min(1, len(found))
    assert ("<table" in found._repr_html_()) == bool(rows)


@every_reader
def test_reasons_are_words_of_the_page(method: Method) -> None:
    found = run(method, [*EXAMPLES, ("x", "the Goal of a team", ""), ("y", "nothing", "")])
    assert sorted(found.reasons("x")) == ["goal", "team"]
    assert found.reasons("y") == []
    assert found.reasons("x", 1) == found.reasons("x")[:1]
    words = {row["url"]: row["words"] for row in found.to_table(reasons=True).to_pylist()}
    assert words == {"x": " ".join(found.reasons("x")), "y": ""}
    rows = found.to_document(reasons=True)["rows"]
    assert {row["url"]: row["words"] for row in rows} == {"x": found.reasons("x"), "y": []}
    with pytest.raises(UnknownName, match="no classified page is called 'a'"):
        found.reasons("a")


@every_learner
def test_the_estimate_is_in_the_summary(method: Method) -> None:
    rows = [(str(k), text, name) for k, (_, text, name) in enumerate([*EXAMPLES, *EXAMPLES])]
    found = run(method, [*rows, ("x", "goal", "")])
    assert found.estimate is not None
    assert found.estimate.accuracy == 1.0
    assert repr(found) == (
        f"<Classes of 1 page by {method.name}: 1 sport;"
        " 100.0% of held-out pages right, macro-F1 1.000 (4-fold cross-validation)>"
    )


@every_learner
@given(st.lists(texts, min_size=1, max_size=4), st.randoms())
def test_the_order_of_pages_does_not_matter(method: Method, asked: list[list[str]], random) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    rows = [*EXAMPLES, *((f"x{k}", " ".join(words), "") for k, words in enumerate(asked))]
    known = {page.page: page.certainty for page in run(method, rows)}
    shuffled = {page.page: page.certainty for page in run(method, random.sample(rows, len(rows)))}
    assert shuffled == pytest.approx(known, abs=5e-3)


@every_method
def test_a_run_twice_gives_the_same_bits(method: Method) -> None:
    first, second = (run(method, TOYS["three classes"]).probabilities for _ in range(2))
    assert first.tobytes() == second.tobytes()


@every_method
def test_one_class_is_refused(method: Method) -> None:
    with pytest.raises(BadParameter, match="there is only the class 'sport' to learn"):
        method([*EXAMPLES[:2], ("x", "goal", "")])


@every_reader
def test_no_class_is_refused(method: Method) -> None:
    with pytest.raises(BadParameter, match="there is no class to learn"):
        method([("x", "goal", "")])


@every_method
def test_other_inputs_are_refused(method: Method) -> None:
    for wrong in (7, [("a", "b")], ["abc"]):
        with pytest.raises(BadParameter, match="triples of page, text and class") as refused:
            method(wrong)
        assert "from_lists" in refused.value.hint


def test_lists_must_have_one_length() -> None:
    with pytest.raises(BadParameter, match="different lengths"):
        LabelledPages.from_lists(["a"], ["text", "more"], [""])


@every_reader
def test_languages_are_used(method: Method) -> None:
    pages, bodies, names = (list(column) for column in zip(*EXAMPLES, strict=True))
    labelled = LabelledPages.from_lists([*pages, "x"], [*bodies, "goals"], [*names, ""], ["en"] * 5)
    assert run(method, labelled)[0].class_ == "sport"
    assert run(method, labelled)[0].certainty > 0.6


@every_method
def test_options_are_in_the_help_and_the_card(method: Method) -> None:
    shown = CliRunner().invoke(app, ["classify", method.name, "--help"]).output
    for option in method.options:
        assert f"--{option.replace('_', '-')}" in shown
    assert method_notes("classify", method.name).formula


@every_method
def test_probabilities_have_a_row_per_page(method: Method) -> None:
    found = run(method, TOYS["three classes"])
    assert found.probabilities.shape == (1, 3)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert found.classes == ("money", "nature", "sport")
