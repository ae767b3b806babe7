package dev.assay.tokens;

import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the lines of a file of transcripts take in the context of a model. A line is the listing of
 * a system, or the transcript of one task:
 *
 * <pre>{@code
 * {"system": "s", "listing": {"instructions": "text", "tools": [{"name": "t", ...}]}}
 * {"system": "s", "task": "t", "prompt": "text", "turns": [{"tool": "t", "arguments": {},
 *   "text": "text", "structured": {}, "pictures": [{"width": 600, "height": 360}]}]}
 * }</pre>
 *
 * <p>Each text becomes an object with its {@code tokens}, and its {@code bytes} in UTF-8. JSON is
 * counted in its shortest form.
 */
final class TranscriptCounts {
  /** What clients hand to a model of a tool; the rest they keep. */
  private static final List<String> SEEN_BY_MODELS = List.of("name", "description", "inputSchema");

  private static final int PIXELS_OF_A_TOKEN = 750;

  private final JsonMapper json;

  TranscriptCounts(JsonMapper json) {
    this.json = json;
  }

  /** The counts of one line. */
  ObjectNode of(JsonNode line) {
    ObjectNode counts = json.createObjectNode();
    counts.set("system", line.path("system"));
    if (line.has("listing")) {
      counts.set("listing", listing(line.get("listing")));
      return counts;
    }
    counts.set("task", line.path("task"));
    counts.set("prompt", count(line.path("prompt").asString("")));
    ArrayNode turns = counts.putArray("turns");
    line.path("turns").forEach(turn -> turns.add(turn(turn)));
    return counts;
  }

  private ObjectNode listing(JsonNode listing) {
    String instructions = listing.path("instructions").asString("");
    ArrayNode seen = json.createArrayNode();
    for (JsonNode tool : listing.path("tools")) {
      ObjectNode part = seen.addObject();
      SEEN_BY_MODELS.stream().filter(tool::has).forEach(name -> part.set(name, tool.get(name)));
    }
    ObjectNode counts = json.createObjectNode();
    counts.set("whole", count(instructions + "\n" + listing.path("tools")));
    counts.set("seenByModels", count(instructions + "\n" + seen));
    return counts;
  }

  private ObjectNode turn(JsonNode turn) {
    ObjectNode call = json.createObjectNode();
    call.set("name", turn.path("tool"));
    call.set("arguments", turn.path("arguments"));
    JsonNode structured = turn.path("structured");
    ObjectNode counts = json.createObjectNode();
    counts.set("call", count(call.toString()));
    counts.set("text", count(turn.path("text").asString("")));
    counts.set(
        "structured",
        count(structured.isMissingNode() || structured.isNull() ? "" : structured.toString()));
    long pixels = 0;
    for (JsonNode picture : turn.path("pictures")) {
      pixels += picture.path("width").asLong(0) * picture.path("height").asLong(0);
    }
    counts.put("pictures", Math.ceilDiv(pixels, PIXELS_OF_A_TOKEN));
    return counts;
  }

  private ObjectNode count(String text) {
    return json.createObjectNode()
        .put("tokens", Tokens.of(text))
        .put("bytes", text.getBytes(StandardCharsets.UTF_8).length);
  }
}
