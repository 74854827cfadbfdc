"""Methods that find missing links."""

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from weft.core.dimensions import Dimensions
from weft.core.methods import method, options_of
from weft.core.params import Follow
from weft.suggest import scores
from weft.suggest.around import Around
from weft.suggest.missing import Ask, Score, missing
from weft.suggest.scores import KATZ_STEPS, LEFT, SMALL, Question, katz_b
from weft.suggest.suggestion import Suggestions

B = Annotated[
    float,
    Field(ge=0, description="what a way counts for each click of it; 0: half of what is too much"),
]
Nearest = Annotated[
    int, Field(ge=0, description="ask so many pages most like the one in question; 0: all")
]
NEAREST = 50
FOLLOW = 0.5
FUSED = ("co-citation", "coupling", "personalised-pagerank", "text")
SCORES: dict[str, Score] = {
    "co-citation": scores.co_citation,
    "coupling": partial(scores.coupling, nearest=NEAREST),
    "personalised-pagerank": partial(scores.walk, follow=FOLLOW),
    "text": scores.text,
    "adamic-adar": scores.adamic_adar,
    "resource-allocation": scores.resource_allocation,
    "common-neighbours": scores.common,
    "jaccard": scores.jaccard,
    "preferential-attachment": scores.preferential,
}


NEIGHBOURS = Dimensions(
    model="direct and indirect reference",
    metric="similarity",
    algorithm="counting",
    scope="multiple pages",
    applications=("link prediction", "adaptive web sites"),
)
TOGETHER = Dimensions(
    model="co-citation and co-reference",
    metric="bibliometric measures",
    algorithm="counting",
    scope="multiple pages",
    applications=("link prediction", "adaptive web sites"),
)


@method(
    "suggest",
    "fused",
    cites="cormack2009",
    dimensions=Dimensions(
        model="co-citation and co-reference",
        metric="similarity",
        algorithm="rank fusion",
        scope="multiple pages",
        applications=("link prediction", "adaptive web sites"),
        data="links and content",
    ),
)
@options_of(Ask)
def fused(around: Around, /, **options: Any) -> Suggestions:
    """Suggest links by the places that co-citation, coupling, walks and words give them.

    Reciprocal rank fusion: each method adds one over sixty and the place that
    it gives a page. The scores of the other methods are told too, all but
    katz. Pages within three steps are looked at, links followed either way; a
    link that is there already, and copies of pages that are linked already,
    are not suggested.

    Examples
    --------
    >>> web = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
    >>> fused(web, page="c").to[0].reason
    '2 pages with links like its own link there (a and b)'
    """
    return missing(around, "fused", Ask(**options), SCORES, FUSED)


@method("suggest", "common-neighbours", cites="newman2001", dimensions=NEIGHBOURS)
@options_of(Ask)
def common_neighbours(around: Around, /, **options: Any) -> Suggestions:
    """Suggest links by how many pages lie in between, two clicks away.

    Pages that the one links to and that link to the other; with `undirected`
    those that are linked with both in any direction.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [(one.page, one.score) for one in common_neighbours(web, page="a").to]
    [('d', 2.0), ('e', 1.0)]
    """
    return _one(around, "common-neighbours", options)


@method("suggest", "jaccard", cites="libennowell2007", dimensions=NEIGHBOURS)
@options_of(Ask)
def jaccard(around: Around, /, **options: Any) -> Suggestions:
    """Suggest links by the share of pages in between among all neighbours of both.

    Neighbours are the pages that the one links to, and those that link to the
    other: pages with few links that all lead alike come first.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [(one.page, one.score) for one in jaccard(web, page="a").to]
    [('d', 1.0), ('e', 0.5)]
    """
    return _one(around, "jaccard", options)


@method("suggest", "adamic-adar", cites="adamic2003", dimensions=NEIGHBOURS)
@options_of(Ask)
def adamic_adar(around: Around, /, **options: Any) -> Suggestions:
    """Suggest links by the pages in between, each counting less the more links it has.

    One over the logarithm of one more than its links; with `undirected`, as
    Adamic and Adar have it, of its neighbours in any direction.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [one.page for one in adamic_adar(web, page="a").to]
    ['d', 'e']
    """
    return _one(around, "adamic-adar", options)


@method("suggest", "resource-allocation", cites="zhou2009", dimensions=NEIGHBOURS)
@options_of(Ask)
def resource_allocation(around: Around, /, **options: Any) -> Suggestions:
    """Suggest links by the pages in between, each sharing one unit among its links.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [(one.page, one.score) for one in resource_allocation(web, page="a").to]
    [('d', 1.5), ('e', 0.5)]
    """
    return _one(around, "resource-allocation", options)


