"""Handler for classifiers: it learns from examples in the request."""

from typing import Any

from pydantic import ConfigDict, Field

from weft.graph.selection import Level
from weft.server.downloads import Download, table_download
from weft.server.params import ClassifyParams
from weft.server.schemas.curate import NeighbourSchema
from weft.server.schemas.responses import ApiResponse, PageRef, Schema
from weft.server.session import Session


class LearnedClass(Schema):
    """A class: its examples, the pages put into it, and the words that contribute most."""

    model_config = ConfigDict(serialize_by_alias=True)

    class_: str = Field(alias="class")
    examples: int
    pages: int
    keywords: list[str]


class HeldOutEstimate(Schema):
    """Accuracy and macro-averaged F1 on examples held out by cross-validation."""

    accuracy: float
    macro_f1: float
    folds: int


class ClassifiedPage(PageRef):
    """A page with its most probable class and the probability of that class."""

    model_config = ConfigDict(serialize_by_alias=True)

    class_: str = Field(alias="class")
    certainty: float
    words: list[str] = Field(default=[], description="with `reasons`, the words for the class")
    neighbours: list[NeighbourSchema] = Field(
        default=[], description="with `reasons`, linked pages of the class"
    )
    anchors: list[str] = Field(default=[], description="with `reasons`, anchors of links to it")


class ClassSummary(Schema):
    """How well a class is found, and its share of the pages, corrected for errors."""

    model_config = ConfigDict(serialize_by_alias=True)

    class_: str = Field(alias="class")
    examples: int
    recall: float | None
    precision: float | None
    pages: int
    share: float | None
    low: float | None
    high: float | None


class ClassesResponse(ApiResponse):
    """A slice of the classified pages, most certain first, and the classes."""

    method: str
    level: Level
    options: dict[str, Any]
    classes: list[LearnedClass]
    estimate: HeldOutEstimate | None = Field(description="null where there are too few examples")
    total: int = Field(description="number of classified pages")
    offset: int
    rows: list[ClassifiedPage]
    notes: list[str]
    shares: list[ClassSummary] = Field(description="with `summary`, a row for each class")
    warnings: list[str] = Field(description="with `summary`, what may bias the estimate")
    provenance: dict[str, Any]


def classify_pages(session: Session, params: ClassifyParams) -> ClassesResponse | Download:
    """The class of every captured page that is no example, with its certainty."""
    rows = [(url, name) for url, name in params.train] or None
    found = session.workspace.classify(
        rows,
        params.method_name,
        facet=params.facet,
        only_tag=params.only_tag,
        exclude_tag=params.exclude_tag,
        **params.option_values,
    )
    if params.format != "json":
        table = found.to_table(reasons=params.reasons, class_=params.of_class)
        return table_download(table, session.temp_path(params.format), "classes")
    document = found.to_document(
        offset=params.offset,
        top=params.top,
        reasons=params.reasons,
        class_=params.of_class,
        summary=params.summary,
    )
    return session.respond(ClassesResponse, document, offset=params.offset)
