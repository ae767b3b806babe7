package dev.assay.jvm.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
  private static final List<String> NAMES = List.of("dataset", "size", "flag", "columns", "seed");

  @Test
  void argumentsHaveTheirTypes() throws JobFailure {
    Arguments arguments =
        Arguments.parse(
            "{\"dataset\":\"x\",\"size\":3,\"flag\":false,\"columns\":[\"a\",\"\"],\"seed\":-9}",
            NAMES);

    assertThat(arguments.optionalText("dataset")).isEqualTo("x");
    assertThat(arguments.integer("size", 1, 1, 5)).isEqualTo(3);
    assertThat(arguments.flag("flag", true)).isFalse();
    assertThat(arguments.optionalTexts("columns")).containsExactly("a", "");
    assertThat(arguments.optionalLong("seed")).isEqualTo(-9);
  }

  @Test
  void nullIsAbsent() throws JobFailure {
    Arguments arguments = Arguments.parse("{\"size\":null,\"columns\":null}", NAMES);

    assertThat(arguments.integer("size", 7, 1, 9)).isEqualTo(7);
    assertThat(arguments.optionalTexts("columns")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [1]                 | The arguments must be a JSON object
          {"sice":1}          | Unknown argument 'sice': the arguments are dataset, size
          {"size":1.5}        | Argument 'size' has a value of the wrong type
          {"dataset":{}}      | Argument 'dataset' has a value of the wrong type
          {"columns":[1]}     | Argument 'columns' must be an array of texts
          {"size":"5"}        | Argument 'size' is 5: pass an integer from 1 to 5
          {"size":6}          | Argument 'size' is 6: pass an integer from 1 to 5
          {"size":99999999999999999999} | pass an integer from 1 to 5
          {"flag":1}          | Argument 'flag' is 1: pass true or false
          {"seed":9223372036854775808} | pass an integer of 64 bits
          {"size"             | The arguments are not JSON
          """)
  void whatDoesNotFitIsNamed(String json, String message) {
    assertThatThrownBy(
            () -> {
              Arguments arguments = Arguments.parse(json, NAMES);
              arguments.integer("size", 1, 1, 5);
              arguments.flag("flag", true);
              arguments.optionalLong("seed");
              arguments.optionalText("dataset");
            })
        .isInstanceOfSatisfying(
            JobFailure.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
        .hasMessageContaining(message);
  }
}