@method(
    "suggest",
    "preferential-attachment",
    cites="newman2001",
    dimensions=Dimensions(
        model="single node",
        metric="in-degree",
        algorithm="counting",
        scope="multiple pages",
        applications=("link prediction",),
    ),
)
@options_of(Ask)
def preferential_attachment(around: Around, /, **options: Any) -> Suggestions:
    """Suggest the best linked pages: the product of both pages' numbers of links.

    A measure that others must beat. For one page it is the order of
    popularity among the pages around.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("b", "d"), ("e", "d")]
    >>> [one.page for one in preferential_attachment(web, page="a").to]
    ['d', 'c']
    """
    return _one(around, "preferential-attachment", options)


@method("suggest", "co-citation", cites="deshpande2004", dimensions=TOGETHER)
@options_of(Ask)
def linked_together(around: Around, /, **options: Any) -> Suggestions:
    """Suggest the pages that are linked together with those that are linked already.

    Two pages are as close as the cosine of the links to them, of which each
    counts less the more links its page has; closeness to all that the one
    links to adds up.

    Examples
    --------
    >>> web = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
    >>> [one.page for one in linked_together(web, page="c").to]
    ['y']
    """
    return _one(around, "co-citation", options)


@method(
    "suggest",
    "text",
    cites="salton1975",
    dimensions=Dimensions(
        model="vector space",
        metric="similarity",
        algorithm="cosine similarity",
        scope="multiple pages",
        applications=("link prediction", "adaptive web sites"),
        data="content",
    ),
)
@options_of(Ask)
def said_alike(around: Around, /, **options: Any) -> Suggestions:
    """Suggest pages nearby that say the same telling words.

    By the cosine of the weightiest words of both, among pages within three
    steps. Pages that were never fetched, hosts and domains say nothing.

    Examples
    --------
    >>> said_alike([("a", "b"), ("b", "c")], page="a").to
    ()
    """
    return _one(around, "text", options)


@method("suggest", "coupling", cites="libennowell2007", dimensions=TOGETHER)
@options_of(Ask)
def linked_by_peers(
    around: Around, /, *, nearest: Nearest = NEAREST, **options: Any
) -> Suggestions:
    """Suggest what pages with links like a page's own link to.

    Each of the pages most like it, by the cosine of their links, adds that
    cosine to all that it links to. Asked who should link to a page, all pages
    that link there are looked at, and whom they are like.

    Examples
    --------
    >>> web = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
    >>> round(linked_by_peers(web, page="c").to[0].score, 4)
    1.4142
    """
    ask = Ask(**options)
    score = partial(scores.coupling, nearest=nearest)
    return missing(around, "coupling", ask, {"coupling": score})


@method(
    "suggest",
    "personalised-pagerank",
    cites="haveliwala2003",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="multiple pages",
        applications=("link prediction", "adaptive web sites"),
    ),
)
@options_of(Ask)
def personalised_pagerank(
    around: Around, /, *, follow: Follow = FOLLOW, **options: Any
) -> Suggestions:
    """Suggest the pages where a reader is often who starts at a page again and again.

    Or, asked who should link to a page, those whose readers come upon it most
    often. A page without links ends a walk. On large webs walks end when all
    but a hundredth is known.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [one.page for one in personalised_pagerank(web, page="a").to]
    ['d', 'e']
    """
    ask = Ask(**options)
    notes = () if len(around.graph) <= SMALL else (f"the last {LEFT:.0%} of walks left out",)
    score = partial(scores.walk, follow=follow)
    return missing(
        around, "personalised-pagerank", ask, {"personalised-pagerank": score}, (), notes
    )


@method(
    "suggest",
    "katz",
    cites="katz1953",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="similarity",
        algorithm="graph traversal",
        scope="multiple pages",
        applications=("link prediction", "adaptive web sites"),
    ),
)
@options_of(Ask)
def katz(around: Around, /, *, b: B = 0.0, **options: Any) -> Suggestions:
    """Suggest links by all ways from one page to the other, longer ones counting less.

    A way of l clicks counts b^l. From one over the spectral radius on, ways of
    all lengths together count without end, and such a `b` is refused; if none
    is given it is half of that. On large webs ways of up to four clicks count.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("c", "d")]
    >>> [(one.page, round(one.score, 6)) for one in katz(web, page="a", b=0.1).to]
    [('c', 0.01), ('d', 0.001)]
    """
    ask = Ask(**options)
    if not ask.page:
        return missing(around, "katz", ask, {})
    weight = katz_b(Question(around, 0, undirected=ask.undirected), b)
    notes = [f"b = {weight:.6g}"]
    if len(around.graph) > SMALL:
        notes.append(f"ways of more than {KATZ_STEPS} clicks left out")
    score = partial(scores.katz, b=weight)
    return missing(around, "katz", ask, {"katz": score}, (), tuple(notes))


def _one(around: Around, name: str, options: dict[str, Any]) -> Suggestions:
    return missing(around, name, Ask(**options), {name: SCORES[name]})
