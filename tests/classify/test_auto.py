"""Words and links together: weights by examples held out, and both worlds."""

from dataclasses import replace

import numpy as np
import pytest

from weft.classify import Classes, LabelledPages, auto, linear
from weft.classify.auto import (
    Pool,
    average_siblings,
    fit_linking_words,
    fit_weights,
    read_extra,
)
from weft.classify.calibration import calibrate, raise_to
from weft.classify.folds import assign_folds
from weft.classify.labelled_pages import LinkingPages
from weft.core.arrays import CSR

NOISE = ["alpha", "beta", "gamma", "delta"]


def make_pages(*, links_tell: bool, seed: int = 0) -> tuple[LabelledPages, list[str]]:
    """Forty examples and forty pages of two classes; either links or words tell the class."""
    random = np.random.default_rng(seed)
    names = [f"p{k}" for k in range(80)]
    truth = ["sport" if k % 2 else "money" for k in range(80)]
    own = {"sport": "goal", "money": "loan"}
    texts = [
        " ".join([*random.choice(NOISE, 3), "" if links_tell else own[truth[k]]]) for k in range(80)
    ]
    pairs = random.integers(0, 80, (600, 2)).tolist()
    links = [
        (names[a], names[b])
        for a, b in pairs
        if a != b and (not links_tell or truth[a] == truth[b])
    ]
    classes = [name if k < 40 else "" for k, name in enumerate(truth)]
    return LabelledPages.from_lists(names, texts, classes, links=links), truth[40:]


def compare(pages: LabelledPages, truth: list[str]) -> tuple[float, float]:
    def share(found: Classes) -> float:
        best = [found.classes[k] for k in found.answers.tolist()]
        return float(np.mean(np.array(best) == np.array(truth)))

    return share(auto(pages)), share(linear(pages))


def test_links_are_trusted_where_they_tell() -> None:
    pages, truth = make_pages(links_tell=True)
    ours, text = compare(pages, truth)
    assert ours > 0.95 > text
    assert auto(pages).views.get("text", 0) < 0.2


def test_the_beginning_of_a_text_tells() -> None:
    """What a page is stands in its first words; what it is about, in the thousand after them."""
    random = np.random.default_rng(0)
    truth = ["list" if k % 2 else "essay" for k in range(120)]
    own = {"list": ["contents", "index"], "essay": ["abstract", "preface"]}
    texts = [
        " ".join([*own[name], *random.choice([*NOISE, "contents", "abstract"], 300).tolist()])
        for name in truth
    ]
    classes = [name if k < 80 else "" for k, name in enumerate(truth)]
    pages = LabelledPages.from_lists([f"p{k}" for k in range(120)], texts, classes)
    assert auto(pages).views.get("start", 0) > 0.5
    short = [" ".join(text.split()[:30]) for text in texts]
    assert "start" not in auto(LabelledPages.from_lists(pages.pages, short, classes)).views


def test_the_pages_of_a_folder_tell() -> None:
    """Folders hold pages of one kind, here of sites without examples, and few pages have words."""
    random = np.random.default_rng(0)
    names, texts, truth = list[str](), list[str](), list[str]()
    for site in range(24):
        for folder, name, word in (("people", "person", "phone"), ("courses", "course", "exam")):
            for k in range(8):
                names.append(f"http://s{site}.example/{folder[: 3 + site % 3]}{site}/{k}")
                said = word if random.random() < 0.3 else "page"
                texts.append(" ".join([said, *random.choice(NOISE, 2)]))
                truth.append(name)
    is_example = [k < len(names) // 2 for k in range(len(names))]
    classes = [name if known else "" for name, known in zip(truth, is_example, strict=True)]
    links = [(names[k], names[k - 1]) for k in range(1, len(names), 5)]
    pages = LabelledPages.from_lists(names, texts, classes, links=links)
    ours, text = compare(
        pages, [t for t, known in zip(truth, is_example, strict=True) if not known]
    )
    assert ours > 0.95 > text + 0.15


def test_the_names_of_linking_pages_tell() -> None:
    """Lists called Staff and Students link to pages of two classes."""
    random = np.random.default_rng(0)
    names, truth, links = list[str](), list[str](), list[tuple[str, str]]()
    lists = [f"http://s{site}.example/{kind}.html" for site in range(10) for kind in ("a", "b")]
    titles = ["Staff of the year" if k % 2 else "Students here" for k in range(20)]
    for k, source in enumerate(lists):
        for number in range(8):
            names.append(f"http://s{k // 2}.example/~p{k}{number}/")
            truth.append("staff" if k % 2 else "student")
            links.append((source, names[-1]))
    texts = [" ".join(random.choice(NOISE, 4)) for _ in names]
    classes = [name if k % 3 else "" for k, name in enumerate(truth)]
    every = LabelledPages.from_lists(
        [*names, *lists], [*texts, *[""] * 20], [*classes, *[""] * 20], links=links
    )
    every = replace(every, read_titles=lambda ids: [["", *titles][max(k - 159, 0)] for k in ids])
    assert list(every.read_titles(np.array([0, 160, 161], np.int32))) == ["", *titles[:2]]
    pages = every.select(np.arange(180) < 160)
    ours, text = compare(pages, [name for k, name in enumerate(truth) if not k % 3])
    assert ours == 1.0 > text + 0.25
    assert auto(pages).views.get("linking pages", 0) > 0.5


def test_words_of_linking_pages_count_by_how_many_have_them() -> None:
    urls = ["http://a.example/x", "http://a.example/people/", "http://b.example/people/"]
    inlinks = CSR(np.array([0, 2, 2, 3]), np.array([1, 2, 1], np.int32))
    linking = LinkingPages(inlinks, urls, lambda ids: [["", "Our Staff", "staff"][k] for k in ids])
    weigh = fit_linking_words(linking, np.array([0, 2], np.int32))
    assert weigh is not None
    rows = weigh(np.arange(3, dtype=np.int32)).toarray()
    assert rows.shape == (3, 5)  # staff, our, /people, /depth=1, /last=: words of both pages
    assert not rows[1].any()
    assert len(set(rows[0].round(9))) == 2  # two linking pages have all words but one
    assert len(set(rows[2].round(9))) == 1
    nameless = LinkingPages(inlinks, ["p", "q", "r"], lambda ids: ["" for _ in ids])
    assert fit_linking_words(nameless, np.array([0, 2], np.int32)) is None


def test_siblings_are_the_other_pages_of_a_folder() -> None:
    folders = np.array([0, 0, 0, 1], np.int32)
    probabilities = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    means, counts = average_siblings(folders, probabilities)
    assert counts.tolist() == [2, 2, 2, 0]
    assert means == pytest.approx(np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [0.0, 0.0]]))


