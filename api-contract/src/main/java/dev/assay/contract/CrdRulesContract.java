package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.contract.ApiServer.Answer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The API server itself enforces every rule and limit of the kinds, as specified by the fixtures.
 */
public interface CrdRulesContract extends Contract {
  /** Valid manifests. */
  static List<Fixture> accepted() {
    return Fixture.all("accepted");
  }

  /** Invalid manifests. */
  static List<Fixture> refused() {
    return Fixture.all("refused");
  }

  /** Pairs of an existing object and its replacement. */
  static Stream<Arguments> updates() {
    Map<String, Fixture> byName =
        Fixture.all("updates").stream()
            .collect(Collectors.toMap(Fixture::name, Function.identity()));
    return byName.keySet().stream()
        .filter(name -> name.endsWith(".before"))
        .sorted()
        .map(name -> Arguments.of(byName.get(name), byName.get(name.replace(".before", ".after"))));
  }

  private JsonNode read(Fixture fixture) {
    return ApiServer.json(new KubernetesSerialization().convertToJson(fixture.yaml()));
  }

  private String collection(JsonNode object) {
    return switch (object.path("kind").asText()) {
      case "AnalyticsRun" -> runs();
      case "Dataset" -> "/apis/assay.dev/v1alpha1/namespaces/" + namespace() + "/datasets";
      case "RunClass" -> "/apis/assay.dev/v1alpha1/runclasses";
      case "ToolServer" -> "/apis/assay.dev/v1alpha1/namespaces/" + namespace() + "/toolservers";
      default -> throw new IllegalArgumentException(object.path("kind").asText());
    };
  }

  private Answer create(Fixture fixture) {
    JsonNode object = read(fixture);
    return server().post(collection(object) + "?dryRun=All", object.toString());
  }

  /** Fails unless the fixture is accepted. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.assay.contract.CrdRulesContract#accepted")
  default void isAccepted(Fixture fixture) {
    assertThat(create(fixture).code()).as(fixture.name()).isEqualTo(201);
  }

  /** Fails unless the fixture is rejected for its reason. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.assay.contract.CrdRulesContract#refused")
  default void isRefused(Fixture fixture) {
    assertInvalid(fixture, create(fixture));
  }

  /** Fails unless the update is accepted or rejected as the second fixture specifies. */
  @ParameterizedTest(name = "{1}")
  @MethodSource("dev.assay.contract.CrdRulesContract#updates")
  default void anUpdateIsJudged(Fixture before, Fixture after) {
    JsonNode old = read(before);
    String path = collection(old) + "/" + old.at("/metadata/name").asText();
    JsonNode created = server().post(collection(old), old.toString()).orFail();
    try {
      ObjectNode update = (ObjectNode) read(after);
      update.withObject("/metadata").put("resourceVersion", version(created));
      Answer answer = server().put(path + "?dryRun=All", update);
      if (after.refusal().isPresent()) {
        assertInvalid(after, answer);
      } else {
        assertThat(answer.code()).as(after.name()).isEqualTo(200);
      }
    } finally {
      server().delete(path).orFail();
    }
  }

  private void assertInvalid(Fixture fixture, Answer answer) {
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).as(fixture.name()).contains(fixture.refusal().orElseThrow());
  }
}
