"""The workbench: the files of its build, or a sentence on how to build it."""

import mimetypes
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse

NOT_BUILT = (
    "the workbench is not built: with node 20 or later `make page` in a checkout builds it,"
    " and `pip install '.[serve]'` there installs it"
)
NOTICE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft</title>
<h1>Weft</h1>
<p>{NOT_BUILT}.
<p>The API is there: see <a href="/api/collection">/api/collection</a>
and <a href="/api/openapi.json">/api/openapi.json</a>.
</html>
"""
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
CHECKED = {"Cache-Control": "no-cache"}


def built() -> dict[str, Path]:
    """The files of the build by their address; what is not among them is never opened."""
    folder = Path(str(files("weft.show") / "page"))
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in found}


def add(app: FastAPI) -> None:
    """Serve the build; any other address outside the API is a state of the page."""

    async def page(path: str = "") -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404)
        known = built()
        file = known.get(path) or known.get("index.html")
        if file is None:
            return Response(NOTICE, 200, CHECKED, "text/html; charset=utf-8")
        media = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        headers = FOR_EVER if path.startswith("assets/") and path in known else CHECKED
        return FileResponse(file, headers=headers, media_type=media)

    app.add_api_route(
        "/{path:path}", page, methods=["GET", "HEAD"], include_in_schema=False, response_model=None
    )
