"""Off this machine a collection is for people with the token."""

import asyncio
from typing import Any

import httpx
import pytest

from weft.core.errors import WeftError
from weft.show.api.access import Access, token_for
from weft.show.api.guard import Guard, own_names

TOKEN = "a-token-of-some-length"
OWN = "http://192.0.2.7:8765"


async def welcome(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"welcome"})


def visit(*paths: str, **headers: str | bytes) -> list[httpx.Response]:
    """What a client that keeps cookies gets for one path after the other."""
    app = Guard(Access(welcome, TOKEN), *own_names("0.0.0.0"))
    sent: Any = {name.replace("_", "-"): value for name, value in headers.items()}

    async def get() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
            return [await client.get(path, headers=sent) for path in paths]

    return asyncio.run(get())


@pytest.mark.parametrize(
    "path", ["/", "/assets/app.js", "/api/search?query=x", f"/api/x?token={TOKEN}"]
)
def test_without_the_token_nothing_is_shown(path: str) -> None:
    (found,) = visit(path)
    assert found.status_code == 401
    assert found.headers["www-authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in found.json()["cure"]
    assert "set-cookie" not in found.headers


def test_programs_send_it_as_bearer() -> None:
    assert visit("/api/x", Authorization=f"Bearer {TOKEN}")[0].text == "welcome"
    assert visit("/api/x", Authorization=f"bearer {TOKEN}")[0].text == "welcome"
    for wrong in (f"Basic {TOKEN}", "Bearer", "Bearer ", f"Bearer {TOKEN}x", b"Bearer \xe9"):
        assert visit("/api/x", Authorization=wrong)[0].status_code == 401


def test_browsers_get_a_cookie_and_an_address_without_the_token() -> None:
    entered, shown, asked = visit(f"/topics?query=a%26b&token={TOKEN}", "/", "/api/x")
    assert (entered.status_code, entered.headers["location"]) == (303, "/topics?query=a%26b")
    assert entered.headers["cache-control"] == "no-store"
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert (shown.text, asked.text) == ("welcome", "welcome")


def test_a_wrong_token_gives_no_cookie() -> None:
    entered, shown = visit(f"/?token={TOKEN[:-1]}", "/")
    assert "set-cookie" not in entered.headers
    assert (entered.status_code, shown.status_code) == (401, 401)


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/%5Cevil.example"])
def test_an_address_with_the_token_leads_nowhere_else(path: str) -> None:
    (found,) = visit(f"{OWN}{path}?token={TOKEN}")
    where = httpx.URL(f"{OWN}/").join(found.headers["location"])
    assert where.host == "192.0.2.7"
    assert "\\" not in found.headers["location"]


def test_people_read_a_page_and_links_from_elsewhere_are_loaded_again() -> None:
    """A browser holds a strict cookie back there, and sends it once the page is our own."""
    (typed,) = visit("/", Sec_Fetch_Mode="navigate", Sec_Fetch_Site="none")
    (linked,) = visit("/", Sec_Fetch_Mode="navigate", Sec_Fetch_Site="cross-site")
    assert typed.headers["content-type"].startswith("text/html")
    assert "refresh" not in typed.headers
    assert linked.headers["refresh"] == "0"


def test_a_name_that_somebody_pointed_here_is_refused_first() -> None:
    assert visit(f"/?token={TOKEN}", Host="evil.example")[0].status_code == 400


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.8.8.8"])
def test_on_loopback_there_is_a_token_only_if_given(address: str) -> None:
    assert token_for(address, "") == ""
    assert token_for(address, TOKEN) == TOKEN


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7", "fe80::1"])
def test_elsewhere_there_is_always_a_token(address: str) -> None:
    made = {token_for(address, "") for _ in range(3)}
    assert len(made) == 3
    assert all(token_for(address, token) == token for token in made)


@pytest.mark.parametrize("token", ["short", "spaces are not for addresses", "x" * 201])
def test_tokens_that_can_be_guessed_or_not_be_sent_are_refused(token: str) -> None:
    with pytest.raises(WeftError, match=f"{len(token)} characters") as refused:
        token_for("0.0.0.0", token)
    assert token not in f"{refused.value} {refused.value.hint}"
