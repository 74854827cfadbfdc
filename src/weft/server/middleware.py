"""Security middleware: host and origin checks, size limits, security headers."""

import ipaddress
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

from weft.server.errors import problem_response
from weft.server.schemas.curate import MAX_IMPORT_BYTES

GUARDED_PATHS = ("/api", "/mcp")
MAX_URL_BYTES = 16 << 10
MAX_BODY_BYTES = 192 << 10
IMPORT_PATHS = frozenset({"/api/curate/tags/import", "/api/curate/entities/import"})
HOST_HEADER = re.compile(r"(?:(?P<name>[^\[\]:]+)|\[(?P<address>[0-9a-f:.]+)\])(?::\d{1,5})?")
LOCAL_HOST_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
CONTENT_SECURITY_POLICY = "; ".join(
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
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
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
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class SecurityMiddleware:
    """Refuse requests for other host names (DNS rebinding) or from other origins (CSRF).

    `host_names` are the names of this server. One that listens on all
    interfaces accepts IP addresses too: they cannot be rebound.
    """

    app: ASGIApp
    host_names: frozenset[str]
    allow_addresses: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or pass it on, and set security headers on the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        violation = self.find_violation(scope)
        if violation is None:
            await self.app(scope, receive, send_with_headers)
        else:
            await problem_response(*violation)(scope, receive, send_with_headers)

    def find_violation(self, scope: Scope) -> tuple[int, str, str] | None:
        """Why a request is refused, as status, detail and hint; None if it is not."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own_host(_host_name(hosts[0])):
            return 400, "the host name is not one of this server", "use the address that it printed"
        if scope["path"].startswith(GUARDED_PATHS) and _is_cross_origin(headers, hosts[0]):
            return 403, "requests from other origins are not allowed", "use the workbench"
        if len(scope["query_string"]) + len(scope["path"]) > MAX_URL_BYTES:
            return 414, "the URL is too long", f"at most {MAX_URL_BYTES:,} bytes"
        size = headers.get("content-length", "0")
        max_size = MAX_IMPORT_BYTES if scope["path"] in IMPORT_PATHS else MAX_BODY_BYTES
        if not size.isdecimal() or int(size[:20]) > max_size:
            return 413, "the request body is too long", f"at most {max_size:,} bytes"
        return None

    def _is_own_host(self, name: str) -> bool:
        return name in self.host_names or (self.allow_addresses and _is_ip_address(name))


def _host_name(host: str) -> str:
    """The name in a Host header without the port; empty if it is malformed."""
    match = HOST_HEADER.fullmatch(host.lower())
    return (match["name"] or match["address"]) if match else ""


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_cross_origin(headers: Headers, host: str) -> bool:
    """Whether a browser sent the request from another origin; programs send no Origin."""
    origin = headers.get("origin")
    cross_site = headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
    return cross_site or origin not in {None, f"http://{host}", f"https://{host}"}


def own_host_names(host: str, extra: Iterable[str] = ()) -> tuple[frozenset[str], bool]:
    """The host names of a server, and whether it also accepts IP addresses."""
    all_interfaces = host in {"", "0.0.0.0", "::"}
    names = set() if all_interfaces else {host.lower()}
    return LOCAL_HOST_NAMES | names | set(extra), all_interfaces
