package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.RateLimit;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many datasets there are, and the bytes of the tables in their specs: the API server
 * stores all of them.
 */
public final class LimitedDatasets implements DatasetGateway {
  /** Annotation of a light copy, which has no table any more: its bytes. */
  public static final String TABLE_BYTES = "assay.dev/table-bytes";

  /** Of a table on average: all datasets together may have this many bytes for each. */
  static final int AVERAGE_BYTES = 64 * 1024;

  private final DatasetGateway datasets;
  private final Limits limits;
  private final RateLimit<Identity> rate;

  /**
   * How many datasets there may be.
   *
   * @param perNamespace datasets of a namespace
   * @param perCaller of these, datasets of one caller
   * @param perSecondPerCaller how many one caller may create or replace in a second; in a burst,
   *     five times as many
   */
  public record Limits(int perNamespace, int perCaller, int perSecondPerCaller) {}

  /** Limited datasets. */
  public LimitedDatasets(DatasetGateway datasets, Limits limits) {
    this.datasets = datasets;
    this.limits = limits;
    this.rate = RateLimit.perSecond(limits.perSecondPerCaller());
  }

  /** The bytes of the table in a spec, or of the one that a light copy was made of. */
  public static long tableBytes(Dataset dataset) {
    Map<String, String> annotations = dataset.getMetadata().getAnnotations();
    @Nullable String counted = annotations == null ? null : annotations.get(TABLE_BYTES);
    return counted == null ? tableBytes(dataset.getSpec()) : Long.parseLong(counted);
  }

  /** The bytes of the table in a spec. */
  public static long tableBytes(DatasetSpec spec) {
    var inline = spec.source().inline();
    return inline == null ? 0 : RunBytes.bytes(inline.text());
  }

  /**
   * The cache may lag, so a burst may exceed the limits. If a dataset of this name exists, nothing
   * is created, and {@link #replace} checks the limits.
   */
  @Override
  public Optional<Dataset> create(Dataset dataset) {
    String namespace = dataset.getMetadata().getNamespace();
    String name = dataset.getMetadata().getName();
    if (datasets.list(namespace).stream().noneMatch(there -> isNamed(there, name))) {
      requireRoom(namespace, name, dataset.getSpec());
    }
    return datasets.create(dataset);
  }

  @Override
  public Optional<Dataset> replace(Dataset read, DatasetSpec spec) {
    requireRoom(read.getMetadata().getNamespace(), read.getMetadata().getName(), spec);
    return datasets.replace(read, spec);
  }

  private static boolean isNamed(Dataset dataset, String name) {
    return dataset.getMetadata().getName().equals(name);
  }

  /** Requires room for a dataset beside those of other names. */
  private void requireRoom(String namespace, String name, DatasetSpec wanted) {
    if (!rate.take(Identity.owner(wanted.caller(), namespace))) {
      throw ClusterException.limited(
          "you load datasets faster than the limit of %d a second; retry in a second"
              .formatted(limits.perSecondPerCaller()));
    }
    List<Dataset> others =
        datasets.list(namespace).stream().filter(dataset -> !isNamed(dataset, name)).toList();
    List<Dataset> own =
        others.stream()
            .filter(dataset -> Objects.equals(wanted.caller(), dataset.getSpec().caller()))
            .toList();
    require("you have", own, limits.perCaller, wanted);
    require("the namespace has", others, limits.perNamespace, wanted);
  }

  private static void require(String who, List<Dataset> there, int most, DatasetSpec wanted) {
    if (there.size() >= most) {
      throw ClusterException.limited(
          "%s %d datasets, which is the limit; delete some that are not used any more"
              .formatted(who, there.size()));
    }
    long bytes = there.stream().mapToLong(LimitedDatasets::tableBytes).sum();
    long allowed = (long) most * AVERAGE_BYTES;
    if (tableBytes(wanted) > 0 && bytes + tableBytes(wanted) > allowed) {
      throw ClusterException.limited(
          "%s datasets with tables of %d bytes in their specs, and %d is the limit; upload this one as a file by REST, or delete some"
              .formatted(who, bytes, allowed));
    }
  }

  @Override
  public Subscription<Dataset> follow(String namespace, String name) {
    return datasets.follow(namespace, name);
  }

  @Override
  public Optional<Dataset> find(String namespace, String name) {
    return datasets.find(namespace, name);
  }

  @Override
  public Optional<Dataset> read(String namespace, String name) {
    return datasets.read(namespace, name);
  }

  @Override
  public List<Dataset> list(String namespace) {
    return datasets.list(namespace);
  }

  @Override
  public List<String> notOffered() {
    return datasets.notOffered();
  }

  @Override
  public boolean delete(Dataset read) {
    return datasets.delete(read);
  }
}
