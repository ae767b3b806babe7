package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command {@code assay stdio-bridge} as a process, as it is in the Pod of a tool server. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BridgeProgramTest {
  private static final String BEFORE_THE_URL = " at ";

  /** Each waits for the program for some seconds. */
  private static final int ATTEMPTS = 6;

  @Test
  void aProgramThatSpeaksStdioIsCalledByHttpAndEndsWithTheBridge() throws Exception {
    List<String> command = new ArrayList<>(List.of("stdio-bridge", "--listen=127.0.0.1:0", "--"));
    command.addAll(TwoToolsServer.command());
    Process bridge =
        AssayProgram.with(command.toArray(String[]::new))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<ProcessHandle> programs = new ArrayList<>();
    try {
      String offered = bridge.inputReader(UTF_8).readLine();
      assertThat(offered).startsWith("Offers ").contains(BEFORE_THE_URL);
      URI url =
          URI.create(
              offered.substring(offered.lastIndexOf(BEFORE_THE_URL) + BEFORE_THE_URL.length()));
      try (McpSyncClient client = connected(url)) {
        assertThat(
                client
                    .callTool(
                        CallToolRequest.builder("add").arguments(Map.of("a", 1, "b", 2)).build())
                    .structuredContent())
            .isEqualTo(Map.of("sum", 3));
        bridge.toHandle().children().forEach(programs::add);
        assertThat(programs).hasSize(1);
      }
    } finally {
      bridge.destroy();
    }
    bridge.onExit().orTimeout(2, TimeUnit.MINUTES).join();
    for (ProcessHandle program : programs) {
      program.onExit().orTimeout(2, TimeUnit.MINUTES).join();
    }
  }

  /**
   * A client with a session. A program that has not replied yet is left to the next attempt, as it
   * is to that of the tool gateway; it would not be the only one if an attempt failed otherwise.
   */
  private static McpSyncClient connected(URI url) {
    for (int attempt = 1; ; attempt++) {
      McpSyncClient client =
          McpClient.sync(
                  HttpClientStreamableHttpTransport.builder(url.resolve("/").toString())
                      .endpoint(url.getPath())
                      .build())
              .build();
      try {
        client.initialize();
        return client;
      } catch (RuntimeException e) {
        client.close();
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
