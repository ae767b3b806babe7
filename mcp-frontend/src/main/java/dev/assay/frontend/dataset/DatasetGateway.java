package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Optional;

/** Datasets in the cluster. What the cache returns has neither source nor columns. */
public interface DatasetGateway {
  /** Follows a dataset, which need not exist yet. */
  Subscription<Dataset> follow(String namespace, String name);

  /** A dataset by its resource name, from the cache or, where that has none, the API server. */
  Optional<Dataset> find(String namespace, String name);

  /** A dataset from the API server itself. */
  Optional<Dataset> read(String namespace, String name);

  /** The datasets of a namespace, from the cache, by name. */
  List<Dataset> list(String namespace);

  /**
   * Files of a data folder that are no datasets, with the reason, a line each; none in a cluster.
   */
  default List<String> notOffered() {
    return List.of();
  }

  /**
   * Creates a dataset; empty where there is one of this name.
   *
   * @throws dev.assay.frontend.watch.ClusterException where it was refused
   */
  Optional<Dataset> create(Dataset dataset);

  /**
   * Replaces the spec of a dataset as it was read; empty where it has changed since.
   *
   * @throws dev.assay.frontend.watch.ClusterException where it was refused
   */
  Optional<Dataset> replace(Dataset read, DatasetSpec spec);

  /**
   * Deletes a dataset that was read; false where it is not there any more, even if there is a newer
   * one of its name.
   *
   * @throws dev.assay.frontend.watch.ClusterException where it was refused
   */
  boolean delete(Dataset read);
}
