package dev.assay.operator.run.model;

import dev.assay.operator.run.model.World.Breach;
import java.util.stream.IntStream;

/** What every state keeps, and what every state can still arrive at. */
final class Guarantees {
  private Guarantees() {}

  /** What was promised and does not hold; empty if all does. */
  static String violation(World world) {
    for (int run = 0; run < World.RUNS; run++) {
      if (world.starts(run) > 1) {
        return "the code of run %d was started twice".formatted(run);
      }
      if (world.outcome(run) == Outcome.NOT_STARTED && world.starts(run) > 0) {
        return "run %d ended as not started, and its code was".formatted(run);
      }
      if (world.outcome(run) == Outcome.DONE && !world.isStored(run)) {
        return "run %d succeeded without a stored result".formatted(run);
      }
      // Of two processes at work, one may bind a run to a Pod that the other no longer wanted.
      boolean mayBeLost = world.hasLost() || world.hasHadFault() && world.starts(run) == 0;
      if (world.outcome(run) == Outcome.LOST && !mayBeLost) {
        return "run %d was lost, but no Pod, process or request was".formatted(run);
      }
    }
    return world.breach() == Breach.NONE ? "" : "the status of a run: " + world.breach();
  }

  /** Whether all runs have ended, nobody is at work, and no Pod is left but idle ones. */
  static boolean isSettled(World world) {
    return IntStream.range(0, World.RUNS).noneMatch(world::isOpen)
        && world.atWork().findAny().isEmpty()
        && IntStream.range(0, World.PODS)
            .allMatch(
                pod ->
                    !world.exists(pod)
                        || world.isAlive(pod)
                            && pod != World.OWN_POD
                            && world.supervisor(pod) == Supervisor.IDLE);
  }
}
