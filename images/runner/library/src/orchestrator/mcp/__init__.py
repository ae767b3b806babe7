"""Nine functions in four modules, and `register_artifact`.

All that they return, but frames, are plain Python values that `json.dumps` takes. Paths are
relative to the working directory.
"""

from orchestrator.mcp import analytics, data, models, viz
from orchestrator.mcp._artifacts import register_artifact

__all__ = ["analytics", "data", "models", "register_artifact", "viz"]
