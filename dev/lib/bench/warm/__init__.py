"""dev/bench warm: runs that get a Pod of a warm pool, from the create to the answer.

What counts is the time from just before the request that creates a run until the first instruction
of its code: the code prints the time, by the same clock. One connection, or as many as runs are
created at once, and one watch serve all runs of a phase.
"""
