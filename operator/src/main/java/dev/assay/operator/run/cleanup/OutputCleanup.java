package dev.assay.operator.run.cleanup;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.output.OutputRetention;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.cluster.RunResources;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enforces the limits of runs and of the output store, and removes output whose run was deleted and
 * definitions of tools whose server was. Runs on the leader only, which reads the index of the
 * store when it begins, and again every hour: an earlier leader that does not know yet that it was
 * replaced may still write.
 *
 * <p>Outputs are listed before runs, so that the output of a run that is created meanwhile is not
 * in the list.
 */
public final class OutputCleanup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutputCleanup.class);
  private static final Duration INTERVAL = Duration.ofSeconds(15);
  private static final Duration INDEX_AGE = Duration.ofHours(1);

  private final KubernetesClient client;
  private final RunResources resources;
  private final RunOutputs outputs;
  private final DefinitionCleanup definitions;
  private final Collection<String> namespaces;
  private final OutputStoreConfig limits;
  private final OutputExcess excess;
  private final EarlyRemoval early;
  private final Clock clock;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("output-cleanup").factory());

  /** The namespaces whose last cleanup failed, which is logged once. */
  private final Set<String> failing = new HashSet<>();

  /** When the index of a namespace was loaded. */
  private final Map<String, Instant> indexLoaded = new HashMap<>();

  /** Removes the definitions of tools that are not needed anymore. */
  public interface DefinitionCleanup {
    void remove(String namespace) throws IOException;
  }

  public OutputCleanup(
      KubernetesClient client,
      RunResources resources,
      RunOutputs outputs,
      DefinitionCleanup definitions,
      Collection<String> namespaces,
      OutputStoreConfig limits,
      EarlyRemoval early,
      Clock clock) {
    this.client = client;
    this.resources = resources;
    this.outputs = outputs;
    this.definitions = definitions;
    this.namespaces = namespaces;
    this.limits = limits;
    this.excess = new OutputExcess(resources, outputs, limits);
    this.early = early;
    this.clock = clock;
  }

  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::runOnce, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Cleans up each namespace once. A failure is logged once, and retried at the next cleanup. */
  void runOnce() {
    for (String namespace : namespaces) {
      // Each by itself: where orphans cannot be removed, the limits of the store still apply.
      boolean loaded = attempt(namespace, () -> loadIndex(namespace));
      boolean removed = attempt(namespace, () -> removeOrphans(namespace));
      boolean fewer = attempt(namespace, () -> early.remove(namespace));
      boolean cacheLimited = attempt(namespace, () -> removeExcessOfCache(namespace));
      boolean limited = attempt(namespace, () -> excess.remove(namespace));
      boolean defined = attempt(namespace, () -> definitions.remove(namespace));
      if (loaded && removed && fewer && cacheLimited && limited && defined) {
        failing.remove(namespace);
      }
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private boolean attempt(String namespace, Step step) {
    try {
      step.run();
      return true;
    } catch (IOException | RuntimeException e) {
      if (failing.add(namespace)) {
        LOG.warn(
            "The cleanup of stored output in namespace {} failed and will be retried: {}",
            namespace,
            e.toString());
      }
      return false;
    }
  }

  private void loadIndex(String namespace) throws IOException {
    Instant now = clock.instant();
    Instant last = indexLoaded.get(namespace);
    if (last == null || !now.isBefore(last.plus(INDEX_AGE))) {
      outputs.loadIndex(namespace);
      indexLoaded.put(namespace, now);
    }
  }

  private void removeOrphans(String namespace) throws IOException {
    Set<String> orphans =
        outputs.entries(namespace).stream()
            .map(OutputEntry::runUid)
            .filter(uid -> !outputs.isBeingWritten(namespace, uid))
            .collect(Collectors.toSet());
    orphans.removeAll(resources.runUids(namespace));
    if (orphans.isEmpty()) {
      return;
    }
    // A cache may be stale; the API server is authoritative.
    Pages.forEach(
        client.resources(AnalyticsRun.class).inNamespace(namespace),
        run -> orphans.remove(run.getMetadata().getUid()));
    for (String uid : orphans) {
      outputs.delete(namespace, uid);
      LOG.debug("Removed the output of deleted run {} in namespace {}", uid, namespace);
    }
  }

  private void removeExcessOfCache(String namespace) throws IOException {
    for (OutputEntry oldest :
        OutputRetention.excessOfCache(
            outputs.entries(namespace),
            limits.cacheMaxBytesPerNamespace(),
            resources.reusableRunUids(namespace)::contains,
            resources.callers(namespace))) {
      outputs.deleteValue(namespace, oldest.runUid());
      LOG.debug("Removed the oldest cached value, of run {} in {}", oldest.runUid(), namespace);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
