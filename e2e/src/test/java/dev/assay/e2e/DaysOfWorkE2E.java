package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Days of work with files of all kinds: the right numbers in each engine, by at most one error. */
@FullEverywhere
class DaysOfWorkE2E {
  static Stream<Arguments> days() {
    return SourceFile.listed("days-of-work.json").stream()
        .map(day -> Arguments.of(day.path("name").asText(), day.path("steps")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("days")
  void eachEngineHasTheRightNumbers(String name, JsonNode steps, Assay assay) {
    assertThat(Steps.run(assay, steps)).as("errors in " + name).isLessThanOrEqualTo(1);
  }
}
