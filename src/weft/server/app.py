"""The ASGI application: API routes, job routes, the workbench."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cached_property, partial
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Header, Query, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, StreamingResponse
from starlette.routing import Match

from weft import __version__
from weft.core.errors import WeftError, did_you_mean
from weft.server.auth import TokenMiddleware
from weft.server.crawl_process import CrawlProcess
from weft.server.curator import Curator
from weft.server.downloads import MEDIA_TYPES
from weft.server.errors import (
    handle_http_error,
    handle_invalid_params,
    handle_unexpected_error,
    handle_weft_error,
)
from weft.server.jobs import JSON_MEDIA_TYPE, Job, JobScheduler, Reply
from weft.server.middleware import ASGIApp, Receive, Scope, SecurityMiddleware, Send, own_host_names
from weft.server.params import Params
from weft.server.routes import ROUTES, Route
from weft.server.schemas.crawl import CrawlStateSchema, CrawlWords
from weft.server.schemas.curate import (
    BatchSchema,
    EntitiesImportWords,
    EntitiesVersion,
    EntityAddWords,
    EntityDefaultWords,
    EntityMergeWords,
    EntitySplitWords,
    TagsImported,
    TagsImportWords,
    TagsWords,
    UndoWords,
)
from weft.server.schemas.groups import GroupEditNumber, GroupEditWords, UndoGroupEditWords
from weft.server.schemas.responses import PROBLEM_MEDIA_TYPE, JobStatus
from weft.server.static import add_workbench_routes
from weft.store.entities import Entities, parse_entities_csv

DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS = 30.0, 60.0
POLL_SECONDS = 0.2
PROBLEM_CONTENT = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {"content": PROBLEM_CONTENT, "description": "There is nothing by that name."},
    422: {"content": PROBLEM_CONTENT, "description": "A parameter is not valid."},
    "default": {"content": PROBLEM_CONTENT, "description": "What went wrong, and how to fix it."},
}
ACCEPTED_RESPONSE: dict[int | str, dict[str, Any]] = {
    202: {"model": JobStatus, "description": "The request is still running: see /api/jobs."}
}
BINARY_FILE = {"schema": {"type": "string", "format": "binary"}}
PreferHeader = Annotated[
    str, Header(description="`wait=2`: answer 202 with a job after two seconds")
]
JobId = Annotated[str, InPath(max_length=64, description="identifier of a job")]


def build_app(
    scheduler: JobScheduler,
    host: str = "127.0.0.1",
    token: str = "",
    allow_private: tuple[str, ...] = (),
) -> ASGIApp:
    """The application for a server on a host; with a token, only for those who have it.

    `allow_private` are the private addresses, as `HOST:PORT`, that crawls may fetch from.
    """
    cached = CacheMiddleware(build_api(scheduler, allow_private), scheduler)
    return SecurityMiddleware(
        TokenMiddleware(cached, token) if token else cached, *own_host_names(host)
    )


def build_api(scheduler: JobScheduler, allow_private: tuple[str, ...] = ()) -> FastAPI:
    """All routes, without what guards them."""
    crawl = CrawlProcess(scheduler.folder, allow_private)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(crawl.close)
        await scheduler.close()

    app = FastAPI(
        title="Weft",
        version=__version__,
        summary="One collection: its topics, rankings, pages and links.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers={
            RequestValidationError: handle_invalid_params,
            HTTPException: handle_http_error,
            WeftError: handle_weft_error,
            Exception: handle_unexpected_error,
        },
    )
    for route in ROUTES.values():
        build = partial(_build_route, scheduler, route)
        app.router.routes.append(TableRoute(f"/api/{route.path}", build))
    app.include_router(_job_router(scheduler))
    app.include_router(_crawl_router(crawl))
    curator = Curator(scheduler.folder)
    app.include_router(_curate_router(curator))
    app.include_router(_group_edits_router(curator))
    add_workbench_routes(app)
    return app


class TableRoute(APIRoute):
    """A route of the table, built for the first request to it or for the OpenAPI document.

    To build all of them takes seconds: FastAPI makes a validator for each of thousands of
    parameters.
    """

    def __init__(self, path: str, build: Callable[[], APIRoute]) -> None:
        self.path = path
        self._build = build

    @cached_property
    def _built(self) -> APIRoute:
        return self._build()

    def __getattr__(self, name: str) -> Any:
        """What is not set here is the built route's."""
        return getattr(self._built, name)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the path is this one, which has no variable parts."""
        if scope["type"] != "http" or scope["path"] != self.path:
            return Match.NONE, {}
        return self._built.matches(scope)


def _build_route(scheduler: JobScheduler, route: Route) -> APIRoute:
    """The endpoint of a route of the table."""

    async def handle_request(request: Request, prefer: str, **values: Any) -> Response:
        params = route.params_class.model_construct(**values)
        job_id = _job_id(scheduler, request.scope, await request.body())
        job = scheduler.submit(job_id, route, params)
        if not await wait_for_reply(request, job, parse_wait_preference(prefer)):
            if await request.is_disconnected():
                scheduler.drop_client(job)
            return _accepted_response(job)
        return _job_response(job, request.headers.get("if-none-match", ""))

    handle_request.__signature__ = _signature(route.params_class)  # type: ignore[attr-defined]
    files = dict.fromkeys(route.media_types, BINARY_FILE)
    success: dict[int | str, dict[str, Any]] = {
        200: {"description": f"{route.summary}.", "content": files}
    }
    return APIRoute(
        f"/api/{route.path}",
        handle_request,
        methods=[route.verb],
        summary=route.summary,
        tags=[route.tag],
        operation_id=re.sub(r"\W", "_", route.path),
        response_class=JSONResponse if route.response_class else Response,
        response_model=route.response_class,
        responses={**success, **ACCEPTED_RESPONSE, **ERROR_RESPONSES},
        dependencies=[Depends(refuse_unknown_parameters)],
    )


def _signature(params_class: type[Params]) -> Signature:
    """The signature of an endpoint: the request, its preference, and a parameter per field.

    FastAPI takes a whole model as well, but caches no more than 128 of them.
    """
    parameters: dict[str, tuple[Any, Any]] = {
        "request": (Request, Parameter.empty),
        "prefer": (PreferHeader, ""),
    }
    for name, field in params_class.model_fields.items():
        place: Any = Query(description=field.description)
        if name == params_class.body_field:
            place = Body(embed=True, description=field.description)
        default = Parameter.empty if field.is_required() else field.default
        parameters[name] = Annotated[(field.annotation, *field.metadata, place)], default
    return Signature(
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
            for name, (annotation, default) in parameters.items()
        ]
    )


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse parameters that the route does not have, and list those it has."""
    known = [parameter.alias for parameter in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            listing = f"its parameters: {', '.join(known)}" if known else "it has no parameters"
            hint = did_you_mean(name, known) + listing
            error = {"loc": ("query", name), "msg": "unknown parameter", "hint": hint}
            raise RequestValidationError([error])


def parse_wait_preference(prefer: str) -> float:
    """How many seconds a client waits for the reply, by its Prefer header (RFC 7240)."""
    if "respond-async" in prefer:
        return 0.0
    match = re.search(r"\bwait\s*=\s*(\d{1,4}(?:\.\d{1,6})?)", prefer)
    return min(float(match[1]), MAX_WAIT_SECONDS) if match else DEFAULT_WAIT_SECONDS


async def wait_for_reply(request: Request, job: Job, seconds: float) -> bool:
    """Wait for the reply until the time is up or the client is gone."""
    job.client_count += 1
    deadline = time.monotonic() + seconds
    while (remaining := deadline - time.monotonic()) > 0:
        if await job.wait(min(remaining, POLL_SECONDS)):
            return True
        if await request.is_disconnected():
            return False
    return job.reply is not None


def _accepted_response(job: Job) -> Response:
    headers = {"Location": f"/api/jobs/{job.id}", "Cache-Control": "no-store"}
    return Response(job.status.model_dump_json(), 202, headers, JSON_MEDIA_TYPE)


def _job_response(job: Job, etag: str = "") -> Response:
    """The reply of a job, or 304 if the client has it already."""
    reply = job.reply
    assert reply is not None
    if reply.file is not None:
        return FileResponse(reply.file, media_type=reply.media_type, filename=reply.file_name)
    headers = cache_headers(job, reply)
    if reply.cacheable and etag == headers["ETag"]:
        return Response(None, 304, headers)
    return Response(reply.body, reply.http_status, headers, reply.media_type)


def cache_headers(job: Job, reply: Reply) -> dict[str, str]:
    """Headers that let a browser revalidate what it has by ETag."""
    if not reply.cacheable:
        return {"Cache-Control": "no-store"}
    return {"ETag": f'"{job.id}"', "Cache-Control": "no-cache"}


def _job_id(scheduler: JobScheduler, scope: Scope, body: bytes = b"") -> str:
    return scheduler.job_id(scope["path"], scope["query_string"], body)


class CacheMiddleware:
    """Answer repeated requests from the cache, without parsing their parameters again."""

    def __init__(self, app: ASGIApp, scheduler: JobScheduler) -> None:
        self.app, self.scheduler = app, scheduler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from the cache, or pass the request on."""
        if scope["type"] == "http" and scope["method"] == "GET":
            job = self.scheduler.find_reply(_job_id(self.scheduler, scope))
            if job is not None:
                etag = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
                await _job_response(job, etag)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _make_router(
    path: str, tag: str, responses: dict[int | str, dict[str, Any]] = ERROR_RESPONSES
) -> APIRouter:
    """A router below `/api` for routes that refuse unknown parameters."""
    return APIRouter(
        prefix=f"/api/{path}",
        tags=[tag],
        responses=responses,
        dependencies=[Depends(refuse_unknown_parameters)],
    )


def _job_router(scheduler: JobScheduler) -> APIRouter:
    """The routes that poll, stream and leave running jobs."""
    router = _make_router("jobs/{job_id}", "jobs")

    def find_job(job_id: JobId) -> Job:
        if job_id not in scheduler.jobs:
            raise HTTPException(404)
        return scheduler.jobs[job_id]

    FoundJob = Annotated[Job, Depends(find_job)]  # noqa: N806  a type

    @router.get("", summary="State and progress of a job", operation_id="job_status")
    async def job_status(job: FoundJob, response: Response) -> JobStatus:
        response.headers["Cache-Control"] = "no-store"
        return job.status

    @router.get(
        "/events",
        summary="Progress of a job as server-sent events",
        operation_id="job_events",
        response_class=EventStream,
    )
    async def job_events(job: FoundJob) -> StreamingResponse:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return EventStream(_stream_job_events(job), headers=headers)

    @router.get(
        "/result",
        summary="Result of a job",
        operation_id="job_result",
        response_model=None,
        responses={
            200: {"content": dict.fromkeys(sorted(MEDIA_TYPES.values()), BINARY_FILE)},
            **ACCEPTED_RESPONSE,
        },
    )
    async def job_result(job: FoundJob) -> Response:
        return _job_response(job) if job.reply is not None else _accepted_response(job)

    @router.delete(
        "",
        summary="Leave a job; the last client who does cancels it",
        operation_id="leave_job",
        status_code=204,
    )
    async def leave_job(job: FoundJob) -> None:
        scheduler.drop_client(job)

    return router


def _crawl_router(crawl: CrawlProcess) -> APIRouter:
    """The routes that start, pause, resume and stop the crawl of the collection."""
    busy = {"content": PROBLEM_CONTENT, "description": "A crawl is running already, or none is."}
    router = _make_router("crawl", "crawl", {**ERROR_RESPONSES, 409: busy})

    async def act(action: Callable[..., None], *args: Any) -> CrawlStateSchema:
        await asyncio.to_thread(action, *args)
        return CrawlStateSchema(state=crawl.files.state)

    @router.post("/start", summary="Start or continue the crawl", operation_id="crawl_start")
    async def start(words: CrawlWords) -> CrawlStateSchema:
        return await act(crawl.start, words.model_dump())

    @router.post("/pause", summary="Pause the crawl", operation_id="crawl_pause")
    async def pause() -> CrawlStateSchema:
        return await act(crawl.request, "pause")

    @router.post("/resume", summary="Resume a paused crawl", operation_id="crawl_resume")
    async def resume() -> CrawlStateSchema:
        return await act(crawl.request, "")

    @router.post("/stop", summary="Stop the crawl", operation_id="crawl_stop")
    async def stop() -> CrawlStateSchema:
        return await act(crawl.request, "stop")

    return router


def _curate_router(curator: Curator) -> APIRouter:
    """The routes that set and undo tags and entities."""
    router = _make_router("curate", "curate")

    @router.post("/tags", summary="Set tags as one batch", operation_id="curate_set_tags")
    async def set_tags(words: TagsWords) -> BatchSchema:
        return await asyncio.to_thread(curator.tag, words)

    @router.post("/tags/undo", summary="Undo a batch of tags", operation_id="curate_undo_tags")
    async def undo_tags(words: UndoWords) -> BatchSchema:
        return await asyncio.to_thread(curator.undo, words)

    @router.post("/tags/import", summary="Import tags of others", operation_id="curate_import_tags")
    async def import_tags(words: TagsImportWords) -> TagsImported:
        return await asyncio.to_thread(curator.import_tags, words)

    _add_entity_routes(router, curator)
    return router


def _add_entity_routes(router: APIRouter, curator: Curator) -> None:
    async def change(change_rules: Callable[[Entities], Entities]) -> EntitiesVersion:
        return await asyncio.to_thread(curator.change_entities, change_rules)

    @router.post(
        "/entities/add", summary="Add prefixes to an entity", operation_id="curate_add_entity"
    )
    async def add_entity(words: EntityAddWords) -> EntitiesVersion:
        return await change(lambda rules: rules.with_added(words.name, words.prefixes))

    @router.post("/entities/merge", summary="Merge entities", operation_id="curate_merge_entities")
    async def merge_entities(words: EntityMergeWords) -> EntitiesVersion:
        return await change(lambda rules: rules.with_merged(words.name, words.others))

    @router.post(
        "/entities/split", summary="Take an entity away", operation_id="curate_split_entity"
    )
    async def split_entity(words: EntitySplitWords) -> EntitiesVersion:
        return await change(lambda rules: rules.with_split(words.name))

    @router.post(
        "/entities/import", summary="Import entities", operation_id="curate_import_entities"
    )
    async def import_entities(words: EntitiesImportWords) -> EntitiesVersion:
        prefixes = parse_entities_csv(words.csv, "the file")
        return await change(lambda rules: rules.with_imported(prefixes))

    @router.post(
        "/entities/default",
        summary="Say how pages of no entity are grouped",
        operation_id="curate_default_entity",
    )
    async def default_entity(words: EntityDefaultWords) -> EntitiesVersion:
        return await change(lambda rules: replace(rules, default=words.default))

    @router.post(
        "/entities/undo",
        summary="Undo the last change of the entities",
        operation_id="curate_undo_entities",
    )
    async def undo_entities() -> EntitiesVersion:
        return await asyncio.to_thread(curator.undo_entities)


def _group_edits_router(curator: Curator) -> APIRouter:
    """The routes that rename, merge and hide topics and communities."""
    router = _make_router("group-edits", "group-edits")

    @router.post("/add", summary="Rename, merge or hide a group", operation_id="edit_group")
    async def edit_group(words: GroupEditWords) -> GroupEditNumber:
        return await asyncio.to_thread(curator.edit_group, words)

    @router.post(
        "/undo", summary="Undo the last change of the groups", operation_id="undo_group_edit"
    )
    async def undo_group_edit(words: UndoGroupEditWords) -> GroupEditNumber:
        return await asyncio.to_thread(curator.undo_group_edit, words)

    return router


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


async def _stream_job_events(job: Job) -> AsyncIterator[bytes]:
    """Yield the status of a job each time it changes, until it has ended."""
    last_status = b""
    while True:
        finished = job.reply is not None
        status = job.status.model_dump_json().encode()
        if status != last_status:
            last_status = status
            yield b"event: job\ndata: " + status + b"\n\n"
        if finished:
            return
        await job.wait(POLL_SECONDS)
        await asyncio.sleep(0)
