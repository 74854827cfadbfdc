"""The built workbench: its files by path, and index.html for every other path."""

import asyncio
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from weft.server import static


def visit(path: str) -> httpx.Response:
    app = FastAPI()
    static.add_workbench_routes(app)

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path)

    return asyncio.run(get())


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workbench = tmp_path / "workbench"
    (workbench / "assets").mkdir(parents=True)
    (workbench / "index.html").write_text("<title>built</title>")
    (workbench / "assets" / "app-1a2b.js").write_text("let x = 1")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(static, "files", lambda _package: tmp_path)
    return workbench


@pytest.mark.usefixtures("build")
def test_files_are_served_and_other_paths_get_index_html() -> None:
    script = visit("/assets/app-1a2b.js")
    assert (script.text, script.headers["content-type"]) == (
        "let x = 1",
        "text/javascript; charset=utf-8",
    )
    assert "immutable" in script.headers["cache-control"]
    for path in ("/", "/topics?query=jaguar", "/page/deep"):
        found = visit(path)
        assert "built" in found.text
        assert found.headers["cache-control"] == "no-cache"


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"]
)
def test_nothing_outside_the_build_is_opened(path: str) -> None:
    assert "secret" not in visit(path).text


def test_without_a_build_it_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static, "files", lambda _package: tmp_path)
    assert "make page" in visit("/").text
