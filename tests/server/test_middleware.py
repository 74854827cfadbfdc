"""Host names, origins, size limits and security headers."""

import asyncio
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.server.middleware import (
    CONTENT_SECURITY_POLICY,
    SECURITY_HEADERS,
    SecurityMiddleware,
    own_host_names,
)

OWN = "127.0.0.1:8765"


async def app(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"welcome"})


def visit(path: str = "/api/x", host: str = "127.0.0.1", **headers: str) -> httpx.Response:
    guarded = SecurityMiddleware(app, *own_host_names(host))

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(app=guarded)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{OWN}") as client:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.get(path, headers=sent)

    return asyncio.run(get())


@pytest.mark.parametrize("name", [OWN, "localhost", "LOCALHOST:80", "[::1]:8765", "127.0.0.1"])
def test_own_host_names_are_accepted(name: str) -> None:
    assert visit(Host=name).text == "welcome"


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1.evil.example",
        "127.0.0.2",
        "",
        "localhost.",
        "[::1",
    ],
)
def test_other_host_names_are_refused(name: str) -> None:
    """DNS rebinding: a site elsewhere can point its own name to this machine."""
    found = visit(Host=name)
    assert found.status_code == 400
    assert found.json()["hint"]


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40))
def test_no_other_host_name_is_accepted(name: str) -> None:
    own = {"localhost", "127.0.0.1", "[::1]", "::1"}
    known = name.lower().rpartition(":")[0] in own or name.lower() in own
    answered = visit(Host=name).status_code == 200
    assert known or not answered or name.lower().split(":")[0] in own


def test_on_all_interfaces_addresses_are_accepted() -> None:
    assert visit(host="0.0.0.0", Host="192.168.1.5:8765").status_code == 200
    assert visit(host="0.0.0.0", Host="evil.example").status_code == 400
    assert visit(host="box.local", Host="box.local:8765").status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9", "file://"])
def test_other_origins_are_refused(origin: str) -> None:
    assert visit(Origin=origin).status_code == 403


def test_the_own_origin_and_programs_are_accepted() -> None:
    assert visit(Origin=f"http://{OWN}", Sec_Fetch_Site="same-origin").status_code == 200
    assert visit().status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_from_other_sites_are_refused(site: str) -> None:
    """An image or script on another site sends no Origin, but Sec-Fetch-Site."""
    assert visit(Sec_Fetch_Site=site).status_code == 403
    assert visit("/", Sec_Fetch_Site=site).status_code == 200, "a link to the workbench is fine"


def test_long_urls_and_bodies_are_refused() -> None:
    assert visit("/api/x?" + "a" * 20_000).status_code == 414
    assert visit(Content_Length=str(1 << 20)).status_code == 413
    assert visit(Content_Length="-1").status_code == 413
    assert visit(Content_Length="9" * 4000).status_code == 413


def test_every_response_has_the_headers() -> None:
    for found in (visit(), visit(Host="evil.example")):
        for name, value in SECURITY_HEADERS.items():
            assert found.headers[name] == value
        assert "access-control-allow-origin" not in found.headers


def test_the_policy_allows_nothing_inline() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'")
    assert "http" not in CONTENT_SECURITY_POLICY
