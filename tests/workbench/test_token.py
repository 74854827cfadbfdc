"""The workbench on a server with a token, in a browser."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from weft.workspace.workspace import Workspace

TOKEN = "a-token-of-some-length"


@pytest.fixture
def address(
    built: Path,  # noqa: ARG001
    demo: Workspace,
    serve_at: Callable[..., AbstractContextManager[str]],
) -> Iterator[str]:
    with serve_at(demo.folder, "--token", TOKEN) as found:
        yield found


@pytest.mark.slow
def test_a_link_on_another_site_opens_the_workbench(browser: Browser, address: str) -> None:
    """The cookie is strict: browsers send it only from the workbench itself."""
    with browser.new_context() as context:
        page = context.new_page()
        plain = address.partition("?")[0]
        page.goto(plain)
        assert "needs a token" in page.inner_text("body")
        for link in (address, f"{plain}search?query=jaguar"):
            page.goto("about:blank")
            page.set_content(f"<a href='{link}'>go</a>")
            with page.expect_response(lambda response: "/api/" in response.url) as response:
                page.click("a")
            assert response.value.status == 200
            page.wait_for_selector("form[role=search] input")
            assert "token" not in page.url
