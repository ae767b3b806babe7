package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.e2e.upstream.CountingUpstream;
import dev.assay.e2e.upstream.SampleTools;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patterns of scripts that call tools, as they are documented, for each client. */
@ExtendWith(AssayExtension.class)
class ToolExamplesE2E {
  /** Nobody listens there. */
  private static final int CLOSED_PORT = 9;

  private static final Map<String, Object> OCTOCAT = Map.of("username", "octocat");

  private static CountingUpstream upstream;
  private static ToolServers servers;

  /**
   * An example.
   *
   * @param value a part of the value of its script, by a pointer
   */
  private record Example(String name, Map<String, Object> input, Map<String, String> value) {
    void assertIn(JsonNode found) {
      value.forEach(
          (pointer, expected) ->
              assertThat(found.at(pointer)).as("%s %s", name, found).hasToString(expected));
    }
  }

  private static final List<Example> EXAMPLES =
      List.of(
          new Example(
              "sequential",
              OCTOCAT,
              Map.of(
                  "/user/login",
                  "\"octocat\"",
                  "/repo_count",
                  "3",
                  "/repos/1/name",
                  "\"Spoon-Knife\"")),
          new Example("sequential", Map.of("username", "x"), Map.of("/error", "\"Not Found: x\"")),
          new Example("fallback", Map.of("query", "SELECT 1"), Map.of("/rows", "[\"SELECT 1\"]")),
          new Example(
              "aggregation",
              Map.of("ids", List.of(7, 101)),
              Map.of(
                  "/success",
                  "[{\"item\":\"7\"}]",
                  "/error_count",
                  "1",
                  "/failed/0/error/code",
                  "\"UPSTREAM_ERROR\"")),
          new Example(
              "transformation",
              OCTOCAT,
              Map.of(
                  "/total_stars",
                  "105",
                  "/avg_stars",
                  "35",
                  "/languages",
                  "{\"C\":1,\"HTML\":1,\"Unknown\":1}")),
          new Example("one_round_trip", Map.of(), Map.of("/repos", "3", "/stars", "80")),
          new Example(
              "conditions",
              Map.of("username", "octocat", "repos", List.of("Hello-World", "none")),
              Map.of("/count", "1", "/repos/0/stargazers_count", "80")),
          new Example(
              "active_repos",
              Map.of("username", "octocat", "since", "2023-06-01"),
              Map.of("/total", "1", "/repos/0/name", "\"Hello-World\"")),
          new Example(
              "tool_error",
              Map.of(),
              Map.of("/error", "\"User not found: Not Found: nonexistent-user-12345\"")));

  @BeforeAll
  static void declare(Assay assay) {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    SampleTools.addTo(upstream);
    servers = new ToolServers(assay);
    URI url = upstream.url();
    URI down = URI.create("http://" + url.getHost() + ":" + CLOSED_PORT + "/mcp");
    servers.declare("primary-db", ToolServers.spec(down).build());
    for (String name : List.of("github", "backup-db", "api-server")) {
      servers.connect(name, url);
    }
  }

  @AfterAll
  static void remove() {
    servers.close();
    upstream.close();
  }

  static Stream<Example> examples() {
    return EXAMPLES.stream();
  }

  @Everywhere
  @ParameterizedTest
  @MethodSource("examples")
  void theJavaClientGetsItsValue(Example example, Assay assay) {
    example.assertIn(script(example).value(OutsideClient.java(assay)));
  }

  @Everywhere
  @ParameterizedTest
  @MethodSource("examples")
  void restReturnsItsValue(Example example, Assay assay) {
    JsonNode answer = script(example).byRest(assay);
    assertThat(answer.path("ok").asBoolean()).as(answer.toString()).isTrue();
    example.assertIn(answer.path("value"));
  }

  @Full
  @ClusterOnly("dev/e2e installs the client")
  @ParameterizedTest
  @MethodSource("examples")
  void theInspectorGetsItsValue(Example example, Assay assay) {
    example.assertIn(script(example).value(OutsideClient.inspector(assay, "legacy")));
  }

  @Full
  @ClusterOnly("dev/e2e installs the client")
  @ParameterizedTest
  @MethodSource("examples")
  void thePythonClientGetsItsValue(Example example, Assay assay) {
    example.assertIn(script(example).value(OutsideClient.python(assay)));
  }

  @FullEverywhere
  @ParameterizedTest
  @MethodSource("examples")
  void theCommandPrintsItsValue(Example example, Assay assay) {
    example.assertIn(script(example).byCommand(assay).path("value"));
  }

  private static Script script(Example example) {
    return Script.example(example.name()).input(example.input());
  }
}
