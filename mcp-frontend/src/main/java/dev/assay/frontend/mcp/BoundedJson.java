package dev.assay.frontend.mcp;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.run.Text;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads one message in memory of a known bound, whatever its length. The objects that a call
 * consists of (the message, its params, their arguments) are read member by member; a member that
 * is longer than most tools take is left as it is, and stands there as a {@link OversizedValue}.
 */
final class BoundedJson {
  /** Longest text that is read: the longest that most tools take. */
  static final int MAX_TEXT_BYTES = Math.max(Bounds.MAX_CODE_BYTES, Bounds.MAX_INLINE_BYTES);

  /** Longest JSON of an array or object that is kept. */
  static final int MAX_TREE_BYTES = 4 * Bounds.MAX_INLINE_BYTES;

  /** Most JSON that is kept of a whole message. */
  static final int MAX_KEPT_BYTES = 2 * MAX_TREE_BYTES;

  /** What a byte of JSON takes where it becomes maps and lists; {@code {"a":{}}} is the worst. */
  private static final int HEAP_PER_TREE_BYTE = 32;

  /** The body that it keeps, and where a tool takes it the text and its UTF-8. */
  private static final int HEAP_PER_LONG_BYTE = 4;

  private static final int HEAP_PER_CHAR = 2;
  private static final int HEAP_PER_MEMBER = 128;
  private static final int MAX_SHOWN_NAME = 64;
  private static final int MESSAGE = 0;
  private static final int ARGUMENTS = 2;

  private final byte[] json;
  private final JsonMapper mapper;
  private final JsonParser parser;

  /** The names of the fields that lead to what is read. */
  private final Deque<String> place = new ArrayDeque<>();

  private long keptBytes;
  private long heapBytes;

  private BoundedJson(byte[] json, JsonMapper mapper, JsonParser parser) {
    this.json = json;
    this.mapper = mapper;
    this.parser = parser;
  }

  /**
   * What was read.
   *
   * @param value numbers, texts, truth values, maps, lists, null and long values
   * @param heapBytes about what it takes in memory, rather too much than too little
   */
  record Read(@Nullable Object value, long heapBytes) {}

  /**
   * Reads a body that is one JSON value in UTF-8.
   *
   * @throws InvalidJsonException where it is not, or where there is too much in it to be kept
   * @throws JacksonException where it is not JSON
   */
  static Read read(byte[] body, JsonMapper mapper) {
    requireUtf8(body);
    // A member that occurs twice is looked for in what is kept only: it costs memory.
    try (JsonParser parser =
        mapper.reader().without(StreamReadFeature.STRICT_DUPLICATE_DETECTION).createParser(body)) {
      BoundedJson reading = new BoundedJson(body, mapper, parser);
      if (parser.nextToken() == null) {
        throw new InvalidJsonException("The body is empty");
      }
      Object value = reading.whole();
      if (parser.nextToken() != null) {
        throw new InvalidJsonException("Unexpected data after the JSON value in the body");
      }
      return new Read(value, reading.heapBytes);
    }
  }

  private @Nullable Object whole() {
    try {
      return value(MESSAGE);
    } catch (StreamConstraintsException e) {
      throw new InvalidJsonException(
          subject() + " is nested too deeply, or has too long a number or name");
    }
  }

  /** What is read, for a message. */
  private String subject() {
    return place.isEmpty()
        ? "The JSON"
        : place.stream()
            .map(name -> Text.oneLine(name, MAX_SHOWN_NAME))
            .collect(Collectors.joining(".", "'", "'"));
  }

  /** The JSON library would also read UTF-16 and UTF-32, in which a NUL or 0xFE comes early. */
  private static void requireUtf8(byte[] body) {
    for (int i = 0; i < Math.min(4, body.length); i++) {
      if (body[i] == 0 || body[i] == (byte) 0xFE || body[i] == (byte) 0xFF) {
        throw new InvalidJsonException("The body is not UTF-8");
      }
    }
  }

  private @Nullable Object value(int depth) {
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> depth <= ARGUMENTS ? members(depth) : tree(OversizedValue.Kind.OBJECT);
      case START_ARRAY -> tree(OversizedValue.Kind.ARRAY);
      case VALUE_STRING -> text();
      case VALUE_NUMBER_INT -> parser.getNumberValue();
      case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new IllegalStateException("no value begins with " + token);
    };
  }

  private Map<String, @Nullable Object> members(int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      keep(name.length() + 1L, HEAP_PER_MEMBER + (long) HEAP_PER_CHAR * name.length());
      if (members.containsKey(name)) {
        throw new InvalidJsonException(
            "The field '" + Text.oneLine(name, MAX_SHOWN_NAME) + "' occurs twice");
      }
      place.addLast(name);
      parser.nextToken();
      members.put(name, value(depth + 1));
      place.removeLast();
    }
    return members;
  }

  private Object text() {
    int start = (int) parser.currentTokenLocation().getByteOffset();
    long bytes = JsonText.utf8Length(json, start);
    if (bytes > MAX_TEXT_BYTES) {
      return oversized(OversizedValue.Kind.TEXT, bytes, start, JsonText.length(json, start));
    }
    keep(bytes, HEAP_PER_CHAR * bytes);
    return parser.getString();
  }

  private Object tree(OversizedValue.Kind kind) {
    int start = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int bytes = (int) parser.currentLocation().getByteOffset() - start;
    if (bytes > MAX_TREE_BYTES) {
      return oversized(kind, bytes, start, bytes);
    }
    keep(bytes, (long) HEAP_PER_TREE_BYTE * bytes);
    try {
      return mapper.readValue(json, start, bytes, Object.class);
    } catch (JacksonException e) {
      throw new InvalidJsonException(
          subject() + " has a field twice, or a number that is too long");
    }
  }

  private OversizedValue oversized(OversizedValue.Kind kind, long bytes, int start, int length) {
    heapBytes += (long) HEAP_PER_LONG_BYTE * length;
    return new OversizedValue(kind, bytes, json, start, length);
  }

  private void keep(long bytes, long heap) {
    keptBytes += bytes;
    heapBytes += heap;
    if (keptBytes > MAX_KEPT_BYTES) {
      throw new InvalidJsonException(
          "The body has more than " + MAX_KEPT_BYTES + " bytes apart from single long fields");
    }
  }
}
