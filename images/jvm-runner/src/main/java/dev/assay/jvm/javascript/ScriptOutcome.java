package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** What became of a script, as the prelude writes it. */
final class ScriptOutcome {
  private static final JsonFactory JSON = new JsonFactory();

  private static final char VALUE = 'v';

  private ScriptOutcome() {}

  /**
   * The value of a script.
   *
   * @param outcome {@code v} and a value as JSON, {@code e} and the members of an error, or nothing
   *     where a promise was not settled
   * @param positions of the program that has run
   * @throws JobFailure if it has failed
   */
  static String value(String outcome, Positions positions) throws JobFailure {
    if (outcome.isEmpty()) {
      throw new JobFailure(
          ErrorCode.RUNTIME_ERROR,
          "Error",
          "The script awaits a promise that never settles: scripts have no timers or external"
              + " events");
    }
    String text = outcome.substring(1);
    if (outcome.charAt(0) != VALUE) {
      throw failure(members(text), positions);
    }
    int bytes = text.getBytes(UTF_8).length;
    if (bytes > ScriptRuntime.MAX_VALUE_BYTES) {
      throw new JobFailure(
          ErrorCode.SERIALIZATION_ERROR,
          "SerializationError",
          "The value takes %d bytes as JSON, and the limit is %d: return less of it"
              .formatted(bytes, ScriptRuntime.MAX_VALUE_BYTES));
    }
    return text;
  }

  /** The failure of a script that was ended. */
  static JobFailure ended(HostFunctions.End end, Positions positions) {
    return inScript(end.code(), end.type(), end.message(), end.stack(), positions);
  }

  private static JobFailure failure(Map<String, String> members, Positions positions) {
    return inScript(
        ErrorCode.valueOf(members.getOrDefault("code", ErrorCode.RUNTIME_ERROR.name())),
        members.getOrDefault("type", "Error"),
        members.getOrDefault("message", ""),
        members.getOrDefault("stack", ""),
        positions);
  }

  private static JobFailure inScript(
      ErrorCode code, String type, String message, String text, Positions positions) {
    ScriptStack stack = ScriptStack.of(text, positions);
    return JobFailure.inScript(
        code,
        type,
        message,
        stack
            .first()
            .map(place -> new JobFailure.Place(place.line(), place.column(), ""))
            .orElse(null),
        stack.text());
  }

  private static Map<String, String> members(String text) {
    Map<String, String> members = new HashMap<>();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      while (json.nextToken() != null) {
        if (json.hasToken(JsonToken.VALUE_STRING)) {
          members.put(json.currentName(), json.getString());
        }
      }
    } catch (JacksonException e) {
      throw new IllegalStateException(e);
    }
    return members;
  }
}
