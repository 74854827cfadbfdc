"""Off loopback, the server requires a token."""

import asyncio
from typing import Any

import httpx
import pytest

from weft.core.errors import WeftError
from weft.server.auth import TokenMiddleware, choose_token
from weft.server.middleware import SecurityMiddleware, own_host_names

TOKEN = "a-token-of-some-length"
OWN = "http://192.0.2.7:8765"


async def welcome(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"welcome"})


def visit(*paths: str, **headers: str | bytes) -> list[httpx.Response]:
    """The responses to a client that keeps cookies, for one path after the other."""
    app = SecurityMiddleware(TokenMiddleware(welcome, TOKEN), *own_host_names("0.0.0.0"))
    sent: Any = {name.replace("_", "-"): value for name, value in headers.items()}

    async def get() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
            return [await client.get(path, headers=sent) for path in paths]

    return asyncio.run(get())


@pytest.mark.parametrize(
    "path", ["/", "/assets/app.js", "/api/search?query=x", f"/api/x?token={TOKEN}"]
)
def test_without_the_token_everything_is_refused(path: str) -> None:
    (found,) = visit(path)
    assert found.status_code == 401
    assert found.headers["www-authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in found.json()["hint"]
    assert "set-cookie" not in found.headers


def test_a_bearer_token_is_accepted() -> None:
    assert visit("/api/x", Authorization=f"Bearer {TOKEN}")[0].text == "welcome"
    assert visit("/api/x", Authorization=f"bearer {TOKEN}")[0].text == "welcome"
    for invalid in (f"Basic {TOKEN}", "Bearer", "Bearer ", f"Bearer {TOKEN}x", b"Bearer \xe9"):
        assert visit("/api/x", Authorization=invalid)[0].status_code == 401


def test_a_url_with_the_token_sets_a_cookie_and_redirects() -> None:
    redirect, page, response = visit(f"/topics?query=a%26b&token={TOKEN}", "/", "/api/x")
    assert (redirect.status_code, redirect.headers["location"]) == (303, "/topics?query=a%26b")
    assert redirect.headers["cache-control"] == "no-store"
    cookie = redirect.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert (page.text, response.text) == ("welcome", "welcome")


def test_a_wrong_token_gives_no_cookie() -> None:
    refused, page = visit(f"/?token={TOKEN[:-1]}", "/")
    assert "set-cookie" not in refused.headers
    assert (refused.status_code, page.status_code) == (401, 401)


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/%5Cevil.example"])
def test_a_redirect_stays_on_this_host(path: str) -> None:
    (found,) = visit(f"{OWN}{path}?token={TOKEN}")
    target = httpx.URL(f"{OWN}/").join(found.headers["location"])
    assert target.host == "192.0.2.7"
    assert "\\" not in found.headers["location"]


def test_browsers_get_a_page_and_reload_after_links_from_other_sites() -> None:
    """Browsers do not send a strict cookie after such a link, but do on a reload."""
    (typed,) = visit("/", Sec_Fetch_Mode="navigate", Sec_Fetch_Site="none")
    (linked,) = visit("/", Sec_Fetch_Mode="navigate", Sec_Fetch_Site="cross-site")
    assert typed.headers["content-type"].startswith("text/html")
    assert "refresh" not in typed.headers
    assert linked.headers["refresh"] == "0"


def test_another_host_name_is_refused_first() -> None:
    assert visit(f"/?token={TOKEN}", Host="evil.example")[0].status_code == 400


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.8.8.8"])
def test_on_loopback_a_token_is_optional(address: str) -> None:
    assert choose_token(address, "") == ""
    assert choose_token(address, TOKEN) == TOKEN


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7", "fe80::1"])
def test_off_loopback_a_token_is_required(address: str) -> None:
    tokens = {choose_token(address, "") for _ in range(3)}
    assert len(tokens) == 3
    assert all(choose_token(address, token) == token for token in tokens)


@pytest.mark.parametrize("token", ["short", "spaces are not for addresses", "x" * 201])
def test_invalid_tokens_are_refused(token: str) -> None:
    with pytest.raises(WeftError, match=f"{len(token)} characters") as refused:
        choose_token("0.0.0.0", token)
    assert token not in f"{refused.value} {refused.value.hint}"
