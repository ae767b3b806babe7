package dev.assay.jvm.table;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Blob;
import java.sql.SQLException;
import java.sql.Struct;
import java.sql.Timestamp;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Arrays;
import java.util.Map;
import org.duckdb.DuckDBStruct;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.json.JsonFactory;

/** The values of a result as JSON. */
public final class Cells {
  static final int MAX_CELL_BYTES = 4096;
  private static final String CUT = "…";

  private static final JsonFactory JSON = new JsonFactory();

  // With seconds, even where they are zero, as the engine and Python write them.
  private static final DateTimeFormatter TIME = DateTimeFormatter.ISO_LOCAL_DATE_TIME;
  private static final DateTimeFormatter ZONED_TIME =
      new DateTimeFormatterBuilder().append(TIME).appendOffset("+HH:MM", "+00:00").toFormatter();

  /** Nobody reads deeper values. */
  private static final int MAX_DEPTH = 32;

  private static final long MAX_EXACT = 1L << 53;
  private static final BigInteger MAX_EXACT_INTEGER = BigInteger.valueOf(MAX_EXACT);

  private Cells() {}

  /** The JSON of one cell. */
  public static String json(@Nullable Object value) throws SQLException {
    if (value instanceof String text) {
      return '"' + new String(JsonStringEncoder.getInstance().quoteAsCharArray(text)) + '"';
    }
    if (value == null || value instanceof Boolean || value instanceof Integer) {
      return String.valueOf(value);
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      write(json, value, 0);
    }
    return text.toString();
  }

  /** The number that a text of the engine is if a double holds it, else the text itself. */
  public static Object exactNumber(String text) {
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      return text;
    }
  }

  /** The number that a text of the engine such as {@code 1.5}, {@code -inf} or {@code nan} is. */
  public static Double floatingNumber(String text) {
    return switch (text) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan" -> Double.NaN;
      default -> Double.valueOf(text);
    };
  }

  /** ISO 8601 for a text of the engine such as {@code 2024-01-01 12:00:00+00}. */
  public static String isoTimestamp(String text) {
    int space = text.indexOf(' ');
    if (space < 0 || !Character.isDigit(text.charAt(0))) {
      return text; // An infinity.
    }
    String iso = text.substring(0, space) + 'T' + text.substring(space + 1);
    int sign = iso.length() - 3;
    boolean hasWholeHours =
        sign > 0 && (iso.charAt(sign) == '+' || iso.charAt(sign) == '-') && iso.indexOf('T') < sign;
    return hasWholeHours ? iso + ":00" : iso;
  }

  /** A text without what a cell has no room for. */
  static String shortened(String text, int maxBytes) {
    int room = maxBytes - 2 - CUT.length() * 3;
    int end = 0;
    while (end < text.length()) {
      room -= jsonBytes(text.charAt(end));
      if (room < 0) {
        break;
      }
      end++;
    }
    if (end == text.length()) {
      return text;
    }
    return text.substring(0, end) + CUT;
  }

  /** The length in JSON; that of a pair is counted at its first half. */
  private static int jsonBytes(char character) {
    if (character < 0x80) {
      return "\"\\\b\t\n\f\r".indexOf(character) >= 0 ? 2 : character < ' ' ? 6 : 1;
    }
    if (Character.isSurrogate(character)) {
      return Character.isHighSurrogate(character) ? 4 : 0;
    }
    return character < 0x800 ? 2 : 3;
  }

  private static void write(JsonGenerator json, @Nullable Object value, int depth)
      throws SQLException {
    if (depth > MAX_DEPTH) {
      json.writeString(CUT);
      return;
    }
    switch (value) {
      case null -> json.writeNull();
      case Boolean truth -> json.writeBoolean(truth);
      case Double number -> writeDouble(json, number);
      case Float number -> writeFloat(json, number);
      case BigDecimal number -> writeDecimal(json, number);
      case BigInteger number -> writeInteger(json, number);
      case Number number -> writeLong(json, number.longValue());
      case Struct struct -> writeStruct(json, struct, depth);
      case Array array -> writeArray(json, array.getArray(), depth);
      case Object[] array -> writeArray(json, array, depth);
      case Map<?, ?> map -> writeMap(json, map, depth);
      case Blob blob -> json.writeString(escaped(blob.getBytes(1, (int) blob.length())));
      case Timestamp timestamp -> json.writeString(TIME.format(timestamp.toLocalDateTime()));
      case OffsetDateTime time -> json.writeString(ZONED_TIME.format(time));
      case LocalTime time -> json.writeString(DateTimeFormatter.ISO_LOCAL_TIME.format(time));
      default -> json.writeString(value.toString());
    }
  }

  /** JSON has no number for an infinity or NaN: they are texts, so that they are not NULL. */
  private static void writeDouble(JsonGenerator json, double number) {
    if (Double.isFinite(number)) {
      json.writeNumber(number);
    } else {
      json.writeString(Double.toString(number));
    }
  }

  private static void writeFloat(JsonGenerator json, float number) {
    if (Float.isFinite(number)) {
      json.writeNumber(number);
    } else {
      json.writeString(Float.toString(number));
    }
  }

  private static void writeLong(JsonGenerator json, long number) {
    if (number > MAX_EXACT || number < -MAX_EXACT) {
      json.writeString(Long.toString(number));
    } else {
      json.writeNumber(number);
    }
  }

  private static void writeInteger(JsonGenerator json, BigInteger number) {
    if (number.abs().compareTo(MAX_EXACT_INTEGER) > 0) {
      json.writeString(number.toString());
    } else {
      json.writeNumber(number);
    }
  }

  private static void writeDecimal(JsonGenerator json, BigDecimal number) {
    if (number.scale() <= 0) {
      writeInteger(json, number.toBigInteger());
    } else if (new BigDecimal(Double.toString(number.doubleValue())).compareTo(number) == 0) {
      json.writeNumber(number.toPlainString());
    } else {
      json.writeString(number.toPlainString());
    }
  }

  private static void writeStruct(JsonGenerator json, Struct struct, int depth)
      throws SQLException {
    if (struct instanceof DuckDBStruct named) {
      writeMap(json, named.getMap(), depth);
    } else {
      writeArray(json, struct.getAttributes(), depth);
    }
  }

  private static void writeMap(JsonGenerator json, Map<?, ?> map, int depth) throws SQLException {
    json.writeStartObject();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      json.writeName(key(entry.getKey()));
      write(json, entry.getValue(), depth + 1);
    }
    json.writeEndObject();
  }

  private static String key(@Nullable Object key) throws SQLException {
    return switch (key) {
      case null -> "null";
      case String text -> text;
      case Array array -> Arrays.deepToString((Object[]) array.getArray());
      default -> key.toString();
    };
  }

  private static void writeArray(JsonGenerator json, Object array, int depth) throws SQLException {
    json.writeStartArray();
    int length = java.lang.reflect.Array.getLength(array);
    for (int i = 0; i < length; i++) {
      write(json, java.lang.reflect.Array.get(array, i), depth + 1);
    }
    json.writeEndArray();
  }

  /** Bytes as the engine shows them: printable ASCII as it is, others as {@code \xFF}. */
  private static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte one : bytes) {
      if (one >= ' ' && one < 0x7F && one != '\\' && one != '\'' && one != '"') {
        text.append((char) one);
      } else {
        text.append("\\x%02X".formatted(one & 0xFF));
      }
    }
    return text.toString();
  }
}
