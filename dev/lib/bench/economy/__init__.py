"""dev/bench economy: what an agent pays, in tokens and turns, for a fixed set of tasks."""
