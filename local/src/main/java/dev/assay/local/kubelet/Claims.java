package dev.assay.local.kubelet;

import java.nio.file.Path;
import java.util.Optional;

/** Knows where the data of a PersistentVolumeClaim is. */
@FunctionalInterface
public interface Claims {
  /** The directory of a claim of a namespace; empty where there is none. */
  Optional<Path> directory(String namespace, String claim);
}
