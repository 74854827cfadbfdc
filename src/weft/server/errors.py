"""Errors as problem responses (RFC 9457): one sentence and a hint."""

from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from weft.core.errors import CollectionBusy, WeftError
from weft.server.schemas.responses import BUG_HINT, BUG_MESSAGE, PROBLEM_MEDIA_TYPE, Problem

HINT_BY_STATUS = {
    404: "see /api/openapi.json for all routes",
    405: "see /api/openapi.json for the allowed methods",
}


def problem_response(http_status: int, detail: str, hint: str = "", **headers: str) -> Response:
    """A response with a problem as its body."""
    body = Problem.from_status(http_status, detail, hint).model_dump_json()
    return Response(body, http_status, headers, PROBLEM_MEDIA_TYPE)


async def handle_invalid_params(_request: Request, error: Exception) -> Response:
    """Name the first invalid parameter and what is wrong with it."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    parameter = ".".join(str(part) for part in first["loc"][1:]) or "request"
    hint = first.get("hint", "see /api/openapi.json for the allowed values")
    return problem_response(422, f"{parameter}: {first['msg']}", hint)


async def handle_http_error(request: Request, error: Exception) -> Response:
    """Answer an unknown path or a method that is not allowed."""
    assert isinstance(error, HTTPException)
    headers: dict[str, Any] = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = _allowed_verbs(request) or headers["Allow"]
    hint = HINT_BY_STATUS.get(error.status_code, "")
    detail = str(error.detail) if error.status_code != 404 else "there is nothing at this address"
    return problem_response(error.status_code, detail, hint, **headers)


def _allowed_verbs(request: Request) -> str:
    """All verbs of a path: reading and writing are routes of their own, and each knows its own."""
    path = getattr(request.scope.get("route"), "path", request.url.path)
    return ", ".join(verb.upper() for verb in request.app.openapi()["paths"].get(path, ()))


async def handle_weft_error(_request: Request, error: Exception) -> Response:
    """Answer a request that cannot be met, now or at all."""
    assert isinstance(error, WeftError)
    return problem_response(
        409 if isinstance(error, CollectionBusy) else 422, str(error), error.hint
    )


async def handle_unexpected_error(_request: Request, _error: Exception) -> Response:
    """Answer a bug; its traceback is in the log."""
    return problem_response(500, BUG_MESSAGE, BUG_HINT)
