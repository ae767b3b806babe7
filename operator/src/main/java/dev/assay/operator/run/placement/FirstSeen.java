package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.run.status.RunState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When this process saw each run first. Kubernetes has the time of a creation in whole seconds,
 * which is too coarse for a run that is given a warm Pod.
 */
public final class FirstSeen {
  /** Runs that are seen later were created before this process watched them, or had to wait. */
  private static final Duration MAX_DELAY = Duration.ofSeconds(2);

  private static final int REMEMBERED = 10_000;

  private final Clock clock;
  private final Map<String, Instant> seen =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > REMEMBERED;
        }
      };

  public FirstSeen(Clock clock) {
    this.clock = clock;
  }

  /** When the run was seen first, at the latest now; its creation if that was long ago. */
  public synchronized Instant see(AnalyticsRun run) {
    return seen.computeIfAbsent(
        run.getMetadata().getUid(),
        uid -> {
          Instant created = RunState.created(run);
          Instant now = clock.instant();
          return now.isAfter(created.plus(MAX_DELAY)) ? created : now;
        });
  }

  /** Removes a run that has ended. */
  public synchronized void forget(AnalyticsRun run) {
    seen.remove(run.getMetadata().getUid());
  }
}
