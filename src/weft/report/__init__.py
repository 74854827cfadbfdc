"""Reports to read: topics and structure as HTML pages that hold everything they need."""

from typing import Annotated

from pydantic import Field

from weft.core.register import validate_call
from weft.groups.groups import Groups
from weft.report.topics import build_topics_report, render_topics_report
from weft.store.collection import Collection

__all__ = ["topics_report"]
ShownCount = Annotated[int, Field(ge=1, le=10_000, description="how many topics, or pages of each")]


@validate_call
def topics_report(
    collection: Collection, topics: Groups, *, top: ShownCount = 10, max_topics: ShownCount = 10
) -> str:
    """Write a report on topics as an HTML page.

    It shows the first `max_topics` topics, each with its `top` authorities and
    hubs. The page runs no script and loads nothing, and texts of pages are
    escaped. The same topics of the same snapshot give the same page.
    """
    return render_topics_report(build_topics_report(collection, topics, top, max_topics))
