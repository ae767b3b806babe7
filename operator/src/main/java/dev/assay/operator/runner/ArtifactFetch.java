package dev.assay.operator.runner;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Artifacts that a Pod delivers, in the order in which they were asked for. */
public interface ArtifactFetch extends Closeable {
  /**
   * The next artifact. The one before must have been read to its end.
   *
   * @return its bytes, exactly as many as were announced; empty if the Pod has lost it
   * @throws ArtifactLostException if the Pod does not deliver it now; also from the stream
   */
  Optional<InputStream> next() throws IOException;
}
