"""Calls one MCP tool with the official Python client and prints the reply as JSON.

Arguments: endpoint, tool. Standard input: the tool's arguments as a JSON object.
The API key comes from ASSAY_E2E_KEY.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent


async def call(endpoint: str, tool: str, arguments: dict[str, object]) -> dict[str, object]:
    """The text of the reply, and whether it is an error."""
    headers = {"Authorization": f"Bearer {os.environ['ASSAY_E2E_KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=180) as http:
        async with Client(streamable_http_client(endpoint, http_client=http)) as client:
            reply = await client.call_tool(tool, arguments)
    texts = [block.text for block in reply.content if isinstance(block, TextContent)]
    return {"text": "".join(texts), "isError": bool(reply.is_error)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(call(sys.argv[1], sys.argv[2], json.load(sys.stdin)))))
