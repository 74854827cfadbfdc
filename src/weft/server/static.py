"""The files of the workbench, or a page that says how to build it."""

import mimetypes
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse

NOT_BUILT_MESSAGE = (
    "the workbench is not built: with node 20 or later `make page` in a checkout builds it,"
    " and `pip install '.[serve]'` there installs it"
)
NOT_BUILT_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft</title>
<h1>Weft</h1>
<p>{NOT_BUILT_MESSAGE}.
<p>The API is there: see <a href="/api/collection">/api/collection</a>
and <a href="/api/openapi.json">/api/openapi.json</a>.
</html>
"""
IMMUTABLE_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}
REVALIDATE_HEADERS = {"Cache-Control": "no-cache"}


def workbench_files() -> dict[str, Path]:
    """The built files by URL path; no other file is ever opened."""
    folder = Path(str(files("weft.server") / "workbench"))
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}


def add_workbench_routes(app: FastAPI) -> None:
    """Serve the built files; any other path outside the API gets index.html, which routes it."""

    async def serve_file(path: str = "") -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404)
        built = workbench_files()
        file = built.get(path) or built.get("index.html")
        if file is None:
            return Response(NOT_BUILT_PAGE, 200, REVALIDATE_HEADERS, "text/html; charset=utf-8")
        media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        # Names of assets contain a hash of their content, so they never change.
        immutable = path.startswith("assets/") and path in built
        headers = IMMUTABLE_HEADERS if immutable else REVALIDATE_HEADERS
        return FileResponse(file, headers=headers, media_type=media_type)

    app.add_api_route(
        "/{path:path}",
        serve_file,
        methods=["GET", "HEAD"],
        include_in_schema=False,
        response_model=None,
    )
