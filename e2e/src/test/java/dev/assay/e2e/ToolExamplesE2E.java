package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.e2e.upstream.CountingUpstream;
import dev.assay.e2e.upstream.SampleTools;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples of docs/code-execution.md reply as the page says, to each client. */
@ExtendWith(AssayExtension.class)
class ToolExamplesE2E {
  /** Nobody listens there. */
  private static final int CLOSED_PORT = 9;

  private static CountingUpstream upstream;
  private static ToolServers servers;

  @BeforeAll
  static void declare(Assay assay) {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    SampleTools.addTo(upstream);
    servers = new ToolServers(assay);
    URI url = upstream.url();
    URI down = URI.create("http://" + url.getHost() + ":" + CLOSED_PORT + "/mcp");
    servers.declare("primary-db", ToolServers.spec(down).build());
    for (String name : List.of("github", "backup-db", "api-server", "store")) {
      servers.connect(name, url);
    }
  }

  @AfterAll
  static void remove() {
    servers.close();
    upstream.close();
  }

  static List<ScriptExample> examples() {
    List<ScriptExample> examples = ScriptExample.all();
    assertThat(examples).hasSizeGreaterThan(20);
    return examples;
  }

  @Everywhere
  @ParameterizedTest
  @MethodSource("examples")
  void theJavaClientGetsTheReply(ScriptExample example, Assay assay) {
    example.assertIn(example.script().reply(OutsideClient.java(assay)));
  }

  @FullEverywhere
  @ParameterizedTest
  @MethodSource("examples")
  void restReturnsIt(ScriptExample example, Assay assay) {
    example.assertIn(example.script().byRest(assay));
  }

  @Full
  @ClusterOnly("dev/e2e installs the client")
  @ParameterizedTest
  @MethodSource("examples")
  void theInspectorGetsIt(ScriptExample example, Assay assay) {
    example.assertIn(example.script().reply(OutsideClient.inspector(assay, "legacy")));
  }

  @FullEverywhere
  @ParameterizedTest
  @MethodSource("examples")
  void thePythonClientGetsIt(ScriptExample example, Assay assay) {
    try (ClientSession session =
        ClientSession.open(
            ClientProgram.PYTHON, ClientProgram.Transport.HTTP, assay.installation())) {
      example.assertIn(example.script().reply(session));
    }
  }

  @FullEverywhere
  @ParameterizedTest
  @MethodSource("examples")
  void theCommandPrintsItAndItsExitCodeTells(ScriptExample example, Assay assay) {
    example.assertIn(example.script().byCommand(assay, example.succeeds() ? 0 : 1));
  }
}
