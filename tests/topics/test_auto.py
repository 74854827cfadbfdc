"""The default method: senses first, pages about the query, every hit in its place."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.demo import DemoTruth, DemoWeb, PageTruth, truth_path, write_warc
from weft.gather.page import Link, Page
from weft.groups import Group, Groups
from weft.topics import auto
from weft.topics.auto import Hits, content_words, query_share
from weft.topics.hit_groups import group_affinity, group_hits
from weft.workspace.workspace import Workspace

SENSES = {"cars", "football", "console", "animal"}
Known = dict[str, PageTruth]
SUBJECTS = {
    "metal": "melting ductile alloy mine ore jewel carat bullion assay refine ingot vein purity "
    "furnace crucible nugget lode smelter",
    "medal": "athlete olympic podium sprint race champion stadium relay coach record heat final "
    "swimmer javelin hurdle marathon gymnast anthem",
    "rush": "prospector camp river pan settler claim wagon frontier digger saloon boom gully "
    "stagecoach sluice cradle gulch tent sheriff",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Groups, Known]:
    """The topics of jaguar on the demo web as everybody gets it, and the truth."""
    archive = tmp_path_factory.mktemp("auto") / "demo.warc.gz"
    write_warc(DemoWeb(), archive)
    workspace = Workspace(archive.with_name("demo.weft"))
    workspace.add(archive, workers=1)
    truth = DemoTruth.read_gzip_jsonl(truth_path(archive))
    return workspace.topics("jaguar"), {fact.url: fact for fact in truth.rows()}


def known_facts(found: Groups, known: Known, pages: np.ndarray) -> list[PageTruth]:
    names = [found.base.pages[page] for page in pages.tolist()]
    return [known.get(name, PageTruth(name, "background")) for name in names]


def main_sense(found: Groups, known: Known, at: int) -> str:
    facts = known_facts(found, known, found[at].members)
    return Counter(fact.sense for fact in facts).most_common(1)[0][0]


def test_the_four_senses_come_first(whole: tuple[Groups, Known]) -> None:
    found, known = whole
    assert {main_sense(found, known, at) for at in range(4)} == SENSES
    for at in range(4):
        best = known_facts(found, known, found[at].authorities(10))
        assert {fact.sense for fact in best} == {main_sense(found, known, at)}
        assert sum(fact.role == "authority" for fact in best) >= 4


def test_the_company_is_set_aside(whole: tuple[Groups, Known]) -> None:
    found, known = whole
    [company] = [topic for topic in found.set_aside if topic.reason.startswith("tightly knit")]
    assert {fact.role for fact in known_facts(found, known, company.members)} == {"company"}


def test_uncaptured_pages_are_listed_apart(whole: tuple[Groups, Known]) -> None:
    found, known = whole
    uncaptured = found.base.graph.uncaptured
    assert uncaptured is not None
    for topic in found:
        assert not uncaptured[topic.members].any()
        assert uncaptured[topic.uncaptured].all()
        assert (np.diff(topic.uncaptured_votes) <= 0).all()
    listed = [fact for topic in found for fact in known_facts(found, known, topic.uncaptured)]
    assert any(fact.role == "uncaptured" and fact.sense in SENSES for fact in listed)


def test_every_hit_has_one_place(whole: tuple[Groups, Known]) -> None:
    found, _ = whole
    places = np.zeros(len(found.base), int)
    for topic in (*found, *found.set_aside):
        places[topic.members] += 1
    assert (places[found.base.roots] >= 1).all()


def test_hubs_list_several_authorities(whole: tuple[Groups, Known]) -> None:
    found, _ = whole
    rows = found.base.graph.outlinks
    for topic in found:
        first = set(topic.authorities(15).tolist())
        for hub in topic.hubs(5).tolist():
            linked = rows.ids[rows.starts[hub] : rows.starts[hub + 1]].tolist()
            assert len(first.intersection(linked)) >= 3


def gold_pages(per_subject: int = 12) -> list[Page]:
    """Pages about three senses of gold on several sites; each links to the first of its sense."""
    made = []
    for subject, words in SUBJECTS.items():
        vocabulary = words.split()
        for k in range(per_subject):
            own = vocabulary[k % 3 :] + vocabulary[: k % 3]
            text = " ".join(f"gold {word} {word}." for word in own)
            target = f"http://{subject}0.org/"
            made.append(
                Page(
                    f"http://{subject}{k}.org/",
                    title=f"Gold {subject} {k}",
                    text=text,
                    links=(Link(target, f"gold {subject}"),) if k else (),
                )
            )
    return made


@pytest.fixture
def gold(keep: Callable[..., Workspace]) -> Workspace:
    return keep(*gold_pages())


def subjects(found: Groups) -> list[set[str]]:
    return [
        {found.base.pages[page][7:].rstrip("0123456789.org/") for page in t.members} for t in found
    ]


def test_senses_by_hand(gold: Workspace) -> None:
    found = gold.topics("gold")
    assert sorted(map(sorted, subjects(found))) == [["medal"], ["metal"], ["rush"]]
    for topic in found:
        [subject] = {found.base.pages[page][7:].rstrip("0123456789.org/") for page in topic.members}
        assert (
            found.base.pages[topic.authorities(1)[0]] == f"http://{subject}0.org/"
        )  # eleven votes
        assert subject in topic.name.lower()


def test_options_are_read(gold: Workspace) -> None:
    assert len(gold.topics("gold", max_topics=2)) == 2
    assert [len(topic) for topic in gold.topics("gold", min_size=13)] == [
        36
    ]  # all that are similar
    with pytest.raises(BadParameter, match="there is no topic 9"):
        gold.topics("gold", within=9)


def test_the_same_pages_give_the_same_topics(
    keep: Callable[..., Workspace], gold: Workspace
) -> None:
    again = keep(*reversed(gold_pages()), name="again.weft")
    first, second = (
        [(t.name, [c.base.pages[p] for p in t.authorities(5)]) for t in c]
        for c in (gold.topics("gold"), again.topics("gold"))
    )
    assert first == second


def test_subtopics_divide_a_topic(gold: Workspace) -> None:
    [whole] = gold.topics("gold", max_topics=1, min_size=13)
    parts = gold.topics("gold", max_topics=8, min_size=13, within=1)
    assert len(whole) == 36
    assert sum(map(len, parts)) == 36
    first, *_ = gold.topics("gold")
    inside = gold.topics("gold", within=1, min_size=2)
    assert len(inside) >= 1
    assert all(set(part.members.tolist()) <= set(first.members.tolist()) for part in inside)


def test_uncaptured_pages_can_be_members(demo: Workspace) -> None:
    def has_some(found: Groups) -> bool:
        uncaptured = found.base.graph.uncaptured
        assert uncaptured is not None
        return any(uncaptured[topic.members].any() for topic in found)

    assert has_some(demo.topics("jaguar", uncaptured="keep"))
    assert not has_some(demo.topics("jaguar"))


def test_a_collection_has_a_table_of_contents(gold: Workspace) -> None:
    found = gold.topics("")
    assert sorted(map(sorted, subjects(found))) == [["medal"], ["metal"], ["rush"]]
    assert len(found) <= 12
    for topic in found:
        assert all(len(part) <= len(topic) for part in topic.subgroups)
    stored = gold.topics("")  # from the cache
    assert [t.name for t in stored] == [t.name for t in found]
    assert [[p.name for p in t.subgroups] for t in stored] == [
        [p.name for p in t.subgroups] for t in found
    ]


def test_the_share_of_the_query(keep: Callable[..., Workspace]) -> None:
    rest = "ore vein mine camp river wagon"
    pages = [
        Page("http://a.org/", title="Gold", text=rest),
        Page("http://b.org/gold.html", title="Metals", text=rest),
        Page("http://c.org/", title="Metals", text=f"gold gold gold gold {rest}"),
        Page("http://d.org/", title="Metals", text=f"gold {rest}"),
        Page("http://e.org/", title="Silver", text="lead tin zinc"),
    ]
    base = keep(*pages).topics("gold").base
    share = dict(
        zip(base.pages, query_share(base, np.arange(len(base), dtype=np.int32)), strict=True)
    )
    assert share["http://a.org/"] == share["http://b.org/gold.html"] == 1
    assert 1 >= share["http://c.org/"] > share["http://d.org/"] > 0


def test_a_word_as_it_is_asked_counts_most(keep: Callable[..., Workspace]) -> None:
    """Titles have the word, its plural, another form, a compound, and a word that begins alike."""
    rest = "ore vein mine camp river wagon"
    titles = ["Plant", "Plants", "Planting", "Houseplant", "Plantain"]
    pages = [
        Page(f"http://{k}.org/", title=title, text=f"plant {rest}", language="en")
        for k, title in enumerate(titles)
    ]
    other = Page("http://e.org/", title="Silver", text="lead tin zinc", language="en")
    base = keep(*pages, other).topics("plant").base
    share = query_share(base, base.graph.page_numbers([page.url for page in pages]))
    assert share[:4].tolist() == [1, 1, 0.6, 0.6]
    assert share[4] < 0.6


def test_stop_words_do_not_count(keep: Callable[..., Workspace]) -> None:
    """A page called Gold is about *the gold*; where all words are stop words, they count."""
    pages = [
        Page(f"http://{k}.org/", title=title, text="the ore of the mine", language="en")
        for k, title in enumerate(("Gold", "The lead", "Tin"))
    ]
    workspace = keep(*pages)
    base = workspace.topics("the gold").base
    assert content_words(base) == ["gold"]
    assert query_share(base, base.graph.page_numbers([pages[0].url])).tolist() == [1]
    assert content_words(workspace.topics("the").base) == ["the"]


def test_few_results_are_a_list(keep: Callable[..., Workspace]) -> None:
    """Of 60 pages the answer is a list, of 61 it is topics; so are sub-topics."""
    for count in (60, 61):
        pages = [page for subject in SUBJECTS for page in subject_pages(subject, 21, 4)]
        workspace = keep(*pages[:count], name=f"{count}.weft")
        assert workspace.topics("gold").results_first == (count == 60)
        assert not workspace.topics("gold", within=1, min_size=2).results_first
        assert not workspace.topics("").results_first


def test_links_alone_are_enough() -> None:
    square = list(product("abcdefg", "tuvwxyz"))
    found = auto([*square, *((a.upper(), b.upper()) for a, b in square), ("a", "T"), ("B", "z")])
    groups = [{found.base.pages[page] for page in topic.members} for topic in found]
    assert groups == [set("abcdefgtuvwxyz"), set("ABCDEFGTUVWXYZ")]
    assert len(auto([*square, *((a.upper(), b.upper()) for a, b in square)], max_topics=1)) == 1
    with pytest.raises(BadParameter, match="with text"):
        auto(square, within=1)


def blocks(*sizes: int, between: float = 0.0) -> np.ndarray:
    """Similarity one inside blocks of these sizes, and `between` outside."""
    block = np.repeat(np.arange(len(sizes)), sizes)
    similarity = np.where(block[:, None] == block[None, :], 1.0, between)
    np.fill_diagonal(similarity, 0.0)
    return similarity


def test_blocks_are_groups() -> None:
    groups = group_hits(blocks(6, 5, 4), np.ones(15), 8, 4)
    assert sorted(group.members.tolist() for group in groups) == [
        list(range(6)),
        list(range(6, 11)),
        list(range(11, 15)),
    ]


def test_the_weightiest_group_is_chosen() -> None:
    weight = np.concatenate([np.full(6, 0.1), np.full(5, 1.0)])
    [group] = group_hits(blocks(6, 5), weight, 1, 4)
    assert group.members.tolist() == list(range(6, 11))  # the others are not similar: in no group


def test_similar_groups_are_one() -> None:
    apart, alike = blocks(20, 20, between=0.1), blocks(20, 20, between=0.4)
    assert len(group_hits(apart, np.ones(40), 8, 4)) == 2
    assert len(group_hits(alike, np.ones(40), 8, 4)) == 1


def test_affinity_of_groups() -> None:
    affinity = group_affinity(blocks(3, 4, between=0.25), [np.arange(3), np.arange(3, 7)])
    np.testing.assert_allclose(affinity, [[1, 0.25], [0.25, 1]])


def test_nothing_in_common() -> None:
    assert group_hits(np.zeros((5, 5)), np.ones(5), 8, 4) == []
    assert group_hits(np.zeros((0, 0)), np.ones(0), 8, 4) == []


def test_pages_of_another_topic_leave_the_first_in_place(
    tmp_path: Path, lines: Callable[..., Path]
) -> None:
    write_warc(DemoWeb(pages=400), tmp_path / "demo.warc.gz")
    workspace = Workspace(tmp_path / "grows.weft")
    workspace.add(tmp_path / "demo.warc.gz", workers=1)
    before = workspace.topics("jaguar")
    cheese = [
        {
            "url": f"http://cheese{k}.example/",
            "text": f"cheddar {k} is ripened in caves with rennet, milk and salt for {k} months",
            "links": [f"http://cheese{(k * j + 1) % 80}.example/" for j in range(2, 8)],
        }
        for k in range(80)
    ]
    workspace.add(lines("cheese.jsonl", cheese), workers=1)
    after = workspace.topics("jaguar")
    kept = []
    for old in before.groups[:4]:
        first = set(page_names(before, old))
        kept.append(max(len(first & set(page_names(after, new))) for new in after))
    assert min(sorted(kept)[1:]) >= 7


def page_names(found: Groups, topic: Group) -> tuple[str, ...]:
    return tuple(found.base.page_names(topic.authorities(10)))


def test_topics_that_mention_the_query_come_last(keep: Callable[..., Workspace]) -> None:
    """Two subjects are about gold, a third names it once on every page."""
    pages = []
    for subject, text in SUBJECTS.items():
        words, in_passing = text.split(), subject == "rush"
        for k in range(12):
            own = " ".join(words[(k + step) % len(words)] for step in range(14))
            about = "once gold" if in_passing else "gold gold gold"
            title = (
                f"The {subject} {words[k % 6]}" if in_passing else f"Gold {subject} {words[k % 6]}"
            )
            body = f"{own} {about} {own} {own}"
            pages.append(
                Page(f"http://{subject}{k}.example/", title=title, text=body, language="en")
            )
    found = keep(*pages).topics("gold")
    assert [topic.in_passing for topic in found] == [False, False, True]
    assert all("rush" in found.base.pages[page] for page in found[-1].members)
    assert [topic["in_passing"] for topic in found.to_document()["topics"]] == [False, False, True]
    assert not any(topic.in_passing for topic in keep(*pages, name="all").topics("once"))


def test_a_word_said_once_or_twice_is_a_mention(keep: Callable[..., Workspace]) -> None:
    rest = "ore vein mine camp river wagon " * 9
    pages = [
        Page(f"http://{n}.org/", title="Metals", text=f"{'gold ' * n}{rest}") for n in range(1, 5)
    ]
    other = Page("http://e.org/", title="Silver", text="lead tin zinc")
    base = keep(*pages, other).topics("gold").base
    share = query_share(base, base.graph.page_numbers([page.url for page in pages]))
    assert (np.diff(share) > 0).all()
    assert share[2] > 2 * share[1]  # (1 + ln 3) / (1 + ln 2) is less than 1.3


def subject_pages(subject: str, count: int, mentions: int) -> list[Page]:
    """Pages of one sense of gold that name it so many times, a site each."""
    words = SUBJECTS[subject].split()
    return [
        Page(
            f"http://{subject}{k}.org/",
            title=f"The {subject} {words[k % 6]}",
            text=" ".join(words[(k + step) % len(words)] for step in range(28))
            + " gold" * mentions,
            language="en",
        )
        for k in range(count)
    ]


def first_pages(found: Groups, url: str, k: int) -> list[str]:
    """The first authorities of the topic of a page."""
    number = found.base.graph.page_number(url)
    [topic] = [topic for topic in found if number in topic.members]
    return list(found.base.page_names(topic.authorities(k)))


def test_topics_with_the_best_results_come_first(keep: Callable[..., Workspace]) -> None:
    """A small topic that is about gold, and two larger ones on more sites that name it less."""
    small = subject_pages("metal", 6, 12)
    found = keep(*small, *subject_pages("medal", 12, 3), *subject_pages("rush", 12, 3)).topics(
        "gold"
    )
    assert [len(topic) for topic in found] == [6, 12, 12]
    assert found.base.graph.page_number(small[0].url) in found[0].members


def test_a_topic_with_one_word_of_the_query_in_its_titles_may_mention_it(
    keep: Callable[..., Workspace],
) -> None:
    """Departments of computer science are not about computer vision."""
    vision, mention = SUBJECTS["metal"].split(), SUBJECTS["rush"].split()
    pages = [
        Page(
            f"http://v{k}.org/",
            title=f"Computer vision {vision[k % 5]}",
            text="computer vision computer vision " + " ".join(vision[k % 4 :] * 2),
        )
        for k in range(12)
    ]
    pages += [
        Page(
            f"http://d{k}.org/",
            title=f"Computer department {mention[k % 5]}",
            text=" ".join(mention[k % 4 :] * 2) + " computer vision",
        )
        for k in range(12)
    ]
    found = keep(*pages).topics("computer vision")
    assert [topic.in_passing for topic in found] == [False, True]
    assert {found.base.pages[page][7] for page in found[1].members} == {"d"}


def test_index_pages_lead_no_topic(keep: Callable[..., Workspace]) -> None:
    """Four indexes that name gold most are neither a topic nor the first page of one."""
    text = "gold " * 20 + " ".join(SUBJECTS["rush"].split()[:6])
    indexes = [
        Page(f"http://index{k}.org/", title=f"Gold index : Alphabetical Index : {k}", text=text)
        for k in range(4)
    ]
    pages = [page for subject in SUBJECTS for page in subject_pages(subject, 8, 4)]
    found = keep(*pages, *indexes).topics("gold")
    assert len(found) == 3
    for topic in found:
        assert not any("index" in page for page in found.base.page_names(topic.authorities(5)))


def test_pages_in_the_language_of_most_hits_lead(keep: Callable[..., Workspace]) -> None:
    """Of two pages that differ in the language alone, the one in that of the others leads."""
    pages = [page for subject in SUBJECTS for page in subject_pages(subject, 8, 4)]
    twins = [
        replace(pages[0], url=f"http://{code}{k}.org/", language=code)
        for code in ("de", "en")
        for k in range(2)
    ]
    found = keep(*pages, *twins).topics("gold")
    hits = Hits.from_base_set(found.base)
    assert hits.language == "en"
    numbers = found.base.graph.page_numbers([page.url for page in twins])
    assert hits.is_foreign(numbers).tolist() == [True, True, False, False]
    score = np.zeros(len(found.base))
    for topic in found:
        score[topic.members] = topic.authority
    assert score[numbers[:2]].max() < score[numbers[2:]].min()


def test_without_a_main_language_no_page_is_foreign(keep: Callable[..., Workspace]) -> None:
    pages = subject_pages("metal", 8, 4)
    mixed = [replace(page, language=("de", "en")[k % 2]) for k, page in enumerate(pages)]
    hits = Hits.from_base_set(keep(*mixed).topics("gold").base)
    assert hits.language == ""
    assert not hits.is_foreign(hits.pages).any()


def test_one_site_that_names_the_query_most_does_not_come_first(demo: Workspace) -> None:
    """The pages of a company have the query in every title, and link to each other."""
    found = demo.topics("jaguar")
    sites = [topic.sites.effective for topic in found if topic.sites]
    assert min(sites[:4]) > 5
    assert 1.0 in sites
