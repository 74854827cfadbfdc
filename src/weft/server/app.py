"""The ASGI application: API routes, job routes, the workbench."""

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
from weft.core.errors import did_you_mean
from weft.server.auth import TokenMiddleware
from weft.server.downloads import MEDIA_TYPES
from weft.server.errors import (
    PROBLEM_MEDIA_TYPE,
    handle_http_error,
    handle_invalid_params,
    handle_unexpected_error,
)
from weft.server.jobs import Job, JobScheduler
from weft.server.middleware import ASGIApp, Receive, Scope, SecurityMiddleware, Send, own_host_names
from weft.server.params import Params
from weft.server.routes import ROUTES, Route
from weft.server.schemas.responses import JobStatus, Problem
from weft.server.static import add_workbench_routes
from weft.server.worker_pool import JSON_MEDIA_TYPE, Reply

DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS = 30.0, 60.0
POLL_SECONDS = 0.2
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is nothing by that name."},
    422: {"model": Problem, "description": "A parameter is not valid."},
    "default": {"model": Problem, "description": "What went wrong, and how to fix it."},
}
ACCEPTED_RESPONSE: dict[int | str, dict[str, Any]] = {
    202: {"model": JobStatus, "description": "The request is still running: see /api/jobs."}
}
PreferHeader = Annotated[
    str,
    Header(
        description="`wait=2`: answer 202 with a job after two seconds",
    ),
]
JobId = Annotated[str, InPath(max_length=64, description="identifier of a job")]


def build_app(scheduler: JobScheduler, host: str = "127.0.0.1", token: str = "") -> ASGIApp:
    """The application for a server on a host; with a token, only for those who have it."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
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
            Exception: handle_unexpected_error,
        },
    )
    for route in ROUTES.values():
        _add_route(app, scheduler, route)
    _add_job_routes(app, scheduler)
    add_workbench_routes(app)
    generate_openapi = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _set_problem_media_types(generate_openapi())
        return generate_openapi()

    app.openapi = openapi  # type: ignore[method-assign]
    cached = CacheMiddleware(app, scheduler)
    return SecurityMiddleware(
        TokenMiddleware(cached, token) if token else cached, *own_host_names(host)
    )


def _add_route(app: FastAPI, scheduler: JobScheduler, route: Route) -> None:
    """Add a route of the table, documented by the JSON schema of its parameters."""
    schema = route.params_class.model_json_schema()
    properties = schema.get("properties", {})
    list_names = {name for name, value in properties.items() if value.get("type") == "array"}

    async def handle_request(request: Request, prefer: PreferHeader = "") -> Response:
        stamp = scheduler.current_commit_stamp()
        job = scheduler.submit(route, parse_params(route, request.query_params, list_names))
        if not await wait_for_reply(request, job, parse_wait_preference(prefer)):
            if await request.is_disconnected():
                await scheduler.drop_client(job)
            return _accepted_response(job)
        scheduler.remember_url(stamp, _request_url(request.scope), job)
        return _job_response(job, request.headers.get("if-none-match", ""))

    app.add_api_route(
        f"/api/{route.path}",
        handle_request,
        methods=["GET"],
        summary=route.summary,
        tags=[route.tag],
        operation_id=re.sub(r"\W", "_", route.path),
        response_model=None,
        responses={
            200: _openapi_success_response(route, schema),
            **ACCEPTED_RESPONSE,
            **ERROR_RESPONSES,
        },
        openapi_extra={"parameters": _openapi_parameters(schema)},
    )


def parse_params(route: Route, query_params: QueryParams, list_names: Container[str]) -> Params:
    """Validate the parameters of a URL; lists are given by repeating a parameter."""
    values = {
        name: query_params.getlist(name) if name in list_names else query_params[name]
        for name in query_params
    }
    try:
        return route.params_class.model_validate(values)
    except ValidationError as error:
        known = list(route.params_class.model_fields)
        invalid = [_describe_invalid_param(dict(each), known) for each in error.errors()]
        raise RequestValidationError(invalid) from error


def _describe_invalid_param(error: dict[str, Any], known_names: list[str]) -> dict[str, Any]:
    """A validation error; that of an unknown parameter lists the known ones."""
    described = {**error, "loc": ("query", *error["loc"])}
    if error["type"] != "extra_forbidden":
        return described
    listing = f"its parameters: {', '.join(known_names)}" if known_names else "it has no parameters"
    hint = did_you_mean(str(error["loc"][0]), known_names) + listing
    return {**described, "msg": "unknown parameter", "hint": hint}


def _openapi_parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The parameters of a route in OpenAPI form."""
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": field["description"],
            "schema": {key: value for key, value in field.items() if key != "description"},
        }
        for name, field in schema.get("properties", {}).items()
    ]


