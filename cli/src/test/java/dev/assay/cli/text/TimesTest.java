package dev.assay.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "2026-11-20T11:59:30Z, 30s",
    "2026-11-20T11:40:00Z, 20m",
    "2026-11-20T02:00:00Z, 10h",
    "2026-11-10T12:00:00Z, 10d",
    "2026-11-20T12:00:05Z, 0s",
    "yesterday, -"
  })
  void agesAreShort(String then, String age) {
    assertThat(Times.age(then, NOW)).isEqualTo(age);
  }

  @ParameterizedTest
  @CsvSource({"30, 30ms", "1500, 1.5s", "42000, 42s"})
  void durationsAreShort(long millis, String text) {
    assertThat(Times.duration(millis)).isEqualTo(text);
  }
}
