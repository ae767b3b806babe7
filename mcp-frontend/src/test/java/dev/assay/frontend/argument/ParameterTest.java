package dev.assay.frontend.argument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is listed of a parameter, and what is taken of it. */
class ParameterTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Limit LIMIT = new Limit(20);
  private static final List<Object> VALUES =
      List.of(
          "",
          "a",
          "a b",
          "-a",
          "red",
          "Red",
          "x".repeat(20),
          "x".repeat(64),
          "\u00e9".repeat(11),
          -1,
          0,
          1,
          9,
          10,
          new BigDecimal("1.0"),
          new BigDecimal("1.5"),
          9_999_999_999L,
          true,
          List.of(),
          List.of("a"),
          List.of("a", "b"),
          List.of("a", "b", "c"),
          List.of(1),
          List.of(Map.of()),
          Collections.singletonList(null),
          Map.of(),
          Map.of("a", 1));

  static Stream<ArgumentType<?>> types() {
    return Stream.of(
        ArgumentTypes.text(LIMIT),
        ArgumentTypes.text(LIMIT).map(String::length),
        ArgumentTypes.label(),
        ArgumentTypes.integer(1, 9),
        ArgumentTypes.flag(),
        ArgumentTypes.choice(List.of("red", "green"), colour -> colour),
        ArgumentTypes.listOf(ArgumentTypes.text(LIMIT), 2, LIMIT),
        ArgumentTypes.listOf(ArgumentTypes.object(LIMIT), LIMIT),
        ArgumentTypes.object(LIMIT),
        ReaderOptions.TYPE,
        SourceParameters.datasetName());
  }

  @ParameterizedTest
  @MethodSource("types")
  void whatTheSchemaRefusesTheCheckRefusesToo(ArgumentType<?> type) {
    Parameters parameters = Parameters.of(Parameter.required("x", type));
    Schema schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(json(parameters.jsonSchema()));

    List<Object> refused = VALUES.stream().filter(value -> !isRead(value, type)).toList();

    assertThat(refused)
        .isNotEmpty()
        .hasSizeLessThan(VALUES.size())
        .containsAll(
            VALUES.stream()
                .filter(value -> !schema.validate(json(Map.of("x", value))).isEmpty())
                .toList());
  }

  private static boolean isRead(Object value, ArgumentType<?> type) {
    try {
      Object unused = read(Map.of("x", value), Parameter.required("x", type));
      return true;
    } catch (BadArgumentException e) {
      return false;
    }
  }

  private static JsonNode json(Object value) {
    return JSON.valueToTree(value);
  }

  @Test
  void whatMayBeAbsentIsListedWithItsDefaultAndWhatMustBeThereAsRequired() {
    Parameter<Integer> withDefault =
        Parameter.withDefault("size", ArgumentTypes.integer(1, 9), 3).describedAs("How large");
    Parameters parameters =
        Parameters.of(
            Parameter.required("name", ArgumentTypes.label()),
            withDefault,
            Parameter.optional("flag", ArgumentTypes.flag()));

    assertThat(JSON.writeValueAsString(parameters.jsonSchema()))
        .isEqualTo(
            "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
                + "\"size\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,\"default\":3,"
                + "\"description\":\"How large\"},\"flag\":{\"type\":\"boolean\"}},"
                + "\"required\":[\"name\"],\"additionalProperties\":false}");
    assertThat(read(Map.of(), withDefault)).isEqualTo(3);
  }

  @Test
  void nullIsAbsence() {
    Map<String, Object> none = new HashMap<>();
    none.put("x", null);

    assertThat(read(none, Parameter.withDefault("x", ArgumentTypes.flag(), true))).isTrue();
    assertThat(read(none, Parameter.optional("x", ArgumentTypes.flag())))
        .isEqualTo(Optional.empty());
    assertThatThrownBy(() -> read(none, Parameter.required("x", ArgumentTypes.flag())))
        .hasMessage("missing argument 'x'");
  }

  @Test
  void anArgumentThatIsNoParameterIsRefusedWithTheNamesOfThoseThereAre() {
    assertThatThrownBy(() -> read(Map.of("y", 1), Parameter.required("x", ArgumentTypes.flag())))
        .isInstanceOf(BadArgumentException.class)
        .hasMessage("unknown argument 'y'; the arguments are x");
  }

  private static <T> T read(Map<String, Object> arguments, Parameter<T> parameter) {
    return Parameters.of(parameter).read(arguments).get(parameter);
  }
}
