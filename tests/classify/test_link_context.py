"""Categorisation by context: with examples, and with the names of categories alone."""

from dataclasses import replace

import numpy as np
import pytest

from weft.classify import Classes, LabelledPages, LinkContext, link_context, naive_bayes
from weft.classify.link_context import (
    CategoryTree,
    category_shares,
    choose_categories,
    merge_contexts,
    score_contexts,
)
from weft.core.errors import BadParameter

SENSES = ["sport=football goal", "money=bank loan"]


def make_pages(
    contexts: dict[str, list[LinkContext]], classes: dict[str, str] | None = None
) -> LabelledPages:
    """Pages without texts, such as images, that are known by links to them alone."""
    names = list(contexts)
    given = classes or {}
    pages = LabelledPages.from_lists(names, [""] * len(names), [given.get(n, "") for n in names])
    rows = [contexts[name] for name in names]
    return replace(pages, read_contexts=lambda ids: [rows[k] for k in ids.tolist()])


def by_page(found: Classes) -> dict[str, str]:
    return {page.page: page.class_ for page in found}


def test_an_image_is_known_by_its_context() -> None:
    found = link_context(
        make_pages(
            {
                "x.gif": [LinkContext("a", ("football scores",))],
                "y.gif": [LinkContext("a", ("see here", "a loan of the bank"))],
            }
        ),
        categories=SENSES,
    )
    assert by_page(found) == {"x.gif": "sport", "y.gif": "money"}
    assert found.notes == ()


def test_scores_by_hand() -> None:
    """Levels count half each: 1/sqrt(2)/sqrt(3) for the anchor, and a half for the next."""
    tree = CategoryTree.parse(SENSES)
    pages = make_pages({"x": [LinkContext("a", ("football", "bank loan rates"))]})
    scores = score_contexts(pages, np.array([0], np.int32), tree)
    # a category has three words: its name and two others
    assert scores[0].tolist() == pytest.approx([1 / 3**0.5, 0.5 * 2 / 3])


def test_links_of_one_site_count_once() -> None:
    one = LinkContext("a", ("football",))
    ids, tree = np.array([0, 1, 2], np.int32), CategoryTree.parse(SENSES)
    pages = make_pages({"x": [one], "y": [one] * 9, "z": [one, LinkContext("b", ("football",))]})
    scores = score_contexts(pages, ids, tree)[:, 0]
    assert scores[0] == scores[1]
    assert scores[2] == pytest.approx(2 * scores[0])


def test_stop_phrases_say_nothing() -> None:
    contexts = [LinkContext("a", (anchor,)) for anchor in ("Click here", "home", "Football home")]
    found = merge_contexts(make_pages({"x": contexts}), np.array([0], np.int32), ["en"])
    assert found[0][0][0] == "Football home"
    only = link_context(make_pages({"x": contexts[:2]}), categories=SENSES)
    assert only[0].certainty == 0.5
    assert only.notes == ("1 page without a context that fits a category",)


def test_the_search_goes_down_a_tree() -> None:
    tree = CategoryTree.parse(["science", "science/physics", "science/biology", "sport"])
    scores = np.array(
        [
            [0.5, 0.41, 0.1, 0.3],  # a child has more than 80 % of its parent
            [0.5, 0.39, 0.1, 0.3],  # none has
            [0.3, 0.1, 0.1, 0.5],
            [0.05, 0.9, 0.0, 0.05],  # below the threshold at the top
        ]
    )
    chosen = choose_categories(scores, tree, 0.1)
    assert [tree.names[k] if k >= 0 else "" for k in chosen.tolist()] == [
        "science/physics",
        "science",
        "sport",
        "",
    ]
    shares = category_shares(scores, chosen, tree)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    # the best one is the chosen one, and what is above it is no rival
    assert shares[:3].argmax(axis=1).tolist() == chosen[:3].tolist()
    assert shares[0, 0] == 0
    assert shares[3].tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("categories", "message"),
    [(["sport"], "only the category 'sport'"), (["sport", "=goal"], "'=goal' has no name")],
)
def test_bad_categories_are_refused(categories: list[str], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        link_context(make_pages({"x": []}), categories=categories)


def test_examples_measure_categories() -> None:
    pages = make_pages(
        {
            "x": [LinkContext("a", ("football",))],
            "y": [LinkContext("a", ("football",))],
            "z": [LinkContext("a", ("loan",))],
        },
        {"x": "sport", "y": "money"},
    )
    found = link_context(pages, categories=SENSES)
    assert by_page(found) == {"z": "money"}
    assert found.estimate is not None
    assert found.estimate.accuracy == 0.5


def test_contexts_are_learned_from() -> None:
    words = {
        "sport": ["ball game", "great goal", "ball goal"],
        "money": ["loan", "rate", "loan rate"],
    }
    contexts = {
        f"{name}{k}": [LinkContext("a", (text,))]
        for name, texts in words.items()
        for k, text in enumerate(texts)
    }
    contexts |= {"x": [LinkContext("b", ("the goal",))], "y": [LinkContext("b", ("rate",))]}
    classes = {page: page[:5] for page in contexts if page[-1].isdigit()}
    found = link_context(make_pages(contexts, classes))
    assert by_page(found) == {"x": "sport", "y": "money"}
    assert found.reasons("x") == ["goal"]


def test_nearer_levels_count_more() -> None:
    """The words are the same; the anchor decides."""
    contexts = {
        "a": [LinkContext("s", ("goal", "loan"))],
        "b": [LinkContext("s", ("loan", "goal"))],
        "x": [LinkContext("s", ("goal", "loan"))],
        "y": [LinkContext("s", ("loan", "goal"))],
    }
    found = link_context(make_pages(contexts, {"a": "sport", "b": "money"}))
    assert by_page(found) == {"x": "sport", "y": "money"}


def test_pages_without_links_are_classified_by_words() -> None:
    rows = [("a", "ball goal", "sport"), ("b", "bank", "money"), ("x", "goal", "")]
    np.testing.assert_allclose(
        link_context(rows).probabilities, naive_bayes(rows).probabilities, atol=1e-12
    )
