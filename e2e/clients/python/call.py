"""Sends one request with the official Python client of MCP and prints the result as JSON.

Arguments: endpoint, method (tools/call or resources/read). Standard input: its parameters as a
JSON object. The API key comes from ASSAY_E2E_KEY.
"""

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def result(endpoint: str, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The result as it is in the protocol."""
    headers = {"Authorization": f"Bearer {os.environ['ASSAY_E2E_KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=180) as http:
        async with Client(streamable_http_client(endpoint, http_client=http)) as client:
            reply: Any
            if method == "tools/call":
                reply = await client.call_tool(parameters["name"], parameters["arguments"])
            else:
                reply = await client.read_resource(parameters["uri"])
    found: dict[str, Any] = reply.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(result(sys.argv[1], sys.argv[2], json.load(sys.stdin)))))
