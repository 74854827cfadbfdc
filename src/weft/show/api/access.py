"""Who may read a collection that other machines can reach: people with the token."""

import ipaddress
import re
import secrets
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from starlette.responses import RedirectResponse

from weft.core.errors import WeftError
from weft.show.api.guard import App, Receive, Scope, Send
from weft.show.api.problems import refusal

TOKEN = re.compile(r"[A-Za-z0-9._~-]{16,200}")
CURE = "open the address that `weft serve` printed, or send `Authorization: Bearer TOKEN`"
NOTICE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Weft</title>
<h1>Weft</h1>
<p>This server needs a token: {CURE}.
</html>
"""


def token_for(address: str, given: str) -> str:
    """The token for a server at an address: the given one, or a random one off loopback."""
    if given and not TOKEN.fullmatch(given):
        cure = "use 16 to 200 letters, digits and - . _ ~, or give none: then one is made"
        raise WeftError(f"this token of {len(given)} characters cannot be used", hint=cure)
    if given or ipaddress.ip_address(address).is_loopback:
        return given
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Access:
    """Pass on requests with the token: as `Authorization: Bearer`, or in a cookie.

    An address with `?token=` sets the cookie, and leads to itself without the
    token. The cookie has the port in its name, because browsers keep those of
    all ports of a machine together.
    """

    app: App
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, give the cookie, or answer 401."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        cookie = f"weft_{(scope.get('server') or ('', ''))[1]}"
        asked = "" if scope["path"].startswith("/api") else request.query_params.get("token", "")
        if self._is_right(asked):
            await self._enter(request, cookie)(scope, receive, send)
        elif self._is_right(_bearer(request)) or self._is_right(request.cookies.get(cookie, "")):
            await self.app(scope, receive, send)
        else:
            await _unauthorized(request)(scope, receive, send)

    def _is_right(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _enter(self, request: Request, cookie: str) -> Response:
        """Set the cookie, and lead to the same address without the token."""
        rest = [pair for pair in request.query_params.multi_items() if pair[0] != "token"]
        place = "/" + quote(request.scope["path"].lstrip("/"))
        answer = RedirectResponse(f"{place}?{urlencode(rest)}" if rest else place, 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(cookie, self.token, httponly=True, samesite="strict", secure=secure)
        answer.headers["Cache-Control"] = "no-store"
        return answer


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _unauthorized(request: Request) -> Response:
    """Say what is missing: to people as a page, to programs as a problem.

    Browsers keep the cookie back where a link on another site leads here, also
    through the address that sets it. Loading the page again from here sends it.
    """
    headers = {"WWW-Authenticate": 'Bearer realm="weft"', "Cache-Control": "no-store"}
    if request.headers.get("sec-fetch-mode") != "navigate":
        return refusal(401, "this server needs a token", CURE, **headers)
    if request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
        headers["Refresh"] = "0"
    return Response(NOTICE, 401, headers, "text/html; charset=utf-8")
