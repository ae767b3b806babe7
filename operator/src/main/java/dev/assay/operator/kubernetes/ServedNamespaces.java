package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run namespaces that the operator serves: those of its configuration where it may read what it
 * watches. The API server is asked again about the others, so that one is served soon after its
 * RoleBinding was created, and one without it harms no other.
 */
public final class ServedNamespaces implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServedNamespaces.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final ListOptions ONE = new ListOptionsBuilder().withLimit(1L).build();

  private final KubernetesClient client;
  private final List<RunNamespace> configured;
  private final Collection<Class<? extends HasMetadata>> kinds;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Set<String> loggedRefusals = new HashSet<>();
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("run-namespaces").factory());

  /**
   * Serves none yet.
   *
   * @param kinds what the operator watches in each
   */
  public ServedNamespaces(
      KubernetesClient client,
      List<RunNamespace> configured,
      Collection<Class<? extends HasMetadata>> kinds) {
    this.client = client;
    this.configured = configured;
    this.kinds = List.copyOf(kinds);
  }

  /** Returns the names of the served namespaces: a live view to which names are only added. */
  public Set<String> names() {
    return Collections.unmodifiableSet(names);
  }

  /** Those that are served now, in the order of the configuration. */
  public List<RunNamespace> served() {
    return configured.stream().filter(namespace -> names.contains(namespace.name())).toList();
  }

  /**
   * Serves those that can be served now, and checks the others again and again.
   *
   * @param begin begins to watch one; called while holding the lock of this object, before {@link
   *     #names} has it
   * @throws KubernetesClientException if none can be, or RunClasses cannot be read
   */
  public void start(Consumer<String> begin) {
    read(client.resources(RunClass.class));
    serveNew(begin);
    if (names.isEmpty()) {
      throw new KubernetesClientException(
          "The operator may not watch any run namespace: apply the RoleBindings of the chart (%s)"
              .formatted(String.join("; ", loggedRefusals)));
    }
    if (!isComplete()) {
      var unused =
          timer.scheduleWithFixedDelay(
              () -> serveNewAgain(begin),
              INTERVAL.toMillis(),
              INTERVAL.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  /** Serves those that can be served now, and were not before. */
  public synchronized void serveNew(Consumer<String> begin) {
    for (RunNamespace namespace : configured) {
      String name = namespace.name();
      if (!names.contains(name) && mayWatch(name)) {
        begin.accept(name);
        boolean unused = names.add(name);
        LOG.info("Serving namespace {}", name);
      }
    }
  }

  /** Runs an action during which no namespace is added. */
  public synchronized void withoutChanges(Runnable action) {
    action.run();
  }

  private void serveNewAgain(Consumer<String> begin) {
    try {
      serveNew(begin);
    } catch (RuntimeException e) {
      LOG.warn(
          "Checking the run namespaces that are not served failed; retrying in {} s: {}",
          INTERVAL.toSeconds(),
          e.toString());
    }
    if (isComplete()) {
      timer.shutdown();
    }
  }

  private boolean isComplete() {
    return names.size() == configured.size();
  }

  private boolean mayWatch(String namespace) {
    try {
      kinds.forEach(kind -> read(client.resources(kind).inNamespace(namespace)));
      return true;
    } catch (KubernetesClientException e) {
      if (!ApiErrors.forbidden(e)) {
        throw e;
      }
      if (loggedRefusals.add(ApiErrors.message(e))) {
        LOG.warn(
            "Namespace {} is not served until the operator may watch it: {}",
            namespace,
            ApiErrors.message(e));
      }
      return false;
    }
  }

  private static void read(Listable<?> objects) {
    var unused = objects.list(ONE);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
