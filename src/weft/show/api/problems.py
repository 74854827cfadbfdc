"""Errors as readers of an API get them: one sentence and a cure (RFC 9457)."""

from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from weft.show.api.shapes import Problem

MEDIA = "application/problem+json"
CURES = {
    404: "see /api/openapi.json for what there is",
    405: "see /api/openapi.json for what is allowed",
}


def refusal(status: int, detail: str, cure: str = "", **headers: str) -> Response:
    """A response that says what went wrong."""
    body = Problem.of(status, detail, cure).model_dump_json()
    return Response(body, status, headers, MEDIA)


async def on_invalid(_request: Request, error: Exception) -> Response:
    """A parameter that is not what it may be."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "request"
    cure = first.get("cure", "see /api/openapi.json for what it may be")
    return refusal(422, f"{where}: {first['msg']}", cure)


async def on_http(_request: Request, error: Exception) -> Response:
    """A path or a verb that is not there."""
    assert isinstance(error, HTTPException)
    headers: dict[str, Any] = dict(error.headers or {})
    cure = CURES.get(error.status_code, "")
    detail = str(error.detail) if error.status_code != 404 else "there is nothing at this address"
    return refusal(error.status_code, detail, cure, **headers)


async def on_bug(_request: Request, _error: Exception) -> Response:
    """An error of ours; the log has its trace."""
    cure = "the server's terminal says more; please report it"
    return refusal(500, "something went wrong that should not", cure)
