package dev.assay.frontend.argument;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.frontend.run.Text;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The argument {@code options}: how pandas is to read. Which there are the snapshot Pod knows. */
final class ReaderOptions {
  private static final String NAME = "options";
  private static final Limit LIMIT = new Limit(16 * 1024);
  private static final int MOST = 64;

  /** Kubernetes' client speaks this Jackson; what comes in was read with the newer one. */
  private static final ObjectMapper JSON = new ObjectMapper();

  private ReaderOptions() {}

  /** By name; null where none were given. */
  static @Nullable Map<String, JsonNode> of(Arguments arguments) {
    Optional<Map<?, ?>> given = arguments.optionalObject(NAME, LIMIT);
    if (given.isEmpty() || given.get().isEmpty()) {
      return null;
    }
    if (given.get().size() > MOST) {
      throw BadArgumentException.value("'options' has more than " + MOST + " members");
    }
    Map<String, JsonNode> options = new LinkedHashMap<>();
    given
        .get()
        .forEach((name, value) -> options.put(String.valueOf(name), JSON.valueToTree(value)));
    int bytes = Text.bytes(options.toString());
    if (bytes > LIMIT.bytes()) {
      throw BadArgumentException.tooLong(NAME, bytes, LIMIT);
    }
    return options;
  }
}
