"""Serves tools with the official Python SDK of MCP.

Arguments: transport (streamable-http or sse), address, port.
"""

import sys
from typing import Literal, cast

import pandas as pd
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel


class Order(BaseModel):
    """One order."""

    city: str
    total: float


ORDERS = [
    Order(city="Paris", total=2.5),
    Order(city="Oslo", total=4),
    Order(city="Paris", total=1),
]

server = MCPServer("orders", version="1.0", log_level="ERROR")


@server.tool()
def list_orders(city: str | None = None) -> list[Order]:
    """Lists orders, those of one city if it is given."""
    return [order for order in ORDERS if city in (None, order.city)]


@server.tool()
def total(city: str) -> dict[str, float]:
    """Adds up the orders of a city."""
    frame = pd.DataFrame([order.model_dump() for order in ORDERS])
    return {"total": float(frame[frame["city"] == city]["total"].sum())}


@server.tool()
def greeting(name: str) -> str:
    """Greets somebody."""
    return f"Hello, {name}!"


@server.tool()
def fail() -> str:
    """Raises an error."""
    raise ToolError("there is no such order")


if __name__ == "__main__":
    transport = cast(Literal["streamable-http", "sse"], sys.argv[1])
    if transport == "sse":
        server.run("sse", host=sys.argv[2], port=int(sys.argv[3]))
    else:
        server.run("streamable-http", host=sys.argv[2], port=int(sys.argv[3]))
