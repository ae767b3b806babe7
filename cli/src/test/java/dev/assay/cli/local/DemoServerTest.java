package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

@Tag("slow")
class DemoServerTest {
  private static final int CALLS = 300;

  private static final String INITIALIZE =
      """
      {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
      "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
      {"jsonrpc":"2.0","method":"notifications/initialized"}
      """;

  /** Replies that two threads send at once may be dropped by the transport of the SDK. */
  @Test
  void callsThatAreSentTogetherAreAnsweredOneAfterAnother() throws Exception {
    try (PipedInputStream in = new PipedInputStream(1 << 20);
        PipedInputStream replies = new PipedInputStream(1 << 20);
        PipedOutputStream out = new PipedOutputStream(replies);
        BufferedReader lines = new BufferedReader(new InputStreamReader(replies, UTF_8));
        PipedOutputStream requests = new PipedOutputStream(in)) {
      DemoServer server = new DemoServer();
      Thread.startVirtualThread(() -> serve(server, in, out));
      requests.write(INITIALIZE.getBytes(UTF_8));
      requests.flush();
      assertThat(id(lines.readLine())).isZero();
      requests.write(calls().getBytes(UTF_8));
      requests.flush();
      List<Integer> answered =
          Stream.generate(() -> line(lines)).limit(CALLS).map(DemoServerTest::id).toList();
      assertThat(answered)
          .containsExactlyElementsOf(IntStream.rangeClosed(1, CALLS).boxed().toList());
    }
  }

  private static String calls() {
    StringBuilder calls = new StringBuilder();
    for (int call = 1; call <= CALLS; call++) {
      calls
          .append("{\"jsonrpc\":\"2.0\",\"id\":")
          .append(call)
          .append(",\"method\":\"tools/call\",\"params\":{\"name\":\"")
          .append(call % 2 == 0 ? DemoServer.LIST_REGIONS : DemoServer.MONTHLY_REVENUE)
          .append("\",\"arguments\":{\"region\":\"North\"}}}\n");
    }
    return calls.toString();
  }

  private static void serve(DemoServer server, PipedInputStream in, PipedOutputStream out) {
    try {
      server.run(in, out);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String line(BufferedReader lines) {
    try {
      return lines.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int id(String reply) {
    return JsonMapper.shared().readTree(reply).path("id").asInt();
  }
}
