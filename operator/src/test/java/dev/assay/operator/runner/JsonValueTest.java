package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "1.0",
        "123456789012345678901234567890.10e-2000",
        "\"\\u00e9 \u00e9 \ud83d\ude00\"",
        " {\"b\": 1, \"a\": [1, 2],\n \"b\": 2}\n"
      })
  void aValueKeepsItsDigitsItsOrderAndItsSpaces(String text) throws Exception {
    assertThat(JsonValue.check(text.getBytes(UTF_8))).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "nil", "NaN", "{", "[1,]", "{a:1}", "1 2", "{} {}", "\"\n\"", "'a'", "\"a"
      })
  void textThatIsNotOneJsonValueIsRefused(String text) {
    assertRefused(text.getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"cacheable\": true}",
        "{\"table\": {\"cacheable\": false}, \"cacheable\": true, \"rows\": [[1]]}",
        "{\"cache\\u0061ble\":true}"
      })
  void aValueIsCacheableIfItsOwnFieldSaysSo(String text) throws Exception {
    assertThat(JsonValue.isCacheable(JsonValue.check(text.getBytes(UTF_8)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "[true]",
        "{}",
        "{\"cacheable\": false}",
        "{\"cacheable\": \"true\"}",
        "{\"cacheable\": 1}",
        "{\"cacheable\": [true]}",
        "{\"a\": {\"cacheable\": true}}",
        "[{\"cacheable\": true}]",
        "{\"Cacheable\": true}",
        "{\"cacheable\": true, \"cacheable\": true}",
        "{\"cacheable\": true, \"cacheable\": false}",
        "{\"cacheable\": false, \"cacheable\": true}"
      })
  void anyOtherValueIsNotCacheable(String text) throws Exception {
    assertThat(JsonValue.isCacheable(JsonValue.check(text.getBytes(UTF_8)))).isFalse();
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() {
    assertRefused(new byte[] {'"', (byte) 0xff, '"'});
    assertRefused(new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'});
    assertRefused(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf, '1'});
    assertRefused("\"a\"".getBytes(java.nio.charset.StandardCharsets.UTF_16));
  }

  @Test
  void lengthAndNestingAreLimited() throws Exception {
    JsonValue.check(nested(JsonValue.MAX_DEPTH));
    assertRefused(nested(JsonValue.MAX_DEPTH + 1));
    assertRefused(nested(100_000));
    JsonValue.check(text(JsonValue.MAX_BYTES));
    assertRefused(text(JsonValue.MAX_BYTES + 1));
    JsonValue.check("9".repeat(JsonValue.MAX_BYTES).getBytes(UTF_8));
    JsonValue.check(("{" + text("k", JsonValue.MAX_BYTES - 4) + ":1}").getBytes(UTF_8));
  }

  private static byte[] nested(int depth) {
    return ("[".repeat(depth) + "]".repeat(depth)).getBytes(UTF_8);
  }

  private static byte[] text(int bytes) {
    return text("x", bytes).getBytes(UTF_8);
  }

  private static String text(String character, int bytes) {
    return "\"" + character.repeat(bytes - 2) + "\"";
  }

  private static void assertRefused(byte[] utf8) {
    assertThatThrownBy(() -> JsonValue.check(utf8)).isInstanceOf(ProtocolViolationException.class);
  }
}
