"""Screens of a server, watched while tests look at them."""

import re
from collections.abc import Callable

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
)

Look = Callable[..., Page]
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
BREADTH = "document.documentElement.scrollWidth"
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE / 2)


class Watch:
    """Opens screens of a server, and notes what fails and what asks elsewhere."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []

    def __call__(
        self, path: str = "", width: int = 1280, scheme: str = "light", *, fails: bool = False
    ) -> Page:
        """A screen; `fails` says that the server will refuse something."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self.asked)
        if not fails:
            page.on("response", self.answered)
        page.goto(self.address + path)
        page.wait_for_selector("main h1")
        return page

    def hear(self, told: ConsoleMessage) -> None:
        """Note an error on the console; answers are looked at one by one."""
        if told.type == "error" and not told.text.startswith("Failed to load resource"):
            self.errors.append(told.text)

    def asked(self, request: Request) -> None:
        """Note a request that leaves the host."""
        if not request.url.startswith((self.address, "blob:", "data:")):
            self.errors.append(f"asked {request.url}")

    def answered(self, response: Response) -> None:
        """Note a refusal."""
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def end(self) -> None:
        """Close all screens; nothing may have gone wrong."""
        for context in self.contexts:
            context.close()
        assert not self.errors, self.errors


def settle(page: Page) -> None:
    """Wait until nothing on the screen waits."""
    busy = page.locator(".waiting, .working, [aria-busy=true]")
    expect(busy).to_have_count(0, timeout=PATIENCE)


def number(words: str) -> int:
    """The first number in words."""
    found = re.search(r"\d[\d,]*", words)
    assert found
    return int(found[0].replace(",", ""))
