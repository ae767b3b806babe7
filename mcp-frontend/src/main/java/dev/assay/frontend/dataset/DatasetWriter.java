package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.frontend.identity.Identity;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Creates or replaces datasets. */
public final class DatasetWriter {
  private static final String SNAPSHOT_CLASS = "snapshot";

  private final DatasetGateway datasets;

  public DatasetWriter(DatasetGateway datasets) {
    this.datasets = datasets;
  }

  /** What became of a dataset that was to be written. */
  public sealed interface Written {}

  /** It is new. */
  public record Created(Dataset dataset) implements Written {}

  /** It has taken the place of an earlier one. */
  public record Replaced(Dataset dataset) implements Written {}

  /** It was not written. */
  public sealed interface NotWritten extends Written {
    /** Why, and what to do, as a sentence about the dataset that was to be written. */
    String why(String name);
  }

  /** There is one of this name, and it was not to be replaced. */
  public record AlreadyThere(Dataset existing) implements NotWritten {
    @Override
    public String why(String name) {
      String known = DatasetText.nameOf(existing);
      return "There is a dataset '"
          + known
          + "' already"
          + (known.equals(name) ? "" : ", and '" + name + "' is equivalent to that name")
          + "; set 'replace' to true to replace it"
          + DatasetRemarks.of(List.of(existing)).stream()
              .map(remark -> "\n" + remark)
              .collect(Collectors.joining());
    }
  }

  /** Bytes of another upload are on their way, and this one may not take its place. */
  public record BeingUploaded() implements NotWritten {
    @Override
    public String why(String name) {
      return "Dataset '"
          + name
          + "' is being uploaded; wait until it is Ready or Failed; an interrupted upload becomes"
          + " Failed";
    }
  }

  /** Somebody else has loaded it, and this caller may not change it. */
  public record OfAnotherCaller(Dataset existing) implements NotWritten {
    @Override
    public String why(String name) {
      return DatasetAccess.refusal(existing) + ". Load yours under another name";
    }
  }

  /** Somebody else changed it at the same time. */
  public record ChangedMeanwhile() implements NotWritten {
    @Override
    public String why(String name) {
      return "Dataset '"
          + name
          + "' was changed by somebody else at the same time; look at it and retry";
    }
  }

  /**
   * Writes a dataset.
   *
   * @param caller who writes it
   * @param name as its owner writes it; a valid one
   * @param snapshotClass the RunClass that reads it; null for that of the dataset that is replaced,
   *     or the usual one
   * @param replace whether it may take the place of another; of one that failed and has no data it
   *     may in any case
   * @throws dev.assay.frontend.watch.ClusterException where it was refused
   */
  public Written write(
      Identity caller,
      String name,
      DatasetSource source,
      @Nullable String snapshotClass,
      boolean replace) {
    String namespace = caller.namespace();
    String resourceName = DatasetName.toResourceName(name);
    Optional<Dataset> created =
        datasets.create(
            newDataset(
                namespace,
                resourceName,
                spec(caller, name, classOf(snapshotClass, Optional.empty()), source)));
    if (created.isPresent()) {
      return new Created(created.get());
    }
    Optional<Dataset> existing = datasets.read(namespace, resourceName);
    if (existing.isEmpty()) {
      return new ChangedMeanwhile();
    }
    if (!DatasetAccess.mayChange(existing.get(), caller)) {
      return new OfAnotherCaller(existing.get());
    }
    if (!replace && hasDataOrMayGetIt(existing.get())) {
      return new AlreadyThere(existing.get());
    }
    if (source.upload() != null && isBeingUploaded(existing.get())) {
      return new BeingUploaded();
    }
    DatasetSpec spec = spec(caller, name, classOf(snapshotClass, existing), source);
    return datasets
        .replace(existing.get(), loadedAgain(existing.get(), spec))
        .<Written>map(Replaced::new)
        .orElseGet(ChangedMeanwhile::new);
  }

  private static DatasetSpec spec(
      Identity caller, String name, String className, DatasetSource source) {
    return DatasetSpecBuilder.builder()
        .caller(caller.caller())
        .displayName(name)
        .className(className)
        .source(source)
        .build();
  }

  /** The spec, changed so that its source is loaded again where that can make a difference. */
  private static DatasetSpec loadedAgain(Dataset existing, DatasetSpec spec) {
    String loadId = existing.getSpec().loadId();
    return spec.withLoadId(isUpToDate(existing, spec) ? loadId : UUID.randomUUID().toString());
  }

  /** The same text makes the same snapshot, unless an earlier version of Assay made it. */
  private static boolean isUpToDate(Dataset existing, DatasetSpec spec) {
    return spec.source().inline() != null
        && spec.equals(existing.getSpec().withLoadId(null))
        && DatasetState.usable(existing)
            .filter(snapshot -> snapshot.tableColumns() != null)
            .filter(snapshot -> !snapshot.wasReadByOlderRules())
            .isPresent();
  }

  /** The class that reads a dataset: the named one, that of the replaced one, or the usual one. */
  static String classOf(@Nullable String named, Optional<Dataset> replaced) {
    return named == null
        ? replaced.map(existing -> existing.getSpec().className()).orElse(SNAPSHOT_CLASS)
        : named;
  }

  /** One that failed and has no data protects nothing by its name. */
  private static boolean hasDataOrMayGetIt(Dataset existing) {
    return !(DatasetState.of(existing) instanceof DatasetState.Failed)
        || DatasetState.usable(existing).isPresent();
  }

  /** Before that nothing of it has been sent, and after that all of it has arrived. */
  private static boolean isBeingUploaded(Dataset existing) {
    return existing.getSpec().source().upload() != null
        && DatasetState.of(existing) instanceof DatasetState.Loading loading
        && loading.isUploading();
  }

  private static Dataset newDataset(String namespace, String resourceName, DatasetSpec spec) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(
        new ObjectMetaBuilder().withNamespace(namespace).withName(resourceName).build());
    dataset.setSpec(spec);
    return dataset;
  }
}
