package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.FilePath;
import dev.assay.operator.pod.PodText;
import dev.assay.operator.runner.RunnerEvent.CodeError;
import dev.assay.operator.runner.RunnerEvent.Outcome;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses and validates a line of the event stream. */
final class EventParser {
  static final int MAX_LINE_BYTES = 512 * 1024;

  /** The maximum length of the name of a tool server, and of a tool. */
  static final int MAX_TOOL_TEXT = 256;

  private static final int MAX_CALLS = 1_000_000_000;

  private static final int MAX_DATA_BYTES = 32 * 1024;
  private static final int MAX_NAME = 32;
  private static final int MAX_TYPE = 256;
  private static final int MAX_MESSAGE = 4096;
  private static final int MAX_SENTENCE = 768;
  private static final int MAX_TRACEBACK = 16 * 1024;

  private static final Pattern ERROR_CODE = Pattern.compile("[A-Z_]{1,64}");

  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder()
                      .maxNestingDepth(16)
                      .maxStringLength(MAX_LINE_BYTES)
                      .maxNumberLength(32)
                      .maxNameLength(256)
                      .build())
              .build());

  private EventParser() {}

  /**
   * Parses a line.
   *
   * @return the event; empty for a ping
   * @throws ProtocolViolationException if the line is malformed
   */
  static Optional<RunnerEvent> parse(byte[] line) throws ProtocolViolationException {
    JsonNode node;
    try {
      node = JSON.readTree(line);
    } catch (IOException e) {
      // Invalid UTF-8 throws a plain IOException.
      throw new ProtocolViolationException("an event is not JSON");
    }
    if (!node.isObject()) {
      throw new ProtocolViolationException("an event is not a JSON object");
    }
    return switch (text(node, "type")) {
      case "ping" -> Optional.empty();
      case "started" -> Optional.of(new RunnerEvent.Started(number(node, "seq")));
      case "output" -> Optional.of(output(node));
      case "artifact" -> Optional.of(artifact(node));
      case "result" -> Optional.of(result(node));
      case "tool_call" -> Optional.of(toolCall(node));
      case String other ->
          throw new ProtocolViolationException(
              "unknown event type " + PodText.line(other, MAX_NAME));
    };
  }

  private static RunnerEvent.Output output(JsonNode node) throws ProtocolViolationException {
    byte[] data = binary(node.get("data"));
    if (data == null || data.length > MAX_DATA_BYTES) {
      throw new ProtocolViolationException("an output event has no data or too much data");
    }
    return new RunnerEvent.Output(number(node, "seq"), number(node, "offset"), data);
  }

  private static RunnerEvent.Artifact artifact(JsonNode node) throws ProtocolViolationException {
    long number = number(node, "number");
    String path = text(node, "path");
    if (number < 1 || number > Bounds.MAX_ARTIFACTS) {
      throw new ProtocolViolationException("an artifact has the number " + number);
    }
    if (!FilePath.isValid(path)) {
      throw new ProtocolViolationException("the path of artifact " + number + " is malformed");
    }
    long bytes = number(node, "bytes");
    byte[] data = binary(node.get("data"));
    if (data != null && data.length != bytes) {
      throw new ProtocolViolationException(
          "artifact %d of %d bytes has %d bytes of data".formatted(number, bytes, data.length));
    }
    return new RunnerEvent.Artifact(number(node, "seq"), (int) number, path, bytes, data);
  }

  private static RunnerEvent.ToolCall toolCall(JsonNode node) throws ProtocolViolationException {
    int call = number(node, "call", MAX_CALLS);
    JsonNode described = node.path("batch");
    RunnerEvent.Batch batch =
        described.isMissingNode() || described.isNull() ? null : batch(described);
    if (batch != null && (call < batch.first() || call > batch.last())) {
      throw new ProtocolViolationException("tool call " + call + " is not in its batch");
    }
    byte[] args = binary(node.get("args"));
    if (args != null && args.length > RunnerEvent.ToolCall.MAX_ARGS) {
      throw new ProtocolViolationException("the arguments of a tool call are too long");
    }
    return new RunnerEvent.ToolCall(
        number(node, "seq"), call, batch, toolText(node, "server"), toolText(node, "tool"), args);
  }

  private static RunnerEvent.Batch batch(JsonNode node) throws ProtocolViolationException {
    return new RunnerEvent.Batch(
        number(node, "first", MAX_CALLS),
        number(node, "size", RunnerEvent.Batch.MAX_SIZE),
        number(node, "maxParallel", Bounds.MAX_PARALLEL_TOOL_CALLS));
  }

  /** A number from 1. */
  private static int number(JsonNode node, String member, int max)
      throws ProtocolViolationException {
    long value = number(node, member);
    if (value < 1 || value > max) {
      throw new ProtocolViolationException(
          "the field %s of a tool call is %d".formatted(member, value));
    }
    return (int) value;
  }

  private static String toolText(JsonNode node, String member) throws ProtocolViolationException {
    String text = text(node, member);
    int bytes = text.getBytes(UTF_8).length;
    if (bytes < 1 || bytes > MAX_TOOL_TEXT) {
      throw new ProtocolViolationException(
          "the field %s of a tool call has %d bytes".formatted(member, bytes));
    }
    return text;
  }

  private static RunnerEvent.Result result(JsonNode node) throws ProtocolViolationException {
    JsonNode output = node.path("output");
    byte[] tail = binary(output.get("tail"));
    if (tail != null && tail.length > MAX_DATA_BYTES) {
      throw new ProtocolViolationException("the tail of the output is too long");
    }
    JsonNode description = node.path("value");
    return new RunnerEvent.Result(
        number(node, "seq"),
        outcome(node),
        error(node.path("error")),
        description.isMissingNode() || description.isNull() ? null : description,
        value(node.get("valueJson")),
        number(output, "bytes"),
        number(output, "storedBytes"),
        optionalText(output, "sha256", 64),
        tail,
        optionalNumber(node.path("usage"), "cpuMs"),
        optionalNumber(node.path("usage"), "peakMemoryBytes"),
        number(node, "durationMs"),
        sentence(node.path("artifactsMessage")));
  }

  private static @Nullable String sentence(JsonNode node) {
    return node.isTextual() ? PodText.line(node.textValue(), MAX_SENTENCE) : null;
  }

  private static Outcome outcome(JsonNode node) throws ProtocolViolationException {
    String name = text(node, "outcome");
    for (Outcome outcome : Outcome.values()) {
      if (outcome.name().equals(name)) {
        return outcome;
      }
    }
    throw new ProtocolViolationException("unknown outcome " + PodText.line(name, MAX_NAME));
  }

  private static @Nullable CodeError error(JsonNode node) throws ProtocolViolationException {
    if (!node.isObject()) {
      return null;
    }
    return new CodeError(
        PodText.line(text(node, "type"), MAX_TYPE),
        PodText.lines(text(node, "message"), MAX_MESSAGE),
        place(node, "line"),
        place(node, "column"),
        optionalText(node, "traceback", MAX_TRACEBACK),
        errorCode(node.path("code")));
  }

  private static @Nullable Integer place(JsonNode node, String member)
      throws ProtocolViolationException {
    Long number = optionalNumber(node, member);
    return number == null || number > Integer.MAX_VALUE ? null : number.intValue();
  }

  private static @Nullable String errorCode(JsonNode node) throws ProtocolViolationException {
    if (node.isMissingNode() || node.isNull()) {
      return null;
    }
    if (!node.isTextual() || !ERROR_CODE.matcher(node.textValue()).matches()) {
      throw new ProtocolViolationException("the code of an error is malformed");
    }
    return node.textValue();
  }

  private static @Nullable String value(@Nullable JsonNode node) throws ProtocolViolationException {
    byte[] text = binary(node);
    return text == null ? null : JsonValue.check(text);
  }

  private static String text(JsonNode node, String member) throws ProtocolViolationException {
    JsonNode value = node.path(member);
    if (!value.isTextual()) {
      throw new ProtocolViolationException("an event has no string field " + member);
    }
    return value.textValue();
  }

  private static @Nullable String optionalText(JsonNode node, String member, int max) {
    JsonNode value = node.path(member);
    return value.isTextual() ? PodText.lines(value.textValue(), max) : null;
  }

  private static long number(JsonNode node, String member) throws ProtocolViolationException {
    Long value = optionalNumber(node, member);
    if (value == null) {
      throw new ProtocolViolationException("an event has no number field " + member);
    }
    return value;
  }

  private static @Nullable Long optionalNumber(JsonNode node, String member) {
    JsonNode value = node.path(member);
    return value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0
        ? (Long) value.longValue()
        : null;
  }

  private static byte @Nullable [] binary(@Nullable JsonNode node)
      throws ProtocolViolationException {
    if (node == null || node.isNull()) {
      return null;
    }
    try {
      return node.binaryValue();
    } catch (IOException e) {
      throw new ProtocolViolationException("data is not base64");
    }
  }
}
