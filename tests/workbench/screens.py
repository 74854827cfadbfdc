"""Open screens of the workbench, and record errors and requests to other hosts."""

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

OpenScreen = Callable[..., Page]
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
SCROLL_WIDTH = "document.documentElement.scrollWidth"
TIMEOUT_MS = 60_000
expect.set_options(timeout=TIMEOUT_MS / 2)


class Screens:
    """Open screens of a server; errors and requests to other hosts fail the test."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []
        self.tab: Page | None = None

    def __call__(
        self, path: str = "", width: int = 1280, scheme: str = "light", *, fails: bool = False
    ) -> Page:
        """Open a screen; with `fails`, problem responses are no error."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("console", self.record_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self.record_request)
        if not fails:
            page.on("response", self.record_response)
        return self.load(page, path)

    def show(self, path: str = "", width: int = 1280, scheme: str = "light") -> Page:
        """Open a screen in the same tab as the one before, for tests that only look at it."""
        if self.tab is None:
            self.tab = self(path, width, scheme)
            return self.tab
        self.tab.set_viewport_size({"width": width, "height": 900})
        self.tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        return self.load(self.tab, path)

    def load(self, page: Page, path: str) -> Page:
        """Load a screen from the server."""
        page.goto(self.address + path)
        page.wait_for_selector("main h1")
        return page

    def record_console(self, message: ConsoleMessage) -> None:
        """Record an error on the console; failed responses are recorded one by one."""
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    def record_request(self, request: Request) -> None:
        """Record a request to another host."""
        if not request.url.startswith((self.address, "blob:", "data:")):
            self.errors.append(f"request to {request.url}")

    def record_response(self, response: Response) -> None:
        """Record an error response."""
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def check(self) -> None:
        """Fail if an error was recorded since the last check."""
        errors, self.errors = self.errors, []
        assert not errors, errors

    def close(self) -> None:
        """Close all screens, and fail if an error was recorded."""
        for context in self.contexts:
            context.close()
        self.check()


def wait_until_loaded(page: Page) -> None:
    """Wait until no part of the screen is loading."""
    busy = page.locator(".placeholder, .progress, [aria-busy=true]")
    expect(busy).to_have_count(0, timeout=TIMEOUT_MS)


def first_number(text: str) -> int:
    """The first number in a text."""
    match = re.search(r"\d[\d,]*", text)
    assert match
    return int(match[0].replace(",", ""))