def test_links_are_not_trusted_where_they_mislead() -> None:
    pages, truth = make_pages(links_tell=False)
    ours, text = compare(pages, truth)
    assert ours == text == 1.0


def test_a_view_that_says_nothing_has_no_weight() -> None:
    numbers = np.array([0, 1] * 10, np.int32)
    right = np.where(np.eye(2)[numbers] > 0, 0.9, 0.1)
    pool = Pool.fit({"text": np.full((20, 2), 0.5), "words": right}, numbers)
    assert pool.shares == {"words": 1.0}


def test_the_weights_maximise_the_likelihood() -> None:
    """Two views, each right in seven of ten: no other weights are more likely."""
    random = np.random.default_rng(0)
    numbers = random.integers(0, 2, 4000).astype(np.int32)
    views = [np.full((4000, 2), 0.5) for _ in range(2)]
    for view in views:
        said = np.where(random.random(4000) < 0.7, numbers, 1 - numbers)
        view[:] = np.where(np.eye(2)[said] > 0, 0.7, 0.3)
    weights = fit_weights([np.log(view) for view in views], numbers)
    # they are independent given the class, so that both count in full
    assert weights == pytest.approx([1, 1], abs=0.12)


def test_a_thousand_examples_make_a_product() -> None:
    """Two independent views that say 0.7: together they say more than that, a mean does not."""
    random = np.random.default_rng(0)
    certainties = list[float]()
    for count in (400, 4000):
        numbers = random.integers(0, 2, count).astype(np.int32)
        views = {}
        for name in ("text", "words"):
            said = np.where(random.random(count) < 0.7, numbers, 1 - numbers)
            views[name] = np.where(np.eye(2)[said] > 0, 0.7, 0.3)
        pool = Pool.fit(views, numbers)
        certainties.append(float(pool.mix(views).max()))
    assert certainties[0] < 0.8
    assert certainties[1] == pytest.approx(0.49 / (0.49 + 0.09), abs=0.03)


def test_text_stays_alone_where_it_is_right_more_often() -> None:
    numbers = np.array([0, 1] * 10, np.int32)
    # right on all, but barely; the other is sure, and wrong on the last two of twenty
    text = np.where(np.eye(2)[numbers] > 0, 0.51, 0.49)
    other = np.where(np.eye(2)[numbers] > 0, 0.999, 0.001)
    other[-2:] = other[-2:, ::-1]
    assert Pool.fit({"text": text, "words": other}, numbers).shares == {"text": 1.0}


def test_calibration_undoes_an_exponent() -> None:
    """Seven of ten are right: the best probability of the chosen class is 0.7."""
    numbers = np.array([0] * 7 + [1] * 3, np.int32)
    sure = np.tile([0.9, 0.1], (10, 1))
    exponent = calibrate(sure, numbers)
    assert raise_to(sure, exponent)[0, 0] == pytest.approx(0.7, abs=1e-3)


def test_whole_sites_are_held_out_where_pages_are_of_other_sites() -> None:
    names = [f"http://site{k % 12}.example/{k}" for k in range(48)]
    other = [f"http://other.example/{k}" for k in range(48)]
    classes = ["x" if k % 5 else "y" for k in range(48)]
    pages = LabelledPages.from_lists([*names, *other], ["t"] * 96, [*classes, *[""] * 48])
    folds = assign_folds(pages)
    assert folds is not None
    sites = [k % 12 for k in range(48)]
    assert len(set(zip(sites, folds.tolist(), strict=True))) == 12
    near = LabelledPages.from_lists([*names, *names], ["t"] * 96, [*classes, *[""] * 48])
    folds = assign_folds(near)
    assert folds is not None
    assert len(set(zip(sites, folds.tolist(), strict=True))) > 12


def test_extra_words_are_those_of_titles_urls_and_anchors() -> None:
    pages = LabelledPages.from_lists(
        ["http://a.example/cs101/", "http://b.example/"],
        ["", ""],
        ["", ""],
        links=[("http://b.example/", "http://a.example/cs101/", "My Course")],
    )
    ids = np.arange(2, dtype=np.int32)
    assert read_extra(pages, "anchors", ids) == ["my course", ""]
    assert read_extra(pages, "url", ids) == ["cs # depth=1 last=", "depth=0 last="]
    assert read_extra(pages, "title", ids) == ["", ""]


def test_neighbours_are_reasons() -> None:
    pages, _ = make_pages(links_tell=True)
    found = auto(pages)
    page = found[0]
    reasons = found.neighbours(page.page)
    assert reasons
    assert reasons[0].is_example
    assert reasons[0].certainty == 1.0
    given = dict(zip(pages.pages, pages.classes, strict=True))
    assert all(given[reason.page] == page.class_ for reason in reasons if reason.is_example)
