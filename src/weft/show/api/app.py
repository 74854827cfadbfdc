"""The server as an ASGI application: routes from the table, jobs, the page."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, StreamingResponse

from weft import __version__
from weft.core.errors import close_to
from weft.show.api import page_files, problems
from weft.show.api.access import Access
from weft.show.api.asks import Ask
from weft.show.api.crew import JSON, Reply
from weft.show.api.files import MEDIA
from weft.show.api.guard import App, Guard, Receive, Scope, Send, own_names
from weft.show.api.jobs import Jobs, Work
from weft.show.api.routes import ROUTES, Route
from weft.show.api.shapes import Job, Problem

PATIENCE, MOST_PATIENCE = 30.0, 60.0
GLANCE = 0.2
ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such thing."},
    422: {"model": Problem, "description": "A parameter is not what it may be."},
    "default": {"model": Problem, "description": "What went wrong, and what cures it."},
}
LATER: dict[int | str, dict[str, Any]] = {
    202: {"model": Job, "description": "It takes longer than you wait: see /api/jobs."}
}
Prefer = Annotated[
    str,
    Header(
        description="`wait=2`: answer 202 with a job if it takes longer than two seconds",
    ),
]
Name = Annotated[str, InPath(max_length=64, description="the name of a job")]


def build(jobs: Jobs, host: str = "127.0.0.1", token: str = "") -> App:
    """Everything that a server on a host needs to show the collection of some jobs.

    With a token, only who has it is answered.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await jobs.close()

    app = FastAPI(
        title="Weft",
        version=__version__,
        summary="One collection: its topics, rankings, pages and links.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers={
            RequestValidationError: problems.on_invalid,
            HTTPException: problems.on_http,
            Exception: problems.on_bug,
        },
    )
    for route in ROUTES.values():
        _add(app, jobs, route)
    _add_jobs(app, jobs)
    page_files.add(app)
    schema = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _truthful(schema())
        return schema()

    app.openapi = openapi  # type: ignore[method-assign]
    recall = Recall(app, jobs)
    return Guard(Access(recall, token) if token else recall, *own_names(host))


def _add(app: FastAPI, jobs: Jobs, route: Route) -> None:
    """A route of the table: its parameters are those of its question."""
    form = route.asks.model_json_schema()
    lists = {name for name, one in form.get("properties", {}).items() if one.get("type") == "array"}

    async def answer(request: Request, prefer: Prefer = "") -> Response:
        mark = jobs.mark()
        work = jobs.start(route, asked(route, request.query_params, lists))
        if not await waited(request, work, patience(prefer)):
            if await request.is_disconnected():
                await jobs.leave(work)
            return _later(work)
        jobs.remember(mark, _address(request.scope), work)
        return _response(work, request.headers.get("if-none-match", ""))

    app.add_api_route(
        f"/api/{route.path}",
        answer,
        methods=["GET"],
        summary=route.summary,
        tags=[route.group],
        operation_id=re.sub(r"\W", "_", route.path),
        response_model=None,
        responses={200: _gives(route, form), **LATER, **ERRORS},
        openapi_extra={"parameters": _parameters(form)},
    )


def asked(route: Route, given: QueryParams, lists: Container[str]) -> Ask:
    """The question that an address puts; lists are parameters that are repeated."""
    values = {name: given.getlist(name) if name in lists else given[name] for name in given}
    try:
        return route.asks.model_validate(values)
    except ValidationError as error:
        known = list(route.asks.model_fields)
        wrong = [_refused(dict(each), known) for each in error.errors()]
        raise RequestValidationError(wrong) from error


def _refused(wrong: dict[str, Any], known: list[str]) -> dict[str, Any]:
    """What is wrong with a parameter; one that there is not gets those that there are."""
    told = {**wrong, "loc": ("query", *wrong["loc"])}
    if wrong["type"] != "extra_forbidden":
        return told
    every = f"its parameters: {', '.join(known)}" if known else "it has no parameters"
    cure = close_to(str(wrong["loc"][0]), known) + every
    return {**told, "msg": "there is no such parameter", "cure": cure}