def _openapi_success_response(route: Route, schema: dict[str, Any]) -> dict[str, Any]:
    """The 200 response of a route: a JSON model, files, or both."""
    response: dict[str, Any] = {"description": f"{route.summary}."}
    suffixes = {route.file_suffix}
    if format_schema := schema.get("properties", {}).get("format"):
        for choice in format_schema.get("anyOf", [format_schema]):
            suffixes |= set(_allowed_values(choice))
    file = {"schema": {"type": "string", "format": "binary"}}
    media_types = [MEDIA_TYPES[suffix] for suffix in sorted(suffixes & MEDIA_TYPES.keys())]
    response["content"] = dict.fromkeys(media_types, file)
    return {**response, "model": route.response_class} if route.response_class else response


def _allowed_values(schema: dict[str, Any]) -> list[str]:
    values: list[str] = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return values


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


def _request_url(scope: Scope) -> bytes:
    url: bytes = scope["path"].encode() + b"?" + scope["query_string"]
    return url


class CacheMiddleware:
    """Answer repeated URLs from the cache, without parsing the parameters again."""

    def __init__(self, app: ASGIApp, scheduler: JobScheduler) -> None:
        self.app, self.scheduler = app, scheduler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from the cache, or pass the request on."""
        if scope["type"] == "http" and scope["method"] == "GET":
            job = self.scheduler.find_by_url(_request_url(scope))
            if job is not None:
                etag = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
                await _job_response(job, etag)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _add_job_routes(app: FastAPI, scheduler: JobScheduler) -> None:
    """Add the routes that poll, stream and leave running jobs."""

    def find_job(job_id: str) -> Job:
        if job_id not in scheduler.jobs:
            raise HTTPException(404)
        return scheduler.jobs[job_id]

    async def job_status(job_id: JobId) -> Response:
        return Response(
            find_job(job_id).status.model_dump_json(),
            200,
            {"Cache-Control": "no-store"},
            JSON_MEDIA_TYPE,
        )

    async def job_result(job_id: JobId) -> Response:
        job = find_job(job_id)
        return _job_response(job) if job.reply is not None else _accepted_response(job)

    async def leave_job(job_id: JobId) -> Response:
        await scheduler.drop_client(find_job(job_id))
        return Response(None, 204)

    async def job_events(job_id: JobId) -> Response:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            _stream_job_events(find_job(job_id)), 200, headers, "text/event-stream"
        )

    stream = {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
    file: dict[str, Any] = {
        "content": {media: {} for media in sorted({JSON_MEDIA_TYPE, *MEDIA_TYPES.values()})}
    }
    table: list[tuple[str, str, Callable[..., Awaitable[Response]], str, dict[Any, Any]]] = [
        ("GET", "", job_status, "State and progress of a job", {200: {"model": JobStatus}}),
        ("GET", "/events", job_events, "Progress of a job as server-sent events", {200: stream}),
        (
            "GET",
            "/result",
            job_result,
            "Result of a job",
            {200: file, **ACCEPTED_RESPONSE},
        ),
        ("DELETE", "", leave_job, "Leave a job; the last client who does cancels it", {204: {}}),
    ]
    for verb, path, handler, summary, success in table:
        responses = {code: {"description": f"{summary}.", **one} for code, one in success.items()}
        app.add_api_route(
            f"/api/jobs/{{job_id}}{path}",
            handler,
            methods=[verb],
            summary=summary,
            tags=["jobs"],
            operation_id=f"job_{verb.lower()}{path.replace('/', '_')}",
            response_model=None,
            status_code=204 if verb == "DELETE" else 200,
            responses={**responses, **ERROR_RESPONSES},
        )


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


def _set_problem_media_types(document: dict[str, Any]) -> None:
    """Give error responses the media type of problems in the OpenAPI document."""
    for verbs in document["paths"].values():
        for operation in verbs.values():
            for status, response in operation["responses"].items():
                content = response.get("content", {})
                if (status == "default" or status[0] in "45") and JSON_MEDIA_TYPE in content:
                    content[PROBLEM_MEDIA_TYPE] = content.pop(JSON_MEDIA_TYPE)
