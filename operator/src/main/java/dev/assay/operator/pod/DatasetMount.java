package dev.assay.operator.pod;

import org.jspecify.annotations.Nullable;

/**
 * A dataset mounted in a Pod, read-only at {@code /datasets/NAME}.
 *
 * @param dataset its name
 * @param path the snapshot's directory on the namespace's volume
 * @param displayName the name that its owner gave it; null if it is {@code dataset}
 * @param untrusted whether it may contain content of tool servers
 */
public record DatasetMount(
    String dataset, String path, @Nullable String displayName, boolean untrusted) {
  private static final String ROOT = "snapshots/";

  /** The directory of a snapshot, relative to the namespace's volume. */
  public static String pathOf(String datasetUid, String version) {
    return ROOT + datasetUid + "/" + version;
  }

  /** The id of the snapshot, derived from its directory. */
  public String snapshotId() {
    return path.substring(ROOT.length()).replace('/', '-');
  }
}