def _parameters(form: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of a question as OpenAPI has them."""
    return [
        {
            "name": name,
            "in": "query",
            "required": name in form.get("required", ()),
            "description": one["description"],
            "schema": {key: value for key, value in one.items() if key != "description"},
        }
        for name, one in form.get("properties", {}).items()
    ]


def _gives(route: Route, form: dict[str, Any]) -> dict[str, Any]:
    """What a route answers: JSON of a shape, or files."""
    told: dict[str, Any] = {"description": f"{route.summary}."}
    chosen = {route.ending}
    if forms := form.get("properties", {}).get("format"):
        chosen |= {name for part in forms.get("anyOf", [forms]) for name in _choices(part)}
    file = {"schema": {"type": "string", "format": "binary"}}
    told["content"] = {MEDIA[name]: file for name in sorted(chosen & MEDIA.keys())}
    return {**told, "model": route.gives} if route.gives else told


def _choices(part: dict[str, Any]) -> list[str]:
    known: list[str] = part.get("enum", [part["const"]] if "const" in part else [])
    return known


def patience(prefer: str) -> float:
    """How long a reader wants to wait, in seconds."""
    if "respond-async" in prefer:
        return 0.0
    found = re.search(r"\bwait\s*=\s*(\d{1,4}(?:\.\d{1,6})?)", prefer)
    return min(float(found[1]), MOST_PATIENCE) if found else PATIENCE


async def waited(request: Request, work: Work, seconds: float) -> bool:
    """Wait until there is a reply, but no longer than the reader does."""
    work.readers += 1
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if await work.wait(min(left, GLANCE)):
            return True
        if await request.is_disconnected():
            return False
    return work.reply is not None


def _later(work: Work) -> Response:
    headers = {"Location": f"/api/jobs/{work.id}", "Cache-Control": "no-store"}
    return Response(work.told.model_dump_json(), 202, headers, JSON)


def _response(work: Work, known: str = "") -> Response:
    """The reply to a question, or that the reader has it already."""
    reply = work.reply
    assert reply is not None
    if reply.file is not None:
        return FileResponse(reply.file, media_type=reply.media, filename=reply.name)
    headers = fresh(work, reply)
    if reply.lasting and known == headers["ETag"]:
        return Response(None, 304, headers)
    return Response(reply.body, reply.status, headers, reply.media)


def fresh(work: Work, reply: Reply) -> dict[str, str]:
    """Headers that let a browser ask whether what it has still holds."""
    if not reply.lasting:
        return {"Cache-Control": "no-store"}
    return {"ETag": f'"{work.id}"', "Cache-Control": "no-cache"}


def _address(scope: Scope) -> bytes:
    address: bytes = scope["path"].encode() + b"?" + scope["query_string"]
    return address


class Recall:
    """Answer what was asked before from memory, without another look at the parameters."""

    def __init__(self, app: App, jobs: Jobs) -> None:
        self.app, self.jobs = app, jobs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at once, or pass the request on."""
        if scope["type"] == "http" and scope["method"] == "GET":
            work = self.jobs.recall(_address(scope))
            if work is not None:
                known = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
                await _response(work, known)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _add_jobs(app: FastAPI, jobs: Jobs) -> None:
    """Routes to look at work that takes long, and to leave it."""

    def find(job: str) -> Work:
        if job not in jobs.works:
            raise HTTPException(404)
        return jobs.works[job]

    async def told(job: Name) -> Response:
        return Response(find(job).told.model_dump_json(), 200, {"Cache-Control": "no-store"}, JSON)

    async def result(job: Name) -> Response:
        work = find(job)
        return _response(work) if work.reply is not None else _later(work)

    async def leave(job: Name) -> Response:
        await jobs.leave(find(job))
        return Response(None, 204)

    async def events(job: Name) -> Response:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_events(find(job)), 200, headers, "text/event-stream")

    stream = {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
    file: dict[str, Any] = {"content": {media: {} for media in sorted({JSON, *MEDIA.values()})}}
    table: list[tuple[str, str, Callable[..., Awaitable[Response]], str, dict[Any, Any]]] = [
        ("GET", "", told, "How a job stands", {200: {"model": Job}}),
        ("GET", "/events", events, "How a job goes on, as server-sent events", {200: stream}),
        ("GET", "/result", result, "The answer that a job found", {200: file, **LATER}),
        ("DELETE", "", leave, "Leave a job; the last reader who does cancels it", {204: {}}),
    ]
    for verb, path, answer, summary, gives in table:
        told_ = {code: {"description": f"{summary}.", **form} for code, form in gives.items()}
        app.add_api_route(
            f"/api/jobs/{{job}}{path}",
            answer,
            methods=[verb],
            summary=summary,
            tags=["jobs"],
            operation_id=f"job_{verb.lower()}{path.replace('/', '_')}",
            response_model=None,
            status_code=204 if verb == "DELETE" else 200,
            responses={**told_, **ERRORS},
        )


async def _events(work: Work) -> AsyncIterator[bytes]:
    """A job each time it has changed, until it ends."""
    last = b""
    while True:
        ended = work.reply is not None
        now = work.told.model_dump_json().encode()
        if now != last:
            last = now
            yield b"event: job\ndata: " + now + b"\n\n"
        if ended:
            return
        await work.wait(GLANCE)
        await asyncio.sleep(0)


def _truthful(document: dict[str, Any]) -> None:
    """Problems have a media type of their own."""
    for verbs in document["paths"].values():
        for operation in verbs.values():
            for status, told in operation["responses"].items():
                content = told.get("content", {})
                if (status == "default" or status[0] in "45") and JSON in content:
                    content[problems.MEDIA] = content.pop(JSON)
