package dev.assay.frontend.mcp;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.OversizedValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

class BoundedJsonTest {
  private static final JsonMapper MAPPER = Json.mapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "7",
        "null",
        "\"x\"",
        "{'id':1,'method':'m','params':{'name':'n','arguments':{'a':'b','c':null,'d':[1,{'e':[]}]}}}",
        "{'n':[1,-2.50,1e3,12345678901234567890,true,false,null]}",
        "{ 'é' : 'x\\u00e9\\ud83d\\ude00\\n\\\"' , 'o' : { 'p' : { 'q' : { 'r' : '}' } } } }",
        "\uFEFF{'a':'behind a byte order mark','b':['x']}",
        "{'a':1.0,'b':-0,'c':1E+5,'d':99999999999}",
      })
  void whatIsShortIsReadAsTheJsonLibraryReadsIt(String json) {
    byte[] body = json.replace('\'', '"').getBytes(UTF_8);

    assertThat(BoundedJson.read(body, MAPPER).value())
        .isEqualTo(MAPPER.readValue(body, Object.class));
  }

  @Test
  void numbersKeepTheFormTheyWereWrittenIn() {
    assertThat(read("{\"a\":1.0,\"b\":[1.50],\"c\":10000000000000000000001}"))
        .isEqualTo(
            Map.of(
                "a",
                new BigDecimal("1.0"),
                "b",
                List.of(new BigDecimal("1.50")),
                "c",
                new BigInteger("10000000000000000000001")));
  }

  @Test
  void aTextOfTheMostIsKeptAndALongerOneIsPassedOver() {
    String most = "é".repeat(BoundedJson.MAX_TEXT_BYTES / 2);

    assertThat(read("{\"t\":\"" + most + "\",\"id\":3}")).isEqualTo(Map.of("t", most, "id", 3));
    assertThat(read("{\"t\":\"" + most + "x\",\"id\":3}"))
        .isEqualTo(Map.of("t", text(BoundedJson.MAX_TEXT_BYTES + 1), "id", 3));
  }

  @Test
  void theLengthOfATextIsThatOfWhatItStandsFor() {
    String escaped = "\\u00e9\\n\\\"\\\\\\ud83d\\ude00\\u0041\\u20AC".repeat(30_000);
    long bytes = 30_000 * (2 + 1 + 1 + 1 + 4 + 1 + 3);

    assertThat(read("[\"x\"]")).isEqualTo(List.of("x"));
    assertThat(read("{\"t\":\"" + escaped + "\"}")).isEqualTo(Map.of("t", text(bytes)));
  }

  @Test
  void aLongArrayOrObjectIsPassedOverAsAMemberAndWithin() {
    String row = "{\"a\":[1,\"]}\"]},";
    String rows = row.repeat(BoundedJson.MAX_TREE_BYTES / row.length() + 1);
    String array = "[" + rows + "0]";
    String object = "{\"rows\":" + array + "}";

    assertThat(read("{\"params\":{\"arguments\":{\"r\":" + array + ",\"s\":" + object + "}}}"))
        .isEqualTo(
            Map.of(
                "params",
                Map.of(
                    "arguments",
                    Map.of(
                        "r",
                        Fixtures.oversized(OversizedValue.Kind.ARRAY, array.length()),
                        "s",
                        Fixtures.oversized(OversizedValue.Kind.OBJECT, object.length())))));
    assertThat(read(array))
        .isEqualTo(Fixtures.oversized(OversizedValue.Kind.ARRAY, array.length()));
  }

  @Test
  void manyMembersThatAreShortEachAreNotKeptWithoutBound() {
    StringBuilder wide = new StringBuilder("{\"params\":{\"arguments\":{");
    for (int i = 0; wide.length() < 3 * BoundedJson.MAX_KEPT_BYTES; i++) {
      wide.append("\"argument-").append(i).append("\":1,");
    }
    wide.append("\"z\":1}}}");
    String value = "\"" + "x".repeat(BoundedJson.MAX_TEXT_BYTES) + "\"";
    StringBuilder heavy = new StringBuilder("{");
    for (int i = 0; i < 9; i++) {
      heavy.append("\"m").append(i).append("\":").append(value).append(',');
    }
    heavy.append("\"z\":1}");

    assertThatThrownBy(() -> read(wide.toString())).hasMessageContaining("more than 2097152 bytes");
    assertThatThrownBy(() -> read(heavy.toString()))
        .hasMessageContaining("more than 2097152 bytes");
  }

  @Test
  void theMemoryThatWasTakenIsToldRatherTooHigh() {
    String array = "[" + "{\"a\":{}},".repeat(10_000) + "{}]";

    assertThat(heapOf("{\"a\":\"" + "x".repeat(1000) + "\"}")).isBetween(2_000L, 4_000L);
    assertThat(heapOf("{\"a\":" + array + "}")).isGreaterThan(28L * array.length());
    assertThat(heapOf("{\"a\":\"" + "x".repeat(10_000_000) + "\"}"))
        .as("the body, the text and its UTF-8")
        .isBetween(40_000_000L, 41_000_000L);
  }

  @Test
  void aLongValueSaysWhereItStandsInTheBody() {
    String text = "\"" + "\\\"é".repeat(BoundedJson.MAX_TEXT_BYTES / 2) + "\"";
    String array = "[" + "1,".repeat(BoundedJson.MAX_TREE_BYTES / 2) + "1]";
    byte[] body = ("{ \"t\" : " + text + " , \"r\" : " + array + " }").getBytes(UTF_8);

    Map<?, ?> read = (Map<?, ?>) requireNonNull(BoundedJson.read(body, MAPPER).value());
    assertThat(jsonOf(read.get("t"))).isEqualTo(text);
    assertThat(jsonOf(read.get("r"))).isEqualTo(array);
  }

  private static String jsonOf(@Nullable Object value) {
    OversizedValue passedOver = (OversizedValue) requireNonNull(value);
    return new String(passedOver.body(), passedOver.start(), passedOver.length(), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'a':1,'a':2}",
        "{'p':{'a':1,'a':2}}",
        "{'p':{'q':{'a':1,'a':2}}}",
        "{'p':{'q':{'r':{'a':1,'a':2}}}}",
        "{'p':[{'a':1,'a':2}]}",
        "{} {}",
        "{}x",
        "",
        "  ",
        "{",
        "{'a'}",
        "{'a':'b",
        "{'a':\\\\",
        "['\\\\u12",
        "[\\t'\\u0000']",
        "nul",
        "{'a':tru}",
      })
  void whatIsNotOneJsonValueIsRefused(String json) {
    assertThatThrownBy(() -> read(json.replace('\'', '"')))
        .isInstanceOfAny(InvalidJsonException.class, JacksonException.class);
  }

  @Test
  void onlyUtf8IsRead() {
    assertThatThrownBy(() -> BoundedJson.read("{}".getBytes(UTF_16), MAPPER))
        .hasMessage("The body is not UTF-8");
    assertThatThrownBy(() -> BoundedJson.read(new byte[] {'{', 0, '}', 0}, MAPPER))
        .hasMessage("The body is not UTF-8");
    assertThatThrownBy(() -> BoundedJson.read(new byte[] {'[', '"', (byte) 0xC3, '"', ']'}, MAPPER))
        .isInstanceOf(JacksonException.class);
  }

  @Test
  void aLongTextThatDoesNotEndIsRefused() {
    byte[] body = new byte[5_000_000];
    Arrays.fill(body, (byte) 'x');
    body[0] = '"';

    assertThatThrownBy(() -> BoundedJson.read(body, MAPPER)).isInstanceOf(JacksonException.class);
    body[body.length - 1] = '\\';
    assertThatThrownBy(() -> BoundedJson.read(body, MAPPER)).isInstanceOf(JacksonException.class);
  }

  private static @Nullable Object read(String json) {
    return withoutBody(BoundedJson.read(json.getBytes(UTF_8), MAPPER).value());
  }

  private static @Nullable Object withoutBody(@Nullable Object value) {
    if (value instanceof OversizedValue passedOver) {
      return Fixtures.oversized(passedOver.kind(), passedOver.bytes());
    }
    if (!(value instanceof Map<?, ?> members)) {
      return value;
    }
    Map<Object, @Nullable Object> plain = new LinkedHashMap<>();
    members.forEach((name, member) -> plain.put(name, withoutBody(member)));
    return plain;
  }

  private static long heapOf(String json) {
    return BoundedJson.read(json.getBytes(UTF_8), MAPPER).heapBytes();
  }

  private static OversizedValue text(long bytes) {
    return Fixtures.oversized(OversizedValue.Kind.TEXT, bytes);
  }
}
