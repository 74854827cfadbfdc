"""Models that all routes share: responses, problems, jobs, references to pages."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

PROBLEM_MEDIA_TYPE = "application/problem+json"
BUG_MESSAGE = "an internal error occurred"
BUG_HINT = "the server's terminal shows the traceback; please report it"
JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
Cell = Annotated[
    Any, WithJsonSchema({"type": ["string", "number", "boolean", "null", "array"], "items": {}})
]


class Schema(BaseModel):
    """Base of all models; NaN and infinity become null in JSON."""

    model_config = ConfigDict(
        extra="forbid", ser_json_inf_nan="null", json_schema_serialization_defaults_required=True
    )


class ApiResponse(Schema):
    """Base of all responses: each names the snapshot that it describes."""

    snapshot: int = Field(description="the commit of the collection that was read")

    @property
    def cacheable(self) -> bool:
        """Whether the same request gives the same response until the next commit."""
        return True


class Problem(Schema):
    """An error as in RFC 9457: one sentence, and a hint how to fix it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    hint: str = ""

    @classmethod
    def from_status(cls, status: int, detail: str, hint: str = "") -> "Problem":
        """A problem with the standard phrase of its HTTP status as title."""
        return cls(title=HTTPStatus(status).phrase, status=status, detail=detail, hint=hint)


class JobStep(Schema):
    """Progress of one step of a job; `total` is null where it is unknown."""

    label: str
    done: int
    total: int | None


class JobStatus(Schema):
    """State and progress of a request that runs in the background."""

    id: str = Field(description="its identifier, for /api/jobs")
    state: JobState
    steps: list[JobStep]
    problem: Problem | None = None


class PageRef(Schema):
    """A page, host or domain with its title."""

    url: str = Field(description="its URL, or the name of a host or domain")
    title: str = ""
    kind: str = Field(description="captured, error, listed, uncaptured, host or domain")


class Exclusion(Schema):
    """Pages and links that were left out, and why."""

    reason: str
    pages: int
    links: int


class TraceSchema(Schema):
    """How an iteration ended."""

    converged: bool
    iterations: int
    change: float | None
    stopped: str


class BaseSetSize(Schema):
    """Size of the base set that was analysed; `uncaptured` pages are linked, not captured."""

    found: int = Field(description="search hits, of which the first `root` are root pages")
    root: int
    pages: int
    links: int
    uncaptured: int
