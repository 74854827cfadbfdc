"""Curation: tags, entities, candidates, proposals, and the words of requests that change them."""

from typing import Annotated

from pydantic import Field

from weft.graph.selection import Level
from weft.server.schemas.responses import ApiResponse, PageRef, Schema
from weft.store.entities import DefaultEntity
from weft.store.tags import MAX_NOTE_CHARS, MAX_TARGET_CHARS, MAX_VALUE_CHARS, Scope
from weft.workspace.curate import ProposalOrder

MAX_TAGS, MAX_PREFIXES, MAX_CONFLICTS = 500, 100, 50
MAX_IMPORT_BYTES = 16 << 20
FacetName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
FacetValue = Annotated[str, Field(max_length=MAX_VALUE_CHARS)]
Person = Annotated[str, Field(max_length=MAX_VALUE_CHARS)]
EntityName = Annotated[str, Field(min_length=1, max_length=200)]
CsvText = Annotated[str, Field(max_length=MAX_IMPORT_BYTES)]
Prefix = Annotated[str, Field(min_length=1, max_length=1000)]


class TagWords(Schema):
    """A tag to set, as in `weft tag`; an empty value takes it away."""

    target: Annotated[str, Field(min_length=1, max_length=MAX_TARGET_CHARS)] = Field(
        description="a page, host, domain, entity, or a pattern with *"
    )
    facet: FacetName
    value: FacetValue
    scope: Scope | None = Field(default=None, description="what the target is; null: by its form")
    why: Annotated[str, Field(max_length=MAX_NOTE_CHARS)] = Field(default="", description="a note")


class TagsWords(Schema):
    """Tags to set together, as one batch."""

    tags: Annotated[list[TagWords], Field(min_length=1, max_length=MAX_TAGS)]
    by: Person = Field(default="", description="who decides")


class UndoWords(Schema):
    """Which batch of tags to undo: the last one, of a person or of a number."""

    by: Person = ""
    batch: Annotated[int, Field(ge=0, le=10**9)] = Field(default=0, description="0: any")


class EntityAddWords(Schema):
    """Prefixes for an entity, which is new or known."""

    name: EntityName
    prefixes: Annotated[list[Prefix], Field(min_length=1, max_length=MAX_PREFIXES)]


class EntityMergeWords(Schema):
    """Entities whose prefixes another one gets."""

    name: EntityName
    others: Annotated[list[EntityName], Field(min_length=1, max_length=MAX_PREFIXES)]


class EntitySplitWords(Schema):
    """An entity to take away."""

    name: EntityName


class TagsImportWords(Schema):
    """Tags of others, as the text of a CSV file."""

    csv: CsvText = Field(description="the columns of an export, or url, facet and value")
    theirs: bool = Field(default=False, description="where they differ from those here, take them")


class EntitiesImportWords(Schema):
    """Entities as the text of a CSV file."""

    csv: CsvText = Field(description="the columns name and prefix, or an export of Hyphe")


class EntityDefaultWords(Schema):
    """How pages of no entity are grouped."""

    default: DefaultEntity


class BatchSchema(Schema):
    """A batch of tags that was set or undone."""

    batch: int = Field(description="its number")
    tags: int = Field(description="number of tags in it")


class EntitiesVersion(Schema):
    """The version of the rules for entities that is in force, and how many entities it has."""

    version: int
    entities: int


class TagSchema(Schema):
    """A tag with who set it, when (in Unix seconds) and why."""

    scope: Scope
    target: str
    facet: str
    value: str
    by: str
    why: str
    time: int


class TagConflict(Schema):
    """Two tags that differ: the one that was here, and the one that was imported."""

    ours: TagSchema
    theirs: TagSchema


class TagsImported(Schema):
    """What an import did: new tags, and those that differ from ones that were here."""

    tags: int = Field(description="number of tags that were set")
    conflicts: int
    theirs: bool = Field(description="whether theirs were taken where they differ")
    rows: list[TagConflict] = Field(description=f"the first {MAX_CONFLICTS} conflicts")


class ValueCount(Schema):
    """A value of a facet: its tags, and the captured pages that have it."""

    value: str
    tags: int
    pages: int


class FacetSchema(Schema):
    """A facet with its values."""

    facet: str
    values: list[ValueCount]


class UncachedResponse(ApiResponse):
    """A response that others may change at any time."""

    @property
    def cacheable(self) -> bool:
        """Others may tag between two requests."""
        return False


class TagsResponse(UncachedResponse):
    """The facets with the counts of their values, and a slice of the tags, newest first."""

    batches: int = Field(description="number of batches so far, with those undone")
    facets: list[FacetSchema]
    total: int
    offset: int
    rows: list[TagSchema]


class EntitySchema(Schema):
    """An entity with its prefixes, and the captured pages under them."""

    name: str
    prefixes: list[str]
    pages: int


class EntitiesResponse(UncachedResponse):
    """The entities, and how the pages of none are grouped."""

    version: int
    default: str
    rows: list[EntitySchema]


class CandidateSchema(PageRef):
    """A page, host, domain or entity to decide on, and what a tag on it names.

    Its value may be that of what covers it, or that most of its pages have.
    """

    scope: Scope
    target: str
    inlinks: int
    value: str
    tags: list[TagSchema] = Field(description="its own tags")


class CandidatesResponse(UncachedResponse):
    """A slice of the candidates, most linked first."""

    level: Level
    facet: str
    batches: int
    total: int
    offset: int
    rows: list[CandidateSchema]


class NeighbourSchema(PageRef):
    """A page linked with another that has the same value."""

    direction: str = Field(description="in: it links there; out: it is linked from there")
    is_example: bool


class ProposalSchema(PageRef):
    """A page with the value that is proposed for it, and reasons."""

    inlinks: int
    tags: list[TagSchema] = Field(description="its own tags")
    value: str
    certainty: float
    words: list[str]
    neighbours: list[NeighbourSchema]
    anchors: list[str]


class ProposalsResponse(UncachedResponse):
    """A slice of what a classifier proposes for pages without a value."""

    method: str
    facet: str
    order: ProposalOrder
    batches: int
    examples: dict[str, int] = Field(description="number of examples of each value")
    accuracy: float | None = Field(description="on examples held out; null: too few of them")
    total: int
    offset: int
    rows: list[ProposalSchema]


class PlaceChangeSchema(PageRef):
    """The place of a page before and after; null where it is not in the selection."""

    before: int | None
    after: int | None


class TopicSizeSchema(Schema):
    """A topic by its label, with the number of its pages."""

    label: str
    pages: int


class TagEffectResponse(UncachedResponse):
    """What tags changed: captured pages, leading pages of a ranking, topics of a query."""

    since: int
    method: str
    before: int
    after: int
    places: list[PlaceChangeSchema]
    topics_before: list[TopicSizeSchema]
    topics_after: list[TopicSizeSchema]
