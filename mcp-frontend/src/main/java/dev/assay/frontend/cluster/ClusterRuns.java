package dev.assay.frontend.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs, through one informer for each namespace. The cache knows whose they are and their phase.
 */
public final class ClusterRuns implements RunGateway, AutoCloseable {
  private static final PatchContext JSON_PATCH = PatchContext.of(PatchType.JSON);
  private static final PatchContext MERGE_PATCH = PatchContext.of(PatchType.JSON_MERGE);
  private static final String CANCEL =
      """
      [{"op": "add", "path": "/spec/cancel", "value": true}]""";
  private static final String INVALIDATE = annotation(RunState.CACHE_INVALIDATED);
  private static final String DETACH = annotation(RunState.DETACHED);

  private final KubernetesClient client;
  private final InformedObjects<AnalyticsRun> runs;

  /** Starts to watch the runs of some namespaces. */
  public ClusterRuns(KubernetesClient client, Collection<String> namespaces) {
    this.client = client;
    this.runs =
        new InformedObjects<>(
                AnalyticsRun.class,
                namespaces.stream()
                    .collect(
                        Collectors.toMap(
                            Function.identity(),
                            namespace ->
                                client.resources(AnalyticsRun.class).inNamespace(namespace))),
                LightCopies::of)
            .start();
  }

  /** Whether the caches have been filled once. */
  public boolean hasSynced() {
    return runs.hasSynced();
  }

  @Override
  public Subscription<AnalyticsRun> follow(String namespace, String name) {
    return runs.follow(namespace, name);
  }

  /**
   * The name is ours and not the API server's, so that the client's own repetition of a request
   * whose answer was lost meets the run that is there, and not a second one.
   */
  @Override
  public AnalyticsRun create(AnalyticsRun run) {
    try {
      return client.resource(run).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() == Api.CONFLICT) {
        Optional<AnalyticsRun> there =
            read(run.getMetadata().getNamespace(), run.getMetadata().getName());
        if (there.isPresent() && RunState.isOfSameRequest(there.get(), run)) {
          return there.get();
        }
        if (there.isPresent() && RunState.hasKey(run)) {
          throw ClusterException.keyReused();
        }
      }
      throw Api.translate(e);
    }
  }

  @Override
  public Optional<AnalyticsRun> read(String namespace, String name) {
    return Api.call(
        () ->
            Optional.ofNullable(
                client.resources(AnalyticsRun.class).inNamespace(namespace).withName(name).get()));
  }

  @Override
  public List<AnalyticsRun> list(String namespace) {
    return runs.list(namespace);
  }

  @Override
  public void cancel(String namespace, String name) {
    patch(namespace, name, JSON_PATCH, CANCEL);
  }

  @Override
  public void invalidate(String namespace, String name) {
    patch(namespace, name, MERGE_PATCH, INVALIDATE);
  }

  private static String annotation(String name) {
    return "{\"metadata\": {\"annotations\": {\"" + name + "\": \"true\"}}}";
  }

  private void patch(String namespace, String name, PatchContext kind, String patch) {
    try {
      client.resources(AnalyticsRun.class).inNamespace(namespace).withName(name).patch(kind, patch);
    } catch (KubernetesClientException e) {
      if (e.getCode() != Api.NOT_FOUND) {
        throw Api.translate(e);
      }
    }
  }

  @Override
  public void detach(String namespace, String name) {
    patch(namespace, name, MERGE_PATCH, DETACH);
  }

  @Override
  public void onSeen(Consumer<AnalyticsRun> listener) {
    runs.onAdd(listener);
  }

  @Override
  public void close() {
    runs.close();
  }
}
