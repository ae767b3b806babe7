"""A client of Assay: SQL and Python over shared data, by MCP and REST.

from assay_client import Client

client = Client("https://assay.example")  # the key is in ASSAY_API_KEY
client.load("sales", "sales.csv")
print(client.query("SELECT region, sum(units) FROM sales GROUP BY region").rows)
print(client.run("print(df.describe())", datasets=["sales"]).output)
"""

from assay_client._client import Artifact, Client, Dataset, Run, Table
from assay_client._errors import AssayError, RunFailed

__all__ = ["Artifact", "AssayError", "Client", "Dataset", "Run", "RunFailed", "Table"]
__version__ = "0.3.0.dev0"
