package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
  private final Map<String, String> problems = new ConcurrentHashMap<>();
  private volatile boolean closed;
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
   * @param begin begins to watch one; nothing else is added meanwhile, and {@link #names} does not
   *     have it yet
   * @throws KubernetesClientException if none can be, or RunClasses cannot be read
   */
  public void start(Consumer<String> begin) {
    read(client.resources(RunClass.class));
    serveNew(begin);
    if (names.isEmpty()) {
      throw new KubernetesClientException(
          "No run namespace can be served: apply the CRDs and RoleBindings of the chart (%s)"
              .formatted(String.join("; ", new TreeSet<>(problems.values()))));
    }
    if (!isComplete()) {
      var unused =
          timer.scheduleWithFixedDelay(
              () -> {
                serveNew(begin);
                if (isComplete()) {
                  timer.shutdown();
                }
              },
              INTERVAL.toMillis(),
              INTERVAL.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Serves those that can be served now, and were not before; what fails for one harms no other.
   */
  public void serveNew(Consumer<String> begin) {
    for (RunNamespace namespace : configured) {
      String name = namespace.name();
      try {
        if (!names.contains(name)) {
          refusal(name).ifPresentOrElse(refusal -> tellOnce(name, refusal), () -> add(name, begin));
        }
      } catch (RuntimeException e) {
        tellOnce(name, e.toString());
      }
    }
  }

  private synchronized void add(String name, Consumer<String> begin) {
    if (!closed) {
      begin.accept(name);
      boolean unused = names.add(name);
      LOG.info("Serving namespace {}", name);
    }
  }

  private void tellOnce(String name, String problem) {
    if (!problem.equals(problems.put(name, problem))) {
      LOG.warn(
          "Namespace {} is not served; checking it again every {} s: {}",
          name,
          INTERVAL.toSeconds(),
          problem);
    }
  }

  /** Runs an action during which no namespace is added. */
  public synchronized void withoutChanges(Runnable action) {
    action.run();
  }

  private boolean isComplete() {
    return names.size() == configured.size();
  }

  /** Whether the permission to watch a run namespace is known to be missing. */
  public boolean mayNotWatch(String namespace) {
    try {
      return configured.stream().anyMatch(each -> each.name().equals(namespace))
          && refusal(namespace).isPresent();
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  /**
   * Which permission is missing; empty if all are there.
   *
   * @throws KubernetesClientException if that cannot be found out
   */
  private Optional<String> refusal(String namespace) {
    return kinds.stream()
        .map(kind -> refusal(namespace, kind))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private Optional<String> refusal(String namespace, Class<? extends HasMetadata> kind) {
    try {
      // Also finds out whether its CRD is there.
      read(client.resources(kind).inNamespace(namespace));
    } catch (KubernetesClientException e) {
      if (ApiErrors.forbidden(e)) {
        return Optional.of(ApiErrors.message(e));
      }
      throw e;
    }
    return mayWatch(namespace, kind)
        ? Optional.empty()
        : Optional.of(
            "the operator may not watch %s".formatted(HasMetadata.getFullResourceName(kind)));
  }

  /** An API server that cannot tell finds out when it is watched. */
  private boolean mayWatch(String namespace, Class<? extends HasMetadata> kind) {
    try {
      SelfSubjectAccessReview review = review(namespace, kind);
      return review.getStatus() == null || Boolean.TRUE.equals(review.getStatus().getAllowed());
    } catch (KubernetesClientException e) {
      return true;
    }
  }

  private SelfSubjectAccessReview review(String namespace, Class<? extends HasMetadata> kind) {
    return client
        .resource(
            new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withGroup(HasMetadata.getGroup(kind))
                .withResource(HasMetadata.getPlural(kind))
                .withNamespace(namespace)
                .withVerb("watch")
                .endResourceAttributes()
                .endSpec()
                .build())
        .create();
  }

  private static void read(Listable<?> objects) {
    var unused = objects.list(ONE);
  }

  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    try {
      // One that is being added would start informers of controllers that are stopped.
      boolean unused = timer.awaitTermination(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
