"""Talks to a gateway with the official client: URL and mode as arguments, the token in the environment; prints what it saw as JSON."""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, mode: str) -> None:
    headers = {"authorization": f"Bearer {os.environ['HELIXRUN_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = (await client.list_tools()).tools
            imported = await client.call_tool("artifact_import", {"content": f"hello from Python, {mode}"})
            again = await client.call_tool("artifact_import", {"content": f"hello from Python, {mode}"})
            artifact = imported.structured_content["output"]["artifact_id"]
            preview = await client.call_tool("artifact_preview_text", {"artifact_id": artifact})
            wrong = await client.call_tool("artifact_import", {"content": 5, "colour": "red"})
            run = await client.call_tool("run_wait", {"run_id": imported.structured_content["run_id"]})
            seen = {
                "protocol": client.protocol_version,
                "tools": [tool.name for tool in tools],
                "imported": imported.structured_content,
                "again": again.structured_content,
                "preview": preview.structured_content,
                "wrong": wrong.structured_content,
                "wrong_is_error": wrong.is_error,
                "run": run.structured_content,
            }
            print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
