package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.assay.jvm.job.ErrorCode;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * That the result of a tool call ends the run.
 *
 * @param code of the error
 * @param message of the error
 */
record Termination(ErrorCode code, String message) {
  private static final JsonFactory JSON = new JsonFactory();

  /** A result that ends the run is no longer than this, so that others are not looked into. */
  private static final int MAX_BYTES = 64 * 1024;

  private static final String MEMBER = "terminate";

  /** Whether a result ends the run. */
  static Optional<Termination> in(byte[] result) {
    boolean may =
        result.length <= MAX_BYTES && new String(result, ISO_8859_1).contains('"' + MEMBER + '"');
    return may ? read(result) : Optional.empty();
  }

  private static Optional<Termination> read(byte[] result) {
    boolean ends = false;
    String code = "";
    String message = "";
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), result)) {
      boolean isObject = json.nextToken() == JsonToken.START_OBJECT;
      while (isObject && json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        if (name.equals(MEMBER)) {
          ends = value == JsonToken.VALUE_TRUE;
          json.skipChildren();
        } else if (name.equals("error") && value == JsonToken.START_OBJECT) {
          while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = json.currentName();
            boolean isText = json.nextToken() == JsonToken.VALUE_STRING;
            if (isText && member.equals("code")) {
              code = json.getString();
            } else if (isText && member.equals("message")) {
              message = json.getString();
            } else {
              json.skipChildren();
            }
          }
        } else {
          json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      return Optional.empty();
    }
    return ends ? Optional.of(new Termination(codeOf(code), message)) : Optional.empty();
  }

  private static ErrorCode codeOf(String name) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return ErrorCode.RUNTIME_ERROR;
  }
}
