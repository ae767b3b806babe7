package dev.assay.local.kubelet;

import java.nio.file.Path;
import java.util.Optional;

/** Finds the data of a PersistentVolumeClaim. */
@FunctionalInterface
public interface Claims {
  /** A claim in a namespace; empty if it does not exist. */
  Optional<Claim> find(String namespace, String name);

  /**
   * The data of a claim.
   *
   * @param directory of this machine
   * @param readOnly whether every container gets it read-only, whatever its Pod says
   */
  record Claim(Path directory, boolean readOnly) {}
}
