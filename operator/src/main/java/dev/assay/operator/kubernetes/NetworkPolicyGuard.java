package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.assay.operator.pod.RunnerNetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that the policy which shuts runner Pods in is in place before any such Pod is made.
 * What it looks at is a watch's cache, so that the check costs nothing.
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
  private final ExecutorService threads;
  private volatile boolean keeping;

  /** Watches the policy in each run namespace. */
  public NetworkPolicyGuard(
      KubernetesClient client,
      Collection<String> runNamespaces,
      String operatorNamespace,
      Map<String, String> operatorPodLabels,
      ExecutorService threads) {
    this.threads = threads;
    this.client = client;
    this.patcher = new JsonPatcher(client);
    this.operatorNamespace = operatorNamespace;
    this.operatorPodLabels = Map.copyOf(operatorPodLabels);
    for (String namespace : runNamespaces) {
      policies.put(
          namespace,
          client
              .network()
              .networkPolicies()
              .inNamespace(namespace)
              .withName(RunnerNetworkPolicy.NAME)
              .inform(new PutBack(namespace)));
    }
  }

  /** From now on a policy that is removed or changed is put back at once, not by the next Pod. */
  public void keep() {
    keeping = true;
    policies.keySet().forEach(this::ensureSoon);
  }

  private void ensureSoon(String namespace) {
    if (keeping) {
      threads.execute(() -> ensureQuietly(namespace));
    }
  }

  private void ensureQuietly(String namespace) {
    try {
      ensure(namespace);
    } catch (KubernetesClientException e) {
      LOG.error(
          "The NetworkPolicy of {} is not as it must be: {}", namespace, ApiErrors.message(e));
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
    NetworkPolicy found = informer.getStore().getByKey(namespace + "/" + RunnerNetworkPolicy.NAME);
    if (found == null) {
      create(wanted);
    } else if (!found.getSpec().equals(wanted.getSpec())) {
      replaceSpec(wanted);
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

  /** Looks after the policy of one namespace. */
  private final class PutBack implements ResourceEventHandler<NetworkPolicy> {
    private final String namespace;

    PutBack(String namespace) {
      this.namespace = namespace;
    }

    @Override
    public void onAdd(NetworkPolicy policy) {
      ensureSoon(namespace);
    }

    @Override
    public void onUpdate(NetworkPolicy before, NetworkPolicy after) {
      ensureSoon(namespace);
    }

    @Override
    public void onDelete(NetworkPolicy policy, boolean lastStateUnknown) {
      ensureSoon(namespace);
    }
  }

  @Override
  public void close() {
    policies.values().forEach(SharedIndexInformer::close);
  }
}
