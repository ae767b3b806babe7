"""A node whose Pods are stand-ins: they speak the runner protocol and run no code.

The node is registered at a real API server, and the scheduler assigns Pods to it. One process is
its kubelet, and the supervisor of each of its Pods: that is the supervisor of the runner's image,
with a launcher and a worker that exist as messages only. The process has a network namespace of
its own, where each Pod has an address, and no route to Services.
"""
