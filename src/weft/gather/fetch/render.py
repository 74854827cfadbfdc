"""Render pages that are empty without scripts, in a browser that connects to nothing itself.

Each request of a page is answered by the crawl: it passes address guard, robots rules, byte limits
and deadline like any other. What would bypass that (WebSockets, WebRTC, service workers, popups,
downloads, forms) is refused, and the browser has a proxy that does not exist, should anything be
forgotten. A page has a limit in time, requests, bytes and memory, and its browser is ended at it.
"""

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.core.errors import BadParameter
from weft.gather.fetch.address_guard import AddressRefused
from weft.gather.fetch.downloader import FailedFetch
from weft.gather.fetch.warc_writer import TRANSFER_HEADERS, Exchange
from weft.gather.http import dechunk_and_decompress
from weft.gather.page import Page, RawPage

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Request, Route

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MIN_TEXT_CHARS = 100
RENDER_SECONDS, SETTLE_SECONDS, CHECK_SECONDS, CLOSE_SECONDS = 30.0, 0.5, 0.1, 5.0
MAX_REQUESTS, MAX_REDIRECTS, MAX_CACHED_BYTES = 50, 5, 32 << 20
MAX_MEMORY_BYTES = 1 << 30
# Pictures, fonts and styles change nothing about text and links.
FETCHED_KINDS = frozenset(("script", "xhr", "fetch"))
# Cookies are not kept, and what the browser is given is decompressed.
DROPPED_HEADERS = frozenset(
    (*TRANSFER_HEADERS, "set-cookie", "content-encoding", "refresh", "link")
)
NO_PROXY_THERE = {"server": "http://127.0.0.1:1", "bypass": "<-loopback>"}
FLAGS = (
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--js-flags=--max-old-space-size=512",
)
READ_DOM = "'<!DOCTYPE html>' + document.documentElement.outerHTML.slice(0, {})"

Fetch = Callable[[str], Awaitable[Exchange]]


class RenderFailed(Exception):
    """A browser could not render a page, for a reason such as `took too long`."""


def needs_browser(raw: RawPage, page: Page) -> bool:
    """Whether a page has scripts but hardly any text and no links."""
    is_bare = len(page.text) < MIN_TEXT_CHARS and not page.links
    return is_bare and b"<script" in raw.body.lower()


def find_browser() -> str:
    """The path of an installed Chromium."""
    if find_spec("playwright") is None:
        hint = "pip install 'weft[crawl,render]'; it uses the browser that is installed"
        raise BadParameter("rendering pages needs Playwright", hint=hint)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        hint = f"install Chromium, so that one of these is found: {', '.join(BROWSERS)}"
        raise BadParameter("rendering pages needs a browser", hint=hint)
    return found


class Renderer:
    """A browser, started with the first page, which renders one page at a time."""

    def __init__(self, max_bytes: int, seconds: float = RENDER_SECONDS) -> None:
        self.max_bytes, self.seconds = max_bytes, seconds
        self.version = ""
        self._lock = asyncio.Lock()
        self._cache: dict[str, Exchange] = {}  # scripts, which the pages of a site share
        self._driver: Any = None
        self._browser: Browser | None = None

    async def render(self, exchange: Exchange, html: bytes, fetch: Fetch) -> str:
        """The HTML of a page after its scripts have run; `fetch` gets what they ask for."""
        from playwright.async_api import Error  # noqa: PLC0415  an optional extra

        async with self._lock:
            try:
                browser = await self._start()
                visit = PageVisit(self, browser, exchange, html, fetch)
                async with asyncio.timeout(self.seconds + CLOSE_SECONDS):
                    return await visit.run(self.seconds)
            except TimeoutError:
                await self.close()
                raise RenderFailed("rendering took too long") from None
            except (Error, OSError) as error:
                await self.close()
                raise RenderFailed("rendering failed") from error
            except RenderFailed:
                await self.close()
                raise

    async def fetch_cached(self, url: str, fetch: Fetch) -> Exchange:
        """Fetch a script, or take it from the last pages; redirects are followed here."""
        if url not in self._cache:
            exchange = await fetch(url)
            if sum(len(each.body) for each in self._cache.values()) > MAX_CACHED_BYTES:
                self._cache.clear()
            self._cache[url] = exchange
        return self._cache[url]

    async def _start(self) -> "Browser":
        from playwright.async_api import async_playwright  # noqa: PLC0415

        if self._browser is None or not self._browser.is_connected():
            await self.close()
            self._driver = await async_playwright().start()
            self._browser = await self._driver.chromium.launch(
                executable_path=find_browser(),
                args=list(FLAGS),
                chromium_sandbox=os.geteuid() != 0,  # which Chromium refuses to root
                proxy=NO_PROXY_THERE,
                handle_sigint=False,
                handle_sigterm=False,
                env={"HOME": os.devnull, "PATH": os.environ.get("PATH", "")},
            )
            self.version = self._browser.version
        return self._browser

    async def close(self) -> None:
        """End the browser, also one that does not answer."""
        browser, driver, self._browser, self._driver = self._browser, self._driver, None, None
        with suppress(Exception):  # a browser that was killed; it is gone either way
            if browser is not None:
                await asyncio.wait_for(browser.close(), CLOSE_SECONDS)
        with suppress(Exception):
            if driver is not None:
                await asyncio.wait_for(driver.stop(), CLOSE_SECONDS)


