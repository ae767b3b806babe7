package dev.assay.local.kubelet;

import java.nio.file.Path;
import java.util.Optional;

/** Knows where the data of a PersistentVolumeClaim is. */
@FunctionalInterface
public interface Claims {
  /** A claim of a namespace; empty where there is none. */
  Optional<Claim> find(String namespace, String name);

  /**
   * The data of a claim.
   *
   * @param directory of this machine
   * @param readOnly whether every container gets it read-only, whatever its Pod says
   */
  record Claim(Path directory, boolean readOnly) {}
}
