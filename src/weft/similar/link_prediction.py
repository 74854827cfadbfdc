"""Link prediction: methods that suggest missing links."""

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from weft.core.params import Damping
from weft.core.register import Dimensions, inherit_options, method
from weft.similar import link_scores as scores
from weft.similar.context import WebContext
from weft.similar.link_scores import (
    KATZ_MAX_HOPS,
    LARGE_WALK_TOL,
    MAX_EXACT_PAGES,
    LinkQuery,
    choose_katz_beta,
)
from weft.similar.missing_links import LinkScore, MissingLinkOptions, find_missing_links
from weft.similar.suggestion import Suggestions

Beta = Annotated[
    float, Field(ge=0, description="weight of a path per link; 0: half of the convergence bound")
]
Neighbours = Annotated[
    int, Field(ge=0, description="how many of the most similar pages vote; 0: all")
]
DEFAULT_NEIGHBOURS = 50
DEFAULT_DAMPING = 0.5
FUSED_METHODS = ("co-citation", "coupling", "personalised-pagerank", "text")
LINK_SCORES: dict[str, LinkScore] = {
    "co-citation": scores.co_citation,
    "coupling": partial(scores.coupling, neighbours=DEFAULT_NEIGHBOURS),
    "personalised-pagerank": partial(scores.personalised_pagerank, damping=DEFAULT_DAMPING),
    "text": scores.text_similarity,
    "adamic-adar": scores.adamic_adar,
    "resource-allocation": scores.resource_allocation,
    "common-neighbours": scores.common_neighbours,
    "jaccard": scores.jaccard,
    "preferential-attachment": scores.preferential_attachment,
}
NEIGHBOUR_DIMENSIONS = Dimensions(
    model="direct and indirect reference",
    metric="similarity",
    algorithm="counting",
    scope="multiple pages",
    applications=("link prediction", "adaptive web sites"),
)
COCITATION_DIMENSIONS = Dimensions(
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
@inherit_options(MissingLinkOptions)
def rank_fusion(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest links by reciprocal rank fusion of four methods.

    Each of co-citation, coupling, personalised PageRank and text adds
    1 / (60 + rank). The scores of all other methods except katz are given too.
    Candidates are the captured pages within three links in either direction;
    existing links and copies of linked pages are not suggested. If it is known
    what readers did, pages that they view two clicks later count as a fifth
    method.

    Examples
    --------
    >>> web = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
    >>> rank_fusion(web, page="c")[0].reason
    '2 pages with links like its own link there (a and b)'
    """
    link_scores, fused = dict(LINK_SCORES), list(FUSED_METHODS)
    if context.usage is not None:
        link_scores["usage"] = scores.two_step_traffic
        fused.append("usage")
    return find_missing_links(
        context, "fused", MissingLinkOptions(**options), link_scores, tuple(fused)
    )


@method("suggest", "common-neighbours", cites="newman2001", dimensions=NEIGHBOUR_DIMENSIONS)
@inherit_options(MissingLinkOptions)
def common_neighbours(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest links by the number of common neighbours.

    Pages that the source links to and that link to the target; with
    `undirected`, pages that are linked with both in any direction.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [(link.page, link.score) for link in common_neighbours(web, page="a").to]
    [('d', 2.0), ('e', 1.0)]
    """
    return _suggest_by_score(context, "common-neighbours", options)


@method("suggest", "jaccard", cites="libennowell2007", dimensions=NEIGHBOUR_DIMENSIONS)
@inherit_options(MissingLinkOptions)
def jaccard(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest links by the Jaccard index of neighbours.

    The neighbours are the pages that the source links to and the pages that
    link to the target: the index is the share of them that are both.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [(link.page, link.score) for link in jaccard(web, page="a").to]
    [('d', 1.0), ('e', 0.5)]
    """
    return _suggest_by_score(context, "jaccard", options)


@method("suggest", "adamic-adar", cites="adamic2003", dimensions=NEIGHBOUR_DIMENSIONS)
@inherit_options(MissingLinkOptions)
def adamic_adar(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest links by the Adamic-Adar index.

    The sum of 1 / log(out-degree + 1) over common neighbours; with
    `undirected`, as Adamic and Adar have it, of 1 / log(degree).

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [link.page for link in adamic_adar(web, page="a").to]
    ['d', 'e']
    """
    return _suggest_by_score(context, "adamic-adar", options)


@method("suggest", "resource-allocation", cites="zhou2009", dimensions=NEIGHBOUR_DIMENSIONS)
@inherit_options(MissingLinkOptions)
def resource_allocation(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest links by the resource allocation index.

    The sum of 1 / out-degree over common neighbours.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [(link.page, link.score) for link in resource_allocation(web, page="a").to]
    [('d', 1.5), ('e', 0.5)]
    """
    return _suggest_by_score(context, "resource-allocation", options)


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
@inherit_options(MissingLinkOptions)
def preferential_attachment(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest links by preferential attachment.

    The product of the degrees of both pages: for one page the order of
    popularity of the pages nearby. A baseline that other methods must beat.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("b", "d"), ("e", "d")]
    >>> [link.page for link in preferential_attachment(web, page="a").to]
    ['d', 'c']
    """
    return _suggest_by_score(context, "preferential-attachment", options)


@method("suggest", "co-citation", cites="deshpande2004", dimensions=COCITATION_DIMENSIONS)
@inherit_options(MissingLinkOptions)
def suggest_by_co_citation(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest pages that are co-cited with linked pages.

    Two pages are as similar as the cosine of their in-links, of which each
    counts 1 / out-degree of its source. The similarities to all pages that the
    source links to are added up.

    Examples
    --------
    >>> web = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
    >>> [link.page for link in suggest_by_co_citation(web, page="c").to]
    ['y']
    """
    return _suggest_by_score(context, "co-citation", options)


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
@inherit_options(MissingLinkOptions)
def suggest_by_text(context: WebContext, /, **options: Any) -> Suggestions:
    """Suggest nearby pages with similar text.

    By the TF-IDF cosine, among pages within three links. Pages that were not
    captured, hosts and domains have no text.

    Examples
    --------
    >>> suggest_by_text([("a", "b"), ("b", "c")], page="a").to
    ()
    """
    return _suggest_by_score(context, "text", options)


@method("suggest", "coupling", cites="libennowell2007", dimensions=COCITATION_DIMENSIONS)
@inherit_options(MissingLinkOptions)
def suggest_by_coupling(
    context: WebContext, /, *, neighbours: Neighbours = DEFAULT_NEIGHBOURS, **options: Any
) -> Suggestions:
    """Suggest what pages with similar links link to.

    Each of the pages most similar by bibliographic coupling adds the cosine of
    its links to all that it links to. For links from other pages, all pages
    that link to the target vote for pages similar to them.

    Examples
    --------
    >>> web = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")]
    >>> round(suggest_by_coupling(web, page="c")[0].score, 4)
    1.4142
    """
    score = partial(scores.coupling, neighbours=neighbours)
    return find_missing_links(
        context, "coupling", MissingLinkOptions(**options), {"coupling": score}
    )


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
@inherit_options(MissingLinkOptions)
def personalised_pagerank(
    context: WebContext, /, *, damping: Damping = DEFAULT_DAMPING, **options: Any
) -> Suggestions:
    """Suggest links by personalised PageRank.

    The score is the stationary distribution of a walk that teleports to the
    source; for links from other pages, that of the target in walks from each.
    A page without links ends a walk. On large webs the last hundredth of a walk
    is left out.

    Examples
    --------
    >>> web = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("c", "e")]
    >>> [link.page for link in personalised_pagerank(web, page="a").to]
    ['d', 'e']
    """
    notes: tuple[str, ...] = ()
    if len(context.graph) > MAX_EXACT_PAGES:
        notes = (f"the last {LARGE_WALK_TOL:.0%} of walks left out",)
    name, score = "personalised-pagerank", partial(scores.personalised_pagerank, damping=damping)
    return find_missing_links(
        context, name, MissingLinkOptions(**options), {name: score}, notes=notes
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
@inherit_options(MissingLinkOptions)
def katz(context: WebContext, /, *, beta: Beta = 0.0, **options: Any) -> Suggestions:
    """Suggest links by the Katz index of paths.

    A path of l links counts beta^l. The series diverges from 1 over the
    spectral radius on, and such a beta is refused; the default is half of this
    bound. On large webs only paths of up to four links count.

    Examples
    --------
    >>> web = [("a", "b"), ("b", "c"), ("c", "d")]
    >>> [(link.page, round(link.score, 6)) for link in katz(web, page="a", beta=0.1).to]
    [('c', 0.01), ('d', 0.001)]
    """
    link_options = MissingLinkOptions(**options)
    if not link_options.page:
        return find_missing_links(context, "katz", link_options, {})
    query = LinkQuery(context, 0, undirected=link_options.undirected)
    weight = choose_katz_beta(query, beta)
    notes = [f"beta = {weight:.6g}"]
    if len(context.graph) > MAX_EXACT_PAGES:
        notes.append(f"paths of more than {KATZ_MAX_HOPS} links left out")
    score = partial(scores.katz, beta=weight)
    return find_missing_links(context, "katz", link_options, {"katz": score}, notes=tuple(notes))


def _suggest_by_score(
    context: WebContext, method_name: str, options: dict[str, Any]
) -> Suggestions:
    return find_missing_links(
        context, method_name, MissingLinkOptions(**options), {method_name: LINK_SCORES[method_name]}
    )
