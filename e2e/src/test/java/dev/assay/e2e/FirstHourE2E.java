package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What agents meet in their first hour: the call that an error proposes is the next, and works. */
@FullEverywhere
class FirstHourE2E {
  static Stream<Arguments> parts() {
    return SourceFile.listed("first-hour.json").stream()
        .map(part -> Arguments.of(part.path("name").asText(), part.path("steps")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("parts")
  void eachErrorLeadsToACallThatWorks(String name, JsonNode steps, Assay assay) {
    var unused = Steps.run(assay, steps);
  }
}
