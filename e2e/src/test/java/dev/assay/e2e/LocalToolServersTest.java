package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.cli.local.LocalConfigFile;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Local mode with MCP servers in its file of settings: one by HTTP, one that speaks stdio. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@TestInstance(Lifecycle.PER_CLASS)
class LocalToolServersTest {
  private static final String TOKEN = "token-of-the-adder";
  private static final String ADDER = "adder";
  private static final String PROGRAM = "program";
  private static final long CONNECT_SECONDS = 120;

  private @Nullable TwoToolsServer adder;
  private @Nullable Assay running;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    adder = new TwoToolsServer(TOKEN);
    ObjectNode settings = Rest.JSON.createObjectNode();
    ObjectNode servers = settings.putObject("mcpServers");
    ObjectNode remote =
        servers.putObject(ADDER).put("type", "http").put("url", adder.url().toString());
    remote.putObject("headers").put("Authorization", "Bearer ${ADDER_TOKEN}");
    ObjectNode program = servers.putObject(PROGRAM);
    List<String> command = TwoToolsServer.command();
    program.put("command", command.getFirst());
    command.subList(1, command.size()).forEach(program.putArray("args")::add);
    Path file = Files.writeString(folder.resolve("settings.json"), settings.toString());
    LocalInstallation local =
        LocalInstallation.start(null, LocalConfigFile.read(file, Map.of("ADDER_TOKEN", TOKEN)));
    running = new Assay(local.installation(), local::close);
    awaitConnected(ADDER);
    awaitConnected(PROGRAM);
  }

  @AfterAll
  void end() {
    List<ProcessHandle> programs = programs();
    if (running != null) {
      running.close();
    }
    if (adder != null) {
      adder.close();
    }
    assertThat(programs).isNotEmpty().noneMatch(ProcessHandle::isAlive);
  }

  private Assay assay() {
    if (running == null) {
      throw new IllegalStateException("it was not started");
    }
    return running;
  }

  private static List<ProcessHandle> programs() {
    return ProcessHandle.current().descendants().filter(LocalToolServersTest::isProgram).toList();
  }

  /** The JVM knows no command line that is as long as this one. */
  private static boolean isProgram(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"))
          .contains(TwoToolsServer.class.getName());
    } catch (IOException e) {
      return false;
    }
  }

  private void awaitConnected(String name) {
    var unused =
        assay()
            .kubernetes()
            .resources(ToolServer.class)
            .inNamespace(assay().namespace())
            .withName(name)
            .waitUntilCondition(
                server ->
                    server.getStatus() != null
                        && server.getStatus().phase() == ToolServerPhase.Connected,
                CONNECT_SECONDS,
                TimeUnit.SECONDS);
  }

  private JsonNode script(String code) {
    Reply reply = assay().call("code_execution", Map.of("code", code));
    assertThat(reply.isError()).as(reply.text()).isFalse();
    return reply.document().path("value");
  }

  @Test
  void aScriptCallsTheToolsOfBoth() {
    assertThat(
            script(
                """
                const first = call_tool('adder', 'add', {a: 1, b: 2});
                const second = call_tool('program', 'add', {a: first.result.sum, b: 4});
                [first.ok, second.ok, second.result.sum]
                """))
        .hasToString("[true,true,7]");
  }

  @Test
  void pythonCallsThem() {
    Samples.sales(assay());
    Reply reply =
        assay().run("sales_data", "print(call_tool('program', 'add', {'a': 1, 'b': 2})['result'])");

    assertThat(reply.text()).contains("{'sum': 3}");
  }

  @Test
  void anAgentFindsThem() {
    assertThat(assay().call("search_tools", Map.of("query", "add")).text())
        .contains("call_tool(\"adder\", \"add\"", "call_tool(\"program\", \"add\"");
  }

  @Test
  void aProgramThatHasEndedIsStartedAgain() {
    assertThat(
            script(
                """
                const lost = call_tool('program', 'exit');
                let next;
                // A start that takes longer than a call waits is kept for the next call.
                for (let i = 0; i < 5 && !next?.ok; i++) {
                  next = call_tool('program', 'add', {a: 1, b: 2});
                }
                [lost.ok, lost.error.code, lost.error.message, next.ok, next.result.sum]
                """))
        .hasToString(
            "[false,\"UPSTREAM_ERROR\",\"The program of the server has ended (exit code 3)\","
                + "true,3]");
  }

  @Test
  void theCredentialIsInItsSecretAndInNoOtherObject() {
    Secret secret =
        assay().kubernetes().secrets().inNamespace("assay-tool-credentials").withName(ADDER).get();
    assertThat(secret.getMetadata().getAnnotations())
        .containsEntry("assay.dev/hosts", "http://127.0.0.1:" + adderPort());
    assertThat(
            assay()
                .kubernetes()
                .resources(ToolServer.class)
                .inNamespace(assay().namespace())
                .list()
                .toString())
        .doesNotContain(TOKEN);
    assertThat(assay().rest().get("/tool-servers", 200)).asString().doesNotContain(TOKEN);
  }

  private int adderPort() {
    return adder == null ? 0 : adder.url().getPort();
  }
}
