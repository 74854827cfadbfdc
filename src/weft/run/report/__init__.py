"""A report on the topics of a query: one HTML page that needs nothing else."""

from typing import Annotated

from pydantic import Field

from weft.core.validate import validated
from weft.run.report.contents import assemble
from weft.run.report.page import page
from weft.store.collection import Collection
from weft.topics.topic import Topics

__all__ = ["report"]
Shown = Annotated[int, Field(ge=1, le=10_000, description="how many topics, or pages of each")]


@validated
def report(collection: Collection, found: Topics, *, top: Shown = 10, most: Shown = 10) -> str:
    """The report on topics that were found, as HTML: the first `most`, each with `top` pages.

    It holds no script and asks for nothing from elsewhere. What pages say of
    themselves is shown as text. The same topics of the same snapshot give the
    same characters.
    """
    return page(assemble(collection, found, top, most))