class PageVisit:
    """One page in the browser: answers its requests, waits until it is quiet, reads it."""

    def __init__(
        self, renderer: Renderer, browser: "Browser", exchange: Exchange, html: bytes, fetch: Fetch
    ) -> None:
        self._renderer, self._browser = renderer, browser
        self._exchange, self._html, self._fetch = exchange, html, fetch
        self._is_begun = self._is_loaded = False
        self._pending = self._requests = self._size = 0
        self._quiet_since = time.monotonic()

    async def run(self, seconds: float) -> str:
        """Load the page, wait until its scripts ask for nothing more, and read it."""
        context = await self._browser.new_context(
            accept_downloads=False, service_workers="block", java_script_enabled=True
        )
        try:
            return await self._visit(context, time.monotonic() + seconds)
        finally:
            with suppress(TimeoutError):
                await asyncio.wait_for(context.close(), CLOSE_SECONDS)

    async def _visit(self, context: "BrowserContext", deadline: float) -> str:
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        page = await context.new_page()
        context.on("page", lambda popup: asyncio.ensure_future(popup.close()))
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        page.on("domcontentloaded", self._set_loaded)
        await page.goto(
            self._exchange.url, wait_until="commit", timeout=1000 * self._renderer.seconds
        )
        session = await context.new_cdp_session(page)
        while time.monotonic() < deadline and not self._is_quiet:
            await self._check_memory()
            await asyncio.sleep(CHECK_SECONDS)
        # In a world of its own, where scripts of the page have replaced nothing.
        tree = await session.send("Page.getFrameTree")
        frame = {"frameId": tree["frameTree"]["frame"]["id"]}
        world = await session.send("Page.createIsolatedWorld", frame)
        found = await session.send(
            "Runtime.evaluate",
            {
                "expression": READ_DOM.format(self._renderer.max_bytes),
                "contextId": world["executionContextId"],
                "returnByValue": True,
                "timeout": 1000 * CLOSE_SECONDS,
            },
        )
        html = found["result"].get("value")
        if not isinstance(html, str):
            raise RenderFailed("rendering failed")
        return html

    def _set_loaded(self, _page: object) -> None:
        self._is_loaded = True
        self._quiet_since = time.monotonic()

    @property
    def _is_quiet(self) -> bool:
        is_idle = self._is_loaded and not self._pending
        return is_idle and time.monotonic() - self._quiet_since >= SETTLE_SECONDS

    async def _check_memory(self) -> None:
        session = await self._browser.new_browser_cdp_session()
        found = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
        if (
            sum(map(_private_bytes, (each["id"] for each in found["processInfo"])))
            > MAX_MEMORY_BYTES
        ):
            raise RenderFailed("rendering took too much memory")

    async def _answer(self, route: "Route") -> None:
        """Answer a request of the page, or refuse it."""
        from playwright.async_api import Error  # noqa: PLC0415

        self._pending += 1
        try:
            if not await self._fulfil(route):
                await route.abort("aborted")  # any other code would show an error page instead
        except Error:
            pass  # the page is closed
        finally:
            self._pending -= 1
            self._quiet_since = time.monotonic()

    async def _fulfil(self, route: "Route") -> bool:
        request = route.request
        if request.is_navigation_request():
            # Only the page itself: no frames, popups, or navigation by scripts.
            if self._is_begun:
                return False
            self._is_begun = True
            await _give(route, self._exchange, self._html)
            return True
        return await self._fulfil_script(route, request)

    async def _fulfil_script(self, route: "Route", request: "Request") -> bool:
        self._requests += 1
        is_allowed = request.method == "GET" and request.resource_type in FETCHED_KINDS
        if not is_allowed or self._requests > MAX_REQUESTS or self._size > self._renderer.max_bytes:
            return False
        try:
            exchange = await self._renderer.fetch_cached(request.url, self._fetch)
        except (AddressRefused, FailedFetch):
            return False
        limit = self._renderer.max_bytes
        encodings = exchange.header("content-encoding")
        body, _, _ = dechunk_and_decompress(exchange.body, "", encodings, limit)
        self._size += len(body)
        await _give(route, exchange, body)
        return True


async def _give(route: "Route", exchange: Exchange, body: bytes) -> None:
    headers = {k: v for k, v in exchange.headers if k.lower() not in DROPPED_HEADERS}
    await route.fulfill(status=exchange.status, headers=headers, body=body)


def _private_bytes(process: int) -> int:
    """The memory of a process that it shares with no other; zero where that is not known."""
    try:
        _, resident, shared, *_ = map(int, Path(f"/proc/{process}/statm").read_text().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
