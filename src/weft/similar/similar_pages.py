"""Methods that find similar pages: co-citation, coupling, two-link paths, text, and their sum."""

from typing import Annotated, Any

from pydantic import Field

from weft.core.params import MaxDegree, Similarity
from weft.core.register import Dimensions, inherit_options, method
from weft.graph.cocitation import MAX_DEGREE
from weft.similar.context import WebContext
from weft.similar.similarity import PageName, SimilarOptions, SimilarPages, Top, find_similar_pages

WithText = Annotated[bool, Field(description="add the text similarity (TF-IDF cosine)")]
COCITATION_DIMENSIONS = Dimensions(
    model="co-citation and co-reference",
    metric="bibliometric measures",
    algorithm="counting",
    scope="multiple pages",
    applications=("page recommendation",),
)


@method(
    "similar",
    "combined",
    cites="desikan2002",
    dimensions=Dimensions(
        model="co-citation and co-reference",
        metric="similarity",
        algorithm="counting",
        scope="multiple pages",
        applications=("page recommendation", "web communities"),
        data="links and content",
    ),
)
@inherit_options(SimilarOptions)
def combined_similarity(
    context: WebContext, /, *, text: WithText = False, **options: Any
) -> SimilarPages:
    """Find similar pages by co-citation plus coupling.

    The score is the sum of co-citation and coupling, and with `text` of the
    TF-IDF cosine: by the cosine, two pages with exactly the same links score 2,
    or 3 if their texts are the same too. Only known links count, so that a page
    that was not captured can be similar by its in-links alone.

    Examples
    --------
    >>> links = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")]
    >>> combined_similarity(links, page="x")
    <2 pages similar to x by combined, first y>
    """
    return find_similar_pages(
        context, "combined", SimilarOptions(**options), ("co-citation", "coupling"), with_text=text
    )


@method("similar", "co-citation", cites="small1973", dimensions=COCITATION_DIMENSIONS)
@inherit_options(SimilarOptions)
def co_citation(context: WebContext, /, **options: Any) -> SimilarPages:
    """Find pages that are linked from the same pages.

    The score is the similarity, by default the cosine, of the sets of pages
    that link to each.

    Examples
    --------
    >>> links = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")]
    >>> co_citation(links, page="x")[0].witness_counts
    {'co-citation': 2}
    """
    return find_similar_pages(context, "co-citation", SimilarOptions(**options), ("co-citation",))


@method("similar", "coupling", cites="kessler1963", dimensions=COCITATION_DIMENSIONS)
@inherit_options(SimilarOptions)
def bibliographic_coupling(context: WebContext, /, **options: Any) -> SimilarPages:
    """Find pages that link to the same pages.

    Bibliographic coupling: the score is the similarity, by default the cosine,
    of the sets of pages that each links to.

    Examples
    --------
    >>> bibliographic_coupling(
    ...     [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")], page="a"
    ... )
    <1 page similar to a by coupling, first b>
    """
    return find_similar_pages(context, "coupling", SimilarOptions(**options), ("coupling",))


@method(
    "similar",
    "indirect",
    cites="efe2000",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="bibliometric measures",
        algorithm="graph traversal",
        scope="multiple pages",
        applications=("page recommendation",),
    ),
)
def two_click_similarity(
    context: WebContext,
    *,
    page: PageName = "",
    similarity: Similarity = "cosine",
    max_degree: MaxDegree = MAX_DEGREE,
    top: Top = 10,
) -> SimilarPages:
    """Find pages on paths of two links from or to a page.

    Each direction counts by the pages in between, and both add up. A page that
    is linked directly counts too if there are paths of two links.

    Examples
    --------
    >>> two_click_similarity([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")], page="a")
    <1 page similar to a by indirect, first c>
    """
    options = SimilarOptions(page=page, similarity=similarity, max_degree=max_degree, top=top)
    return find_similar_pages(context, "indirect", options, ("indirect", "indirect from"))


@method(
    "similar",
    "text",
    cites="salton1975",
    dimensions=Dimensions(
        model="vector space",
        metric="similarity",
        algorithm="cosine similarity",
        scope="multiple pages",
        applications=("page recommendation",),
        data="content",
    ),
)
def text_similarity(context: WebContext, *, page: PageName = "", top: Top = 10) -> SimilarPages:
    """Find pages with similar text by TF-IDF cosine.

    Each page has at most 64 terms, those of the largest weight: frequent on the
    page, rare on others. Pages that were not captured, hosts and domains have
    no text.

    Examples
    --------
    >>> text_similarity([("a", "b")], page="a").notes
    ('a has no known text',)
    """
    return find_similar_pages(
        context, "text", SimilarOptions(page=page, top=top), (), with_text=True
    )
