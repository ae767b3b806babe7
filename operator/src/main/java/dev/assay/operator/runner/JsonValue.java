package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * Validates JSON text that a run is given, or that its code returned. The text is passed on as it
 * is: reading it into objects and writing those would change the order of fields and the digits of
 * numbers.
 */
public final class JsonValue {
  /** The maximum length of a value. */
  static final int MAX_BYTES = 256 * 1024;

  /** How deep arrays and objects may be nested. */
  public static final int MAX_DEPTH = 64;

  private static final String CACHEABLE = "cacheable";

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(MAX_BYTES)
                  .maxNumberLength(MAX_BYTES)
                  .maxNameLength(MAX_BYTES)
                  .build())
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .build();

  private JsonValue() {}

  /** Whether a text is one JSON value of a length and a depth that a runner takes. */
  public static boolean isValid(String text) {
    try {
      return text.equals(check(text.getBytes(UTF_8)));
    } catch (ProtocolViolationException e) {
      return false;
    }
  }

  /**
   * Returns the text if it is one JSON value.
   *
   * @throws ProtocolViolationException if it is not, is too long or is nested too deep
   */
  static String check(byte[] utf8) throws ProtocolViolationException {
    if (utf8.length > MAX_BYTES) {
      throw new ProtocolViolationException("a value is longer than " + MAX_BYTES + " bytes");
    }
    String text = decode(utf8);
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new ProtocolViolationException("a value is empty");
      }
      parser.skipChildren();
      if (parser.nextToken() != null) {
        throw new ProtocolViolationException("a value is followed by another");
      }
    } catch (IOException e) {
      throw new ProtocolViolationException("a value is not JSON or nested too deep");
    }
    return text;
  }

  /**
   * Whether a value that was checked is an object whose field {@code cacheable} is true: that of
   * the object itself, once. Nothing else of it is read.
   */
  static boolean isCacheable(String checked) {
    boolean cacheable = false;
    boolean seen = false;
    try (JsonParser parser = JSON.createParser(checked)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean named = CACHEABLE.equals(parser.currentName());
        JsonToken token = parser.nextToken();
        if (named && seen) {
          return false;
        }
        seen |= named;
        cacheable |= named && token == JsonToken.VALUE_TRUE;
        parser.skipChildren();
      }
      return cacheable;
    } catch (IOException e) {
      throw new UncheckedIOException("A value that was checked is malformed", e);
    }
  }

  private static String decode(byte[] utf8) throws ProtocolViolationException {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new ProtocolViolationException("a value is not UTF-8");
    }
  }
}
