package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Since 2025-11-25 the protocol specifies that a disconnect is not a cancellation. */
@Full
class DisconnectE2E {
  private static final int LINES = 40;

  /** Longer than it ever took to detect a disconnect. */
  private static final double PAUSE = 0.5;

  /** How a caller disconnects. */
  private enum End {
    /** It closes the connection. */
    FIN {
      @Override
      void apply(Socket socket) throws IOException {
        socket.close();
      }
    },
    /** Its process has ended, and its system resets the connection. */
    RST {
      @Override
      void apply(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
      }
    },
    /** It closes only its sending side, and still reads. */
    HALF_CLOSE {
      @Override
      void apply(Socket socket) throws IOException {
        socket.shutdownOutput();
        assertThat(socket.getInputStream().readAllBytes())
            .asString(UTF_8)
            .startsWith("HTTP/1.1 200 ")
            .contains("line " + (LINES - 1));
      }
    };

    abstract void apply(Socket socket) throws IOException;
  }

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @ParameterizedTest
  @EnumSource
  void aRunWhoseCallerHangsUpGoesOnToItsEnd(End end, Assay assay) throws IOException {
    String code = CountingRun.code(LINES, PAUSE);
    CountingRun call = new CountingRun(code, LINES, new CompletableFuture<>());
    URI endpoint = assay.installation().endpoint();
    try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(request(assay, code));
      out.flush();
      call.awaitRunning(assay);
      end.apply(socket);
    }
    AnalyticsRun run = call.find(assay);
    AnalyticsRunStatus ended = new Runs(assay).awaitEnd(run);
    assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(ended)).isEqualTo(call.wholeOutput());
    assertThat(run.getSpec().cancel()).isNotEqualTo(Boolean.TRUE);
  }

  private static byte[] request(Assay assay, String code) {
    ObjectNode call =
        Rest.JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", "tools/call");
    call.putObject("params")
        .put("name", Assay.TOOL)
        .putObject("arguments")
        .put("dataset_name", "sales_data")
        .put("python_code", code)
        .put("timeout_seconds", 120);
    byte[] body = call.toString().getBytes(UTF_8);
    String head =
        """
        POST %s HTTP/1.1
        Host: %s
        Authorization: Bearer %s
        MCP-Protocol-Version: 2025-11-25
        Content-Type: application/json
        Accept: application/json, text/event-stream
        Content-Length: %d

        """
            .formatted(
                assay.installation().endpoint().getPath(),
                assay.installation().endpoint().getAuthority(),
                assay.installation().key(),
                body.length)
            .replace("\n", "\r\n");
    return (head + new String(body, UTF_8)).getBytes(UTF_8);
  }
}
