"""Pages like another: by who links to both, by what both link to, by what they say."""

from typing import Annotated, Any

from pydantic import Field

from weft.core.dimensions import Dimensions
from weft.core.methods import method, options_of
from weft.core.params import Cap, HowStrong
from weft.graph.alike import CAP
from weft.suggest.around import Around
from weft.suggest.liken import Asked, Page, Top, liken
from weft.suggest.likeness import Similar

WithText = Annotated[bool, Field(description="count the words that pages share as well")]


TOGETHER = Dimensions(
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
@options_of(Asked)
def combined(around: Around, /, *, text: WithText = False, **options: Any) -> Similar:
    """Find the pages most like a page by links both ways, and by words if wanted.

    The score is the sum of co-citation and coupling, and of the cosine of
    telling words with `text`: two pages with the very same links have two, or
    three if they say the same. Only links known to the web count, so that a
    page that was never fetched can be like another by the links to it alone.

    Examples
    --------
    >>> links = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")]
    >>> combined(links, page="x")
    <2 pages like x by combined, first y>
    """
    return liken(around, "combined", Asked(**options), ("co-citation", "coupling"), text=text)


@method("similar", "co-citation", cites="small1973", dimensions=TOGETHER)
@options_of(Asked)
def co_citation(around: Around, /, **options: Any) -> Similar:
    """Find the pages that are linked from the same pages as a page.

    By the cosine, or another strength, of the sets of pages that link to each.

    Examples
    --------
    >>> links = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")]
    >>> co_citation(links, page="x").found[0].shared
    {'co-citation': 2}
    """
    return liken(around, "co-citation", Asked(**options), ("co-citation",))


@method("similar", "coupling", cites="kessler1963", dimensions=TOGETHER)
@options_of(Asked)
def coupling(around: Around, /, **options: Any) -> Similar:
    """Find the pages that link to the same pages as a page: bibliographic coupling.

    By the cosine, or another strength, of the sets of pages that each links to.

    Examples
    --------
    >>> coupling([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")], page="a")
    <1 page like a by coupling, first b>
    """
    return liken(around, "coupling", Asked(**options), ("coupling",))


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
def indirect(
    around: Around,
    *,
    page: Page = "",
    strength: HowStrong = "cosine",
    cap: Cap = CAP,
    top: Top = 10,
) -> Similar:
    """Find the pages that are two clicks from a page, or that it is two clicks from.

    Each way counts by the pages in between; both ways add up. A page that is
    linked directly counts too if there are ways around.

    Examples
    --------
    >>> indirect([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")], page="a")
    <1 page like a by indirect, first c>
    """
    asked = Asked(page=page, strength=strength, cap=cap, top=top)
    return liken(around, "indirect", asked, ("indirect", "indirect from"))


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
def text(around: Around, *, page: Page = "", top: Top = 10) -> Similar:
    """Find the pages that say the same telling words as a page.

    By the cosine of the weightiest words of both, 64 each at most; a word
    weighs the more the more often its page says it and the fewer pages do.
    Pages that were never fetched, hosts and domains say nothing.

    Examples
    --------
    >>> text([("a", "b")], page="a").notes
    ('a says nothing that is known',)
    """
    return liken(around, "text", Asked(page=page, top=top), (), text=True)
