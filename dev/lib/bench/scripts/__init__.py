"""dev/bench scripts: scripts in JavaScript and TypeScript that call tools, beside mcpproxy-go.

Both run the same sources and call the tools of the same server, which is a program of this
machine. The peer runs on this machine, too, outside of the cluster.
"""
