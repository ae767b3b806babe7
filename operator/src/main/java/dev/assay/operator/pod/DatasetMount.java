package dev.assay.operator.pod;

/**
 * A dataset mounted in a Pod, read-only at {@code /datasets/NAME}.
 *
 * @param dataset its name
 * @param path the snapshot's directory on the namespace's volume
 */
public record DatasetMount(String dataset, String path) {
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
