package dev.assay.frontend.toolserver;

import dev.assay.frontend.run.OutputStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Definitions of tools by their digests, which never change, so that the last ones are kept. */
public final class ToolDefinitions {
  private static final int MAX_KEPT = 256;

  /** Longer definitions are read each time that they are shown. */
  private static final int MAX_KEPT_BYTES = 16 * 1024;

  private final OutputStore store;
  private final Map<String, ToolDefinition> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ToolDefinition> eldest) {
          return size() > MAX_KEPT;
        }
      };

  public ToolDefinitions(OutputStore store) {
    this.store = store;
  }

  /** The definition of a tool; empty where it cannot be read now. */
  Optional<ToolDefinition> of(String namespace, CallableTool tool) throws InterruptedException {
    String key = namespace + "/" + tool.digest();
    synchronized (kept) {
      @Nullable ToolDefinition known = kept.get(key);
      if (known != null) {
        return Optional.of(known);
      }
    }
    if (!(store.readDefinition(namespace, tool.digest()) instanceof OutputStore.Bytes read)) {
      return Optional.empty();
    }
    Optional<ToolDefinition> definition = ToolDefinition.read(read.bytes());
    if (read.bytes().length <= MAX_KEPT_BYTES) {
      synchronized (kept) {
        definition.ifPresent(one -> kept.put(key, one));
      }
    }
    return definition;
  }
}
