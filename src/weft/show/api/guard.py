"""What stands before every request: whose it may be, how long, and what browsers may do with it."""

import ipaddress
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

from weft.show.api.problems import refusal

LONGEST_ADDRESS = 16 << 10
LONGEST_BODY = 64 << 10
HOST = re.compile(r"(?:(?P<name>[^\[\]:]+)|\[(?P<address>[0-9a-f:.]+)\])(?::\d{1,5})?")
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Guard:
    """Let through only requests to one of the server's own names, from its own page.

    A page elsewhere that points its name at this machine is refused by the
    name, one that sends requests across by where they come from. `names` are
    those that the server goes by; where it listens to the network, it goes by
    its addresses too, which nobody can point elsewhere.
    """

    app: App
    names: frozenset[str]
    addresses: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on, and set headers on the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self.refused(scope)
        if refused is None:
            await self.app(scope, receive, guarded)
        else:
            status, detail, cure = refused
            await refusal(status, detail, cure)(scope, receive, guarded)

    def refused(self, scope: Scope) -> tuple[int, str, str] | None:
        """Why a request is refused: status, sentence and cure."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(_name(hosts[0])):
            return 400, "this server does not go by that name", "use the address that it printed"
        if scope["path"].startswith("/api") and _is_foreign(headers, hosts[0]):
            return 403, "pages from elsewhere may not ask this server", "use its own page"
        if len(scope["query_string"]) + len(scope["path"]) > LONGEST_ADDRESS:
            return 414, "the address is too long", f"at most {LONGEST_ADDRESS:,} bytes"
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size[:20]) > LONGEST_BODY:
            return 413, "the request is too long", "send no body: parameters are in the address"
        return None

    def _is_own(self, name: str) -> bool:
        return name in self.names or (self.addresses and _is_address(name))


def _name(host: str) -> str:
    """The name in a Host header, without the port; nothing where it is malformed."""
    found = HOST.fullmatch(host.lower())
    return (found["name"] or found["address"]) if found else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_foreign(headers: Headers, host: str) -> bool:
    """Whether a request comes from another page than our own; commands send no Origin."""
    origin = headers.get("origin")
    across = headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
    return across or origin not in {None, f"http://{host}", f"https://{host}"}


def own_names(host: str, more: Iterable[str] = ()) -> tuple[frozenset[str], bool]:
    """The names that a server on a host goes by, and whether it goes by addresses too."""
    listens = host in {"", "0.0.0.0", "::"}
    named = set() if listens else {host.lower()}
    return LOCAL | named | set(more), listens
