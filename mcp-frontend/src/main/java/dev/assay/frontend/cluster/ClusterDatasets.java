package dev.assay.frontend.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.MemberPatch;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Datasets, through one informer for each namespace. The cache has neither inline text nor columns.
 */
public final class ClusterDatasets implements DatasetGateway, AutoCloseable {
  private final KubernetesClient client;
  private final InformedObjects<Dataset> datasets;

  /** Starts to watch the datasets of some namespaces. */
  public ClusterDatasets(KubernetesClient client, Collection<String> namespaces) {
    this.client = client;
    this.datasets =
        new InformedObjects<>(
                Dataset.class,
                namespaces.stream()
                    .collect(
                        Collectors.toMap(
                            Function.identity(),
                            namespace -> client.resources(Dataset.class).inNamespace(namespace))),
                LightCopies::of)
            .start();
  }

  /** Whether the caches have been filled once. */
  public boolean hasSynced() {
    return datasets.hasSynced();
  }

  @Override
  public Subscription<Dataset> follow(String namespace, String name) {
    return datasets.follow(namespace, name);
  }

  @Override
  public Optional<Dataset> find(String namespace, String name) {
    return datasets.find(namespace, name).or(() -> read(namespace, name));
  }

  @Override
  public Optional<Dataset> read(String namespace, String name) {
    return Api.call(
        () ->
            Optional.ofNullable(
                client.resources(Dataset.class).inNamespace(namespace).withName(name).get()));
  }

  @Override
  public List<Dataset> list(String namespace) {
    return datasets.list(namespace).stream()
        .sorted(Comparator.comparing(dataset -> dataset.getMetadata().getName()))
        .toList();
  }

  @Override
  public Optional<Dataset> create(Dataset dataset) {
    return orEmptyOnConflict(() -> client.resource(dataset).create());
  }

  @Override
  public Optional<Dataset> replace(Dataset read, DatasetSpec spec) {
    ArrayNode patch =
        MemberPatch.shallow(read.getMetadata().getResourceVersion(), "/spec", read.getSpec(), spec);
    return orEmptyOnConflict(
        () ->
            client
                .resources(Dataset.class)
                .inNamespace(read.getMetadata().getNamespace())
                .withName(read.getMetadata().getName())
                .patch(PatchContext.of(PatchType.JSON), patch.toString()));
  }

  @Override
  public boolean delete(Dataset read) {
    String path =
        "/apis/%s/namespaces/%s/%s/%s"
            .formatted(
                HasMetadata.getApiVersion(Dataset.class),
                read.getMetadata().getNamespace(),
                HasMetadata.getPlural(Dataset.class),
                read.getMetadata().getName());
    // The caller may delete this object, not a newer one of the same name.
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withNewPreconditions()
            .withUid(read.getMetadata().getUid())
            .endPreconditions()
            .build();
    return orEmptyOnConflict(() -> client.raw(path, "DELETE", options)).isPresent();
  }

  private static <T> Optional<T> orEmptyOnConflict(Supplier<@Nullable T> request) {
    try {
      return Optional.ofNullable(request.get());
    } catch (KubernetesClientException e) {
      if (e.getCode() == Api.CONFLICT || e.getCode() == Api.NOT_FOUND) {
        return Optional.empty();
      }
      throw Api.translate(e);
    }
  }

  @Override
  public void close() {
    datasets.close();
  }
}
