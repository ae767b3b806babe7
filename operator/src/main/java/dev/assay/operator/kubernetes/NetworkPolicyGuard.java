package dev.assay.operator.kubernetes;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.NetworkPolicyOpening;
import dev.assay.operator.pod.RunnerNetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ensures that the policy which isolates runner Pods is in place before any such Pod is created,
 * and logs a warning about other policies that weaken it. The check reads an informer's cache and
 * sends no request.
 */
public final class NetworkPolicyGuard implements NetworkPolicies, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkPolicyGuard.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final JsonPatcher patcher;
  private final String operatorNamespace;
  private final Map<String, String> operatorPodLabels;
  private final Map<String, SharedIndexInformer<NetworkPolicy>> policies =
      new ConcurrentHashMap<>();
  private final Map<String, RepairBackoff> backoffs = new ConcurrentHashMap<>();
  private final EventRecorder events;
  private final ExecutorService threads;
  private final Function<Duration, Executor> delayed;
  private volatile boolean repairing;
  private volatile Consumer<String> changed = namespace -> {};

  /**
   * Those that open the internet to the Pods that they select, by namespace and UID: their
   * addresses are looked at once for each change, since anybody may write long lists of them.
   */
  private final Map<String, Map<String, NetworkPolicy>> opening = new ConcurrentHashMap<>();

  /** UID and version of the changed policy that was reported last, by namespace. */
  private final Map<String, String> reported = new ConcurrentHashMap<>();

  /** Watches nothing yet; see {@link #watch}. */
  public NetworkPolicyGuard(
      KubernetesClient client,
      String operatorNamespace,
      Map<String, String> operatorPodLabels,
      EventRecorder events,
      ExecutorService threads) {
    this(
        client,
        operatorNamespace,
        operatorPodLabels,
        events,
        threads,
        delay ->
            CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads));
  }

  NetworkPolicyGuard(
      KubernetesClient client,
      String operatorNamespace,
      Map<String, String> operatorPodLabels,
      EventRecorder events,
      ExecutorService threads,
      Function<Duration, Executor> delayed) {
    this.events = events;
    this.threads = threads;
    this.delayed = delayed;
    this.client = client;
    this.patcher = new JsonPatcher(client);
    this.operatorNamespace = operatorNamespace;
    this.operatorPodLabels = Map.copyOf(operatorPodLabels);
  }

  /** Starts to watch the policies in a run namespace, and returns when the cache is filled. */
  public void watch(String namespace) {
    if (policies.containsKey(namespace)) {
      return;
    }
    backoffs.put(namespace, new RepairBackoff());
    policies.put(
        namespace,
        client
            .network()
            .networkPolicies()
            .inNamespace(namespace)
            .withLimit(Pages.SIZE)
            .inform(new RepairOnChange(namespace)));
    startRepairing(namespace);
  }

  /**
   * Sets the listener for changes. It is called with the namespace when the watch shows that any
   * NetworkPolicy was added, changed or deleted, and before a missing or changed one is restored.
   */
  public void onChange(Consumer<String> listener) {
    changed = listener;
  }

  /**
   * From now on a policy that is deleted or changed is restored at once, and not only before the
   * next Pod.
   */
  public void startRepairing() {
    repairing = true;
    policies.keySet().forEach(this::startRepairing);
  }

  private void startRepairing(String namespace) {
    repairSoon(namespace);
    requireNonNull(policies.get(namespace)).getStore().list().forEach(this::warnOfOpening);
  }

  /**
   * The namespaces whose policies are not watched, one sentence each.
   *
   * @param mayNotWatch whether the permission to watch a namespace is missing: no restart would
   *     help
   */
  public Set<String> symptoms(Predicate<String> mayNotWatch) {
    return policies.entrySet().stream()
        .filter(entry -> !isWatching(entry.getValue()))
        .filter(entry -> !mayNotWatch.test(entry.getKey()))
        .map(entry -> "the NetworkPolicies of " + entry.getKey() + " are not watched")
        .collect(Collectors.toSet());
  }

  private static boolean isWatching(SharedIndexInformer<NetworkPolicy> informer) {
    return informer.isRunning() && informer.isWatching();
  }

  private void repairSoon(String namespace) {
    if (repairing) {
      threads.execute(() -> repair(namespace));
    }
  }

  private void repair(String namespace) {
    RepairBackoff backoff = requireNonNull(backoffs.get(namespace));
    try {
      ensure(namespace);
      backoff.succeeded();
    } catch (KubernetesClientException e) {
      LOG.error(
          "The NetworkPolicy of namespace {} could not be restored; retrying: {}",
          namespace,
          ApiErrors.message(e));
      backoff
          .failed()
          .ifPresent(
              delay ->
                  delayed
                      .apply(delay)
                      .execute(
                          () -> {
                            backoff.triedAgain();
                            repair(namespace);
                          }));
    }
  }

  private void warnOfOpening(NetworkPolicy policy) {
    if (repairing) {
      NetworkPolicyOpening.of(policy)
          .ifPresent(
              opening -> {
                LOG.warn("{}, in namespace {}", opening, policy.getMetadata().getNamespace());
                events.warning(policy, "OpensRunPods", opening);
              });
    }
  }

  @Override
  public void ensure(String namespace) {
    SharedIndexInformer<NetworkPolicy> informer = policies.get(namespace);
    if (informer == null) {
      throw new IllegalArgumentException("Not a run namespace: " + namespace);
    }
    NetworkPolicy wanted =
        RunnerNetworkPolicy.build(namespace, operatorNamespace, operatorPodLabels);
    NetworkPolicy found =
        isWatching(informer)
            ? informer.getStore().getByKey(namespace + "/" + RunnerNetworkPolicy.NAME)
            : client.resource(wanted).get();
    if (found == null) {
      changed.accept(namespace);
      create(wanted);
    } else if (!found.getSpec().equals(wanted.getSpec())) {
      reportOnce(namespace, found);
      replaceSpec(wanted);
    }
  }

  @Override
  public Optional<String> openToInternet(String namespace, Map<String, String> labels) {
    return opening.getOrDefault(namespace, Map.of()).values().stream()
        .filter(policy -> NetworkPolicyOpening.selects(policy, labels))
        .map(policy -> policy.getMetadata().getName())
        .min(Comparator.naturalOrder())
        .map(
            name ->
                ("NetworkPolicy %s in namespace %s lets run Pods connect to the internet. Exclude"
                        + " Pods with the label %s from its podSelector")
                    .formatted(name, namespace, Labels.RUNNER_POD));
  }

  @Override
  public boolean areKnown(String namespace) {
    SharedIndexInformer<NetworkPolicy> informer = policies.get(namespace);
    return informer != null && isWatching(informer);
  }

  /** A policy that cannot be restored, since a webhook changes it, is found again and again. */
  private void reportOnce(String namespace, NetworkPolicy found) {
    String version = found.getMetadata().getUid() + "/" + found.getMetadata().getResourceVersion();
    if (!version.equals(reported.put(namespace, version))) {
      changed.accept(namespace);
    }
  }

  private void create(NetworkPolicy wanted) {
    try {
      client.resource(wanted).create();
    } catch (KubernetesClientException e) {
      if (!ApiErrors.alreadyExists(e)) {
        throw e;
      }
      replaceSpec(wanted);
    }
  }

  private void replaceSpec(NetworkPolicy wanted) {
    ArrayNode patch = JSON.createArrayNode();
    patch
        .addObject()
        .put("op", "replace")
        .put("path", "/spec")
        .set("value", JSON.valueToTree(wanted.getSpec()));
    patcher.patch(wanted, null, patch);
  }

  private final class RepairOnChange implements ResourceEventHandler<NetworkPolicy> {
    private final String namespace;

    RepairOnChange(String namespace) {
      this.namespace = namespace;
    }

    private void remember(NetworkPolicy policy, boolean isThere) {
      Map<String, NetworkPolicy> known =
          opening.computeIfAbsent(namespace, unused -> new ConcurrentHashMap<>());
      if (isThere && NetworkPolicyOpening.opensInternet(policy)) {
        known.put(policy.getMetadata().getUid(), policy);
      } else {
        known.remove(policy.getMetadata().getUid());
      }
    }

    @Override
    public void onAdd(NetworkPolicy policy) {
      remember(policy, true);
      changed.accept(namespace);
      repairIfOwn(policy);
      warnOfOpening(policy);
    }

    @Override
    public void onUpdate(NetworkPolicy before, NetworkPolicy after) {
      boolean isAnother = !before.getMetadata().getUid().equals(after.getMetadata().getUid());
      boolean isChanged = isAnother || !before.getSpec().equals(after.getSpec());
      if (isAnother) {
        remember(before, false);
      }
      if (isChanged) {
        remember(after, true);
      }
      if (isChanged) {
        changed.accept(namespace);
      }
      repairIfOwn(after);
      if (isChanged) {
        warnOfOpening(after);
      }
    }

    @Override
    public void onDelete(NetworkPolicy policy, boolean lastStateUnknown) {
      remember(policy, false);
      changed.accept(namespace);
      repairIfOwn(policy);
    }

    private void repairIfOwn(NetworkPolicy policy) {
      if (policy.getMetadata().getName().equals(RunnerNetworkPolicy.NAME)) {
        repairSoon(namespace);
      }
    }
  }

  @Override
  public void close() {
    policies.values().forEach(SharedIndexInformer::close);
  }
}
