package dev.assay.frontend.argument;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.frontend.run.Text;
import java.util.LinkedHashMap;
import java.util.Map;

/** How pandas is to read a source, by keyword. Which options there are the snapshot Pod knows. */
final class ReaderOptions {
  private static final Limit LIMIT = new Limit(16 * 1024);
  private static final int MAX_OPTIONS = 64;

  /** Kubernetes' client speaks this Jackson; what comes in was read with the newer one. */
  private static final ObjectMapper JSON = new ObjectMapper();

  static final ArgumentType<Map<String, JsonNode>> TYPE =
      new ArgumentType<>(
          "object",
          (name, value) -> options(name, ArgumentTypes.object(LIMIT).reader().read(name, value)));

  private ReaderOptions() {}

  private static Map<String, JsonNode> options(String name, Map<?, ?> given) {
    if (given.size() > MAX_OPTIONS) {
      throw BadArgumentException.value("'" + name + "' has more than " + MAX_OPTIONS + " fields");
    }
    Map<String, JsonNode> options = new LinkedHashMap<>();
    given.forEach((option, value) -> options.put(String.valueOf(option), JSON.valueToTree(value)));
    int bytes = Text.bytes(options.toString());
    if (bytes > LIMIT.bytes()) {
      throw BadArgumentException.tooLong(name, bytes, LIMIT);
    }
    return options;
  }
}
