package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The API server itself enforces every rule and limit of the kinds. */
@Core
class CrdRulesE2E {
  /** No run namespace: the operator does not look here, so nothing is run. */
  private static final String NAMESPACE = "assay-e2e-rules";

  @BeforeAll
  static void namespace() {
    Programs.kubectl("create", "namespace", NAMESPACE);
  }

  @AfterAll
  static void cleanUp() {
    Programs.kubectl("delete", "namespace", NAMESPACE, "--wait=false");
  }

  static List<Fixture> accepted() {
    return Fixture.all("accepted");
  }

  static List<Fixture> refused() {
    return Fixture.all("refused");
  }

  static Stream<Arguments> updates() {
    Map<String, Fixture> byName =
        Fixture.all("updates").stream()
            .collect(Collectors.toMap(Fixture::name, Function.identity()));
    return byName.keySet().stream()
        .filter(name -> name.endsWith(".before"))
        .sorted()
        .map(name -> Arguments.of(byName.get(name), byName.get(name.replace(".before", ".after"))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("accepted")
  void isAccepted(Fixture fixture) {
    Programs.Finished finished = send(fixture, "create", "--dry-run=server");
    assertThat(finished.exit()).as("%s: %s", fixture, finished.errors()).isZero();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void isRefused(Fixture fixture) {
    Programs.Finished finished = send(fixture, "create", "--dry-run=server");
    assertThat(finished.exit()).as("%s: %s", fixture, finished.output()).isNotZero();
    assertThat(finished.errors()).as(fixture.name()).contains(fixture.refusal().orElseThrow());
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("updates")
  void anUpdateIsJudged(Fixture before, Fixture after) {
    send(before, "create").orFail();
    try {
      Programs.Finished finished = send(after, "replace", "--dry-run=server");
      if (after.refusal().isPresent()) {
        assertThat(finished.exit()).as("%s: %s", after, finished.output()).isNotZero();
        assertThat(finished.errors()).as(after.name()).contains(after.refusal().get());
      } else {
        assertThat(finished.exit()).as("%s: %s", after, finished.errors()).isZero();
      }
    } finally {
      send(before, "delete", "--wait=false");
    }
  }

  private static Programs.Finished send(Fixture fixture, String verb, String... options) {
    List<String> arguments =
        Stream.concat(
                Stream.of(verb, "--namespace", NAMESPACE, "--filename", "-"), Stream.of(options))
            .toList();
    return Programs.kubectlWithInput(fixture.yaml(), arguments.toArray(String[]::new));
  }
}
