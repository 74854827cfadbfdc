"""Access by token for servers that other machines can reach."""

import ipaddress
import re
import secrets
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from starlette.responses import RedirectResponse

from weft.core.errors import WeftError
from weft.server.errors import problem_response
from weft.server.middleware import ASGIApp, Receive, Scope, Send

TOKEN_PATTERN = re.compile(r"[A-Za-z0-9._~-]{16,200}")
TOKEN_HINT = "open the address that `weft serve` printed, or send `Authorization: Bearer TOKEN`"
TOKEN_REQUIRED_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Weft</title>
<h1>Weft</h1>
<p>This server needs a token: {TOKEN_HINT}.
</html>
"""


def choose_token(address: str, token: str) -> str:
    """The given token, or a random one if the address is not loopback."""
    if token and not TOKEN_PATTERN.fullmatch(token):
        hint = "use 16 to 200 letters, digits and - . _ ~, or none for a random one"
        raise WeftError(f"this token of {len(token)} characters is not valid", hint=hint)
    if token or ipaddress.ip_address(address).is_loopback:
        return token
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class TokenMiddleware:
    """Pass on requests with the token: as `Authorization: Bearer`, or in a cookie.

    A URL with `?token=` sets the cookie and redirects to itself without the
    token. The port is part of the cookie's name, because browsers share
    cookies between all ports of a host.
    """

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, set the cookie, or answer 401."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        cookie = f"weft_{(scope.get('server') or ('', ''))[1]}"
        in_api = scope["path"].startswith("/api")
        if self._is_valid("" if in_api else request.query_params.get("token", "")):
            await self._set_cookie_and_redirect(request, cookie)(scope, receive, send)
        elif self._is_valid(_bearer_token(request)) or self._is_valid(
            request.cookies.get(cookie, "")
        ):
            await self.app(scope, receive, send)
        else:
            await _unauthorized_response(request)(scope, receive, send)

    def _is_valid(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    def _set_cookie_and_redirect(self, request: Request, cookie_name: str) -> Response:
        """Set the cookie, and redirect to the same URL without the token."""
        query = [pair for pair in request.query_params.multi_items() if pair[0] != "token"]
        path = "/" + quote(request.scope["path"].lstrip("/"))
        response = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)
        response.set_cookie(
            cookie_name,
            self.token,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        response.headers["Cache-Control"] = "no-store"
        return response


def _bearer_token(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _unauthorized_response(request: Request) -> Response:
    """401 as an HTML page for browsers, as a problem for programs.

    Browsers do not send the cookie when a link on another site leads here,
    even through the URL that sets it; reloading the page does.
    """
    headers = {"WWW-Authenticate": 'Bearer realm="weft"', "Cache-Control": "no-store"}
    if request.headers.get("sec-fetch-mode") != "navigate":
        return problem_response(401, "this server needs a token", TOKEN_HINT, **headers)
    if request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
        headers["Refresh"] = "0"
    return Response(TOKEN_REQUIRED_PAGE, 401, headers, "text/html; charset=utf-8")
