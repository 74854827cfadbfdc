"""The MCP server of a collection, over standard input or loopback HTTP."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

from weft import __version__
from weft.core.errors import UnknownName, WeftError
from weft.core.text import shorten
from weft.server.jobs import MAX_JOB_SECONDS, JobScheduler, Reply
from weft.server.mcp_tools import INSTRUCTIONS, TOOLS, McpTool, clean
from weft.server.middleware import MAX_BODY_BYTES, ASGIApp, SecurityMiddleware, own_host_names
from weft.server.schemas.responses import Problem
from weft.server.server import serve_app
from weft.store.collection import Collection

HOST, MAX_PROBLEM_CHARS = "127.0.0.1", 2000
READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def build_mcp_server(scheduler: JobScheduler) -> Server[Any]:
    """A server with the tools of one collection, which run on the workers of the API."""

    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_declare(tool) for tool in TOOLS.values()])

    async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            if params.name not in TOOLS:
                raise UnknownName("tool", clean(params.name)[:100], TOOLS)
            text = await _run_tool(scheduler, TOOLS[params.name], params.arguments or {})
        except WeftError as error:
            problem = f"{error} ({error.hint.strip()})" if error.hint else str(error)
            short = shorten(clean(problem), MAX_PROBLEM_CHARS)
            return CallToolResult(content=[_to_content(short)], is_error=True)
        return CallToolResult(content=[_to_content(text)])

    return Server(
        "weft",
        version=__version__,
        title=f"Weft: {scheduler.folder.name}",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _declare(tool: McpTool) -> Tool:
    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        annotations=READ_ONLY,
    )


def _to_content(text: str) -> TextContent:
    return TextContent(type="text", text=text)


async def _run_tool(scheduler: JobScheduler, tool: McpTool, given: dict[str, Any]) -> str:
    """Ask the route of a tool, and put its response into words."""
    route, params = tool.request(given)
    asked = params.model_dump_json().encode()
    job = scheduler.submit(scheduler.job_id(f"mcp/{route.path}", b"", asked), route, params)
    job.client_count += 1
    try:
        await job.wait(MAX_JOB_SECONDS)
    finally:
        reply = job.reply
        scheduler.drop_client(job)
    if reply is None or reply.http_status != 200:
        raise _problem(reply)
    return tool.answer(scheduler.folder.name, json.loads(reply.body))


def _problem(reply: Reply | None) -> WeftError:
    """The error behind a reply, in the words of the API."""
    if reply is None:
        return WeftError("the request took too long", hint="ask for less: fewer pages, or a query")
    problem = Problem.model_validate_json(reply.body)
    return WeftError(clean(problem.detail), hint=clean(problem.hint))


def serve_stdio(folder: Path) -> None:
    """Answer a client on standard input and output until it ends."""
    Collection.open(folder)

    async def run() -> None:
        scheduler = JobScheduler(folder)
        scheduler.start_workers()
        server = build_mcp_server(scheduler)
        try:
            async with stdio_server() as (requests, responses):
                await server.run(requests, responses, server.create_initialization_options())
        finally:
            await scheduler.close()

    asyncio.run(run())


def serve_http(folder: Path, port: int, on_ready: Callable[[str], None]) -> None:
    """Answer clients of this machine at `/mcp` until Ctrl-C, which raises KeyboardInterrupt."""

    def build(scheduler: JobScheduler, _token: str) -> ASGIApp:
        return build_mcp_app(scheduler)

    serve_app(folder, HOST, port, build, lambda url: on_ready(f"{url}mcp"))


def build_mcp_app(scheduler: JobScheduler) -> ASGIApp:
    """The application at `/mcp`: without sessions, for this machine's names and origin alone."""
    app = build_mcp_server(scheduler).streamable_http_app(
        json_response=True, stateless_http=True, max_request_body_size=MAX_BODY_BYTES, host=HOST
    )
    return SecurityMiddleware(app, *own_host_names(HOST))
