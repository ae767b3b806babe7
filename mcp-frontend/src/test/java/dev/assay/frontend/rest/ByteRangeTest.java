package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
  @ParameterizedTest
  @CsvSource({
    "bytes=0-0, 0, 0",
    "bytes=2-5, 2, 5",
    "bytes=2-, 2, 9",
    "bytes=2-99, 2, 9",
    "bytes=-3, 7, 9",
    "bytes=-30, 0, 9",
    "bytes= 9-9, 9, 9"
  })
  void aRangeIsRead(String header, long first, long last) {
    assertThat(ByteRange.of(Optional.of(header), 10))
        .isEqualTo(new ByteRange.Part(new ByteRange(first, last)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bytes=-",
        "bytes=5-2",
        "bytes=0-1,3-4",
        "rows=1-2",
        "bytes=a-b",
        "bytes=1-99999999999999999999"
      })
  void whatAServerNeedNotKnowIsAllOfTheFile(String header) {
    assertThat(ByteRange.of(Optional.of(header), 10)).isEqualTo(new ByteRange.Whole());
  }

  @Test
  void aRangeBehindTheEndCannotBeHad() {
    assertThat(ByteRange.of(Optional.of("bytes=10-"), 10)).isEqualTo(new ByteRange.Unsatisfiable());
    assertThat(ByteRange.of(Optional.of("bytes=-0"), 10)).isEqualTo(new ByteRange.Unsatisfiable());
    assertThat(ByteRange.of(Optional.of("bytes=0-0"), 0)).isEqualTo(new ByteRange.Unsatisfiable());
    assertThat(ByteRange.of(Optional.empty(), 0)).isEqualTo(new ByteRange.Whole());
  }
}
