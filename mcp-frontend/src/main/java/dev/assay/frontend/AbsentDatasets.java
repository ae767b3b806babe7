package dev.assay.frontend;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Optional;

/** Where there is no cluster: nothing asks for datasets then. */
final class AbsentDatasets implements DatasetGateway {
  @Override
  public Subscription<Dataset> follow(String namespace, String name) {
    throw absent();
  }

  @Override
  public Optional<Dataset> find(String namespace, String name) {
    throw absent();
  }

  @Override
  public Optional<Dataset> read(String namespace, String name) {
    throw absent();
  }

  @Override
  public List<Dataset> list(String namespace) {
    throw absent();
  }

  @Override
  public Optional<Dataset> create(Dataset dataset) {
    throw absent();
  }

  @Override
  public Optional<Dataset> replace(Dataset read, DatasetSpec spec) {
    throw absent();
  }

  @Override
  public boolean delete(Dataset read) {
    throw absent();
  }

  private static IllegalStateException absent() {
    return new IllegalStateException("there is no cluster");
  }
}
