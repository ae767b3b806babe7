"""kubernetes-sigs/agent-sandbox as a peer: its code and its image come from outside.

A claim is handed a sandbox, which is a Pod, from a warm pool. The names of its API are those of
v1beta1.
"""
