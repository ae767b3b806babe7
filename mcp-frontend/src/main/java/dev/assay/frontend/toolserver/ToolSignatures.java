package dev.assay.frontend.toolserver;

import dev.assay.frontend.run.OutputStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Signatures of tools by the digests of their definitions, which never change, so that the last
 * ones are kept.
 */
public final class ToolSignatures {
  private static final int MAX_KEPT = 256;

  /** Longer definitions are read each time that they are shown. */
  private static final int MAX_KEPT_BYTES = 16 * 1024;

  private final OutputStore store;
  private final Map<String, ToolSignature> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ToolSignature> eldest) {
          return size() > MAX_KEPT;
        }
      };

  public ToolSignatures(OutputStore store) {
    this.store = store;
  }

  /** The signature of a tool; empty where it cannot be read now. */
  Optional<ToolSignature> of(String namespace, CallableTool tool) throws InterruptedException {
    String key = namespace + "/" + tool.digest();
    synchronized (kept) {
      @Nullable ToolSignature known = kept.get(key);
      if (known != null) {
        return Optional.of(known);
      }
    }
    if (!(store.readDefinition(namespace, tool.digest()) instanceof OutputStore.Bytes read)) {
      return Optional.empty();
    }
    Optional<ToolSignature> signature = ToolSignature.read(read.bytes());
    if (read.bytes().length <= MAX_KEPT_BYTES) {
      synchronized (kept) {
        signature.ifPresent(one -> kept.put(key, one));
      }
    }
    return signature;
  }
}
