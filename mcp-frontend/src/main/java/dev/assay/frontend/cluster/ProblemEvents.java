package dev.assay.frontend.cluster;

import dev.assay.api.kubernetes.Events;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events about this Pod for configuration that is refused while the front end serves. They have no
 * text of the configuration, which may be secret; the log does.
 */
public final class ProblemEvents implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProblemEvents.class);
  private static final String COMPONENT = "assay-mcp-frontend";
  private static final long EVERY_SECONDS = 10;

  private final KubernetesClient client;
  private final ObjectReference pod;
  private final Supplier<List<String>> problems;
  private final InstantSource clock;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("problem-events").daemon().factory());
  private List<String> told = List.of();
  private boolean isWarned;

  /**
   * Not started yet.
   *
   * @param pod this Pod
   * @param problems those of now
   */
  public ProblemEvents(
      KubernetesClient client,
      ObjectReference pod,
      Supplier<List<String>> problems,
      InstantSource clock) {
    this.client = client;
    this.pod = pod;
    this.problems = problems;
    this.clock = clock;
  }

  /** Looks every ten seconds from now on. */
  public void start() {
    var unused = timer.scheduleWithFixedDelay(this::look, 0, EVERY_SECONDS, TimeUnit.SECONDS);
  }

  /** Records an Event if there are other problems than at the last look. */
  void look() {
    List<String> now = problems.get();
    if (now.equals(told)) {
      return;
    }
    try {
      if (!now.isEmpty()) {
        record(now.size());
      }
      told = now;
    } catch (RuntimeException e) {
      // The next look is another attempt.
      if (!isWarned) {
        log.warn("the Event of {} problems could not be written: {}", now.size(), e.toString());
      }
      isWarned = true;
    }
  }

  private void record(int count) {
    String message =
        "The file of API keys has problems (%d), so that some or all keys are refused; /readyz names them"
            .formatted(count);
    var unused =
        client
            .v1()
            .events()
            .inNamespace(pod.getNamespace())
            .resource(
                Events.of(pod, COMPONENT, "Warning", "ApiKeysRefused", message, clock.instant()))
            .create();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
