package dev.assay.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.digest.Sha256;
import java.util.Base64;

/** The event stream of one run that succeeds, as images/protocol describes it. */
final class StandInEvents {
  /** What a query returns. */
  private static final String TABLE =
      """
      {"table":{"columns":[{"name":"region","type":"VARCHAR"},{"name":"price","type":"BIGINT"}],\
      "rows":[["north",3],["south",4]],"totalRows":2,"truncated":false},"engine":"ENGINE",\
      "engineMs":5,"rowsScanned":2,"aggregation":false,"cacheable":true,"warnings":[]}""";

  /** What the worker of a snapshot reports. */
  private static final String SNAPSHOT =
      """
      {"rows":2,"columnCount":2,"tableColumns":2,"columns":[\
      {"name":"region","type":"str","nulls":0,"samples":["north","south"]},\
      {"name":"price","type":"int64","nulls":0,"samples":["3","4"]}],\
      "notes":[{"code":"OtherSeparator","message":"the separator was read","rows":0}],\
      "reading":2,\
      "memoryBytes":166,"peakMemoryBytes":8187904,"frame":"arrow","sha256":"DIGEST","bytes":12}"""
          .replace("DIGEST", "0".repeat(64));

  private static final ObjectMapper JSON = new ObjectMapper();

  private final StringBuilder output = new StringBuilder();
  private int seq;

  /** The number of the next event. */
  int next() {
    return seq + 1;
  }

  String started() {
    ObjectNode event = event("started");
    event.putObject("timings").put("importsMs", 1).put("datasetMs", 1).put("waitedMs", 1);
    return event.toString();
  }

  String output(String text) {
    ObjectNode event = event("output").put("offset", output.length());
    output.append(text);
    return event.put("data", base64(text)).toString();
  }

  /** A file that is to be fetched. */
  String artifact(int number, String path, String text) {
    return file(number, path, text).toString();
  }

  /** A file that need not be fetched. */
  String artifactWithData(int number, String path, String text) {
    return file(number, path, text).put("data", base64(text)).toString();
  }

  private ObjectNode file(int number, String path, String text) {
    return event("artifact")
        .put("number", number)
        .put("path", path)
        .put("bytes", text.getBytes(UTF_8).length);
  }

  String result(JsonNode job) throws JsonProcessingException {
    ObjectNode event = event("result").put("outcome", "Succeeded").putNull("error");
    event.putObject("exit").put("code", 0).putNull("signal");
    String kind = job.path("kind").asText();
    event.set("value", kind.equals("snapshot") ? JSON.readTree(SNAPSHOT) : JSON.nullNode());
    event.put("valueJson", job.has("reply") ? base64(TABLE.replace("ENGINE", engine(kind))) : null);
    String text = output.toString();
    event
        .putObject("output")
        .put("bytes", text.length())
        .put("storedBytes", text.length())
        .put("truncated", false)
        .put("sha256", Sha256.hex(text))
        .putNull("tail");
    event.putObject("usage").put("cpuMs", 31).put("peakMemoryBytes", 81_453_056);
    return event.put("durationMs", 5).toString();
  }

  private static String engine(String kind) {
    return switch (kind) {
      case "sql" -> "duckdb";
      case "polars" -> "polars";
      default -> "pandas";
    };
  }

  private ObjectNode event(String type) {
    seq++;
    return JSON.createObjectNode()
        .put("seq", seq)
        .put("type", type)
        .put("atMs", System.currentTimeMillis());
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }
}
