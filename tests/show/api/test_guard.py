"""Who may ask, from where, and how much at once."""

import asyncio
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.show.api.guard import HEADERS, POLICY, Guard, own_names

OWN = "127.0.0.1:8765"


async def welcome(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"welcome"})


def visit(path: str = "/api/x", host: str = "127.0.0.1", **headers: str) -> httpx.Response:
    guard = Guard(welcome, *own_names(host))

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(app=guard)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{OWN}") as client:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.get(path, headers=sent)

    return asyncio.run(get())


@pytest.mark.parametrize("name", [OWN, "localhost", "LOCALHOST:80", "[::1]:8765", "127.0.0.1"])
def test_the_server_answers_to_its_own_names(name: str) -> None:
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
def test_a_name_that_somebody_pointed_here_is_refused(name: str) -> None:
    """A page elsewhere can let its own name lead to this machine: DNS rebinding."""
    found = visit(Host=name)
    assert found.status_code == 400
    assert found.json()["cure"]


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40))
def test_no_other_name_gets_in(name: str) -> None:
    own = {"localhost", "127.0.0.1", "[::1]", "::1"}
    known = name.lower().rpartition(":")[0] in own or name.lower() in own
    answered = visit(Host=name).status_code == 200
    assert known or not answered or name.lower().split(":")[0] in own


def test_on_the_network_addresses_are_names_too() -> None:
    assert visit(host="0.0.0.0", Host="192.168.1.5:8765").status_code == 200
    assert visit(host="0.0.0.0", Host="evil.example").status_code == 400
    assert visit(host="box.local", Host="box.local:8765").status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9", "file://"])
def test_a_foreign_page_is_refused(origin: str) -> None:
    assert visit(Origin=origin).status_code == 403


def test_our_own_page_and_commands_are_let_in() -> None:
    assert visit(Origin=f"http://{OWN}", Sec_Fetch_Site="same-origin").status_code == 200
    assert visit().status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_work_cannot_be_started_across_sites(site: str) -> None:
    """A picture or a script on a page elsewhere sends no Origin, but says where it is."""
    assert visit(Sec_Fetch_Site=site).status_code == 403
    assert visit("/", Sec_Fetch_Site=site).status_code == 200, "a link to the page is fine"


def test_long_addresses_and_bodies_are_refused() -> None:
    assert visit("/api/x?" + "a" * 20_000).status_code == 414
    assert visit(Content_Length=str(1 << 20)).status_code == 413
    assert visit(Content_Length="-1").status_code == 413
    assert visit(Content_Length="9" * 4000).status_code == 413


def test_every_answer_carries_the_headers() -> None:
    for found in (visit(), visit(Host="evil.example")):
        for name, value in HEADERS.items():
            assert found.headers[name] == value
        assert "access-control-allow-origin" not in found.headers


def test_the_policy_lets_nothing_inline_run() -> None:
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")
    assert "http" not in POLICY
