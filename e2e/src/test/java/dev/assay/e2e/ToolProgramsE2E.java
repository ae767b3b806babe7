package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.cli.stdio.StdioBridge;
import dev.assay.e2e.upstream.ServerProgram;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers of MCP that others have written, with other SDKs, by both transports. */
@Full
@ClusterOnly("dev/e2e installs the servers")
class ToolProgramsE2E {
  private static final String EVERYTHING = "everything";
  private static final String ORDERS = "orders";
  private static final String FILES = "files";
  private static final String CLASS = "e2e-python-orders";

  private final Assay assay;
  private final Path clients;
  private final String address;

  ToolProgramsE2E(Assay assay) {
    this.assay = assay;
    this.clients = assay.installation().clients();
    this.address = assay.installation().toolServerHost();
  }

  @AfterAll
  static void remove(Assay assay) {
    Classes.remove(assay, CLASS);
  }

  @ParameterizedTest
  @CsvSource({"streamableHttp, StreamableHttp", "sse, Sse"})
  void theServerWithEverythingIsCalled(String transport, Protocol protocol) {
    try (ServerProgram program = ServerProgram.everything(clients, address, transport);
        ToolServers servers = new ToolServers(assay)) {
      servers.connect(EVERYTHING, ToolServers.spec(program.url()).protocol(protocol).build());
      JsonNode value =
          Script.of(
                  """
                  ({
                    echo: call_tool('everything', 'echo', {message: 'hi'}),
                    sums: call_tools([1, 2, 3].map(n => ({server: 'everything', tool: 'get-sum', args: {a: n, b: 10}})))
                        .map(outcome => outcome.result),
                    weather: call_tool('everything', 'get-structured-content', {location: 'New York'}).result,
                    image: call_tool('everything', 'get-tiny-image', {}).result.map(block => block.type),
                    wrong: call_tool('everything', 'get-sum', {a: 'x'})
                  })
                  """)
              .value(assay);

      assertThat(value.path("echo")).hasToString("{\"ok\":true,\"result\":\"Echo: hi\"}");
      assertThat(value.path("sums")).hasSize(3);
      assertThat(value.at("/sums/2").asText()).contains("13");
      assertThat(value.path("weather").has("temperature")).as(value.toString()).isTrue();
      assertThat(value.path("image").toString()).contains("image");
      assertThat(value.at("/wrong/error/code").asText()).isEqualTo("UPSTREAM_ERROR");
      assertThat(value.at("/wrong/error/sent").asText()).isEqualTo("yes");
    }
  }

  @ParameterizedTest
  @CsvSource({"streamable-http, StreamableHttp", "sse, Sse"})
  void aServerOfThePythonSdkIsCalled(String transport, Protocol protocol) {
    try (ServerProgram program = ServerProgram.python(clients, address, transport);
        ToolServers servers = new ToolServers(assay)) {
      servers.connect(ORDERS, ToolServers.spec(program.url()).protocol(protocol).build());
      JsonNode value =
          Script.of(
                  """
                  ({
                    orders: call_tool('orders', 'list_orders', {city: 'Paris'}).result,
                    total: call_tool('orders', 'total', {city: 'Paris'}).result,
                    greeting: call_tool('orders', 'greeting', {name: 'Ada'}).result,
                    failed: call_tool('orders', 'fail', {}).error
                  })
                  """)
              .value(assay);

      assertThat(value.path("orders"))
          .hasToString("[{\"city\":\"Paris\",\"total\":2.5},{\"city\":\"Paris\",\"total\":1}]");
      assertThat(value.at("/total/total").asDouble()).isEqualTo(3.5);
      assertThat(value.path("greeting").asText()).isEqualTo("Hello, Ada!");
      assertThat(value.at("/failed/code").asText()).isEqualTo("UPSTREAM_ERROR");
      assertThat(value.at("/failed/message").asText()).contains("there is no such order");
    }
  }

  @Test
  void theServerOfFilesIsCalledBehindTheBridgeOfLocalMode(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("note.txt"), "kept");
    try (StdioBridge bridge =
            new StdioBridge(new InetSocketAddress(address, 0), StdioBridge.DEFAULT_MAX_SESSIONS);
        ToolServers servers = new ToolServers(assay)) {
      bridge.start();
      servers.connect(FILES, bridge.offer(FILES, ServerProgram.files(clients, folder)));
      JsonNode value =
          Script.of(
                  """
                  const path = input.folder + '/note.txt';
                  ({
                    listed: call_tool('files', 'list_directory', {path: input.folder}),
                    text: call_tool('files', 'read_text_file', {path}),
                    written: call_tool('files', 'write_file', {path, content: 'changed'}),
                    outside: call_tool('files', 'read_text_file', {path: '/etc/hostname'})
                  })
                  """)
              .input(Map.of("folder", folder.toString()))
              .value(assay);

      assertThat(value.path("listed").toString()).contains("\"ok\":true", "[FILE] note.txt");
      assertThat(value.path("text").toString()).contains("\"ok\":true", "kept");
      assertThat(value.at("/written/ok").asBoolean()).as(value.toString()).isTrue();
      assertThat(Files.readString(folder.resolve("note.txt"))).isEqualTo("changed");
      assertThat(value.at("/outside/error/code").asText()).isEqualTo("UPSTREAM_ERROR");
      assertThat(value.at("/outside/error/message").asText()).contains("Access denied");
    }
  }

  @Test
  void theRowsOfAServerBecomeAFrame() {
    try (ServerProgram program = ServerProgram.python(clients, address, "streamable-http");
        ToolServers servers = new ToolServers(assay)) {
      servers.connect(ORDERS, program.url());
      Classes.likePython(
          assay, CLASS, spec -> spec.putObject("tools").putArray("servers").add(ORDERS));
      Runs runs = new Runs(assay);
      AnalyticsRunStatus status =
          runs.awaitEnd(
              runs.create(
                  CLASS,
                  """
                  import pandas as pd

                  orders = pd.DataFrame(call_tool("orders", "list_orders")["result"])
                  print(orders.groupby("city")["total"].sum().to_dict())
                  """,
                  60));

      assertThat(Runs.output(status)).isEqualTo("{'Oslo': 4.0, 'Paris': 3.5}\n");
    }
  }
}
