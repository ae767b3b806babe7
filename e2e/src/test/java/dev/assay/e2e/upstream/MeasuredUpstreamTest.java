package dev.assay.e2e.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The program that measurements use as a server, and the client that they compare with. */
class MeasuredUpstreamTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CALLS = 3;
  private static final int SECONDS = 60;

  @Test
  void eachCallOfASeriesHasItsBeginAndItsEndInOrder() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        PipedInputStream answers = new PipedInputStream()) {
      Future<?> serving;
      // Its end is the end of the program.
      try (PipedOutputStream commands = new PipedOutputStream()) {
        PipedInputStream input = new PipedInputStream(commands);
        PrintStream output = new PrintStream(new PipedOutputStream(answers), true, UTF_8);
        serving = threads.submit(() -> serve(input, output));
        BufferedReader lines = new BufferedReader(new InputStreamReader(answers, UTF_8));
        String url = lines.readLine();
        SdkCalls.main(new String[] {url, "a", Integer.toString(CALLS)});

        commands.write("times a\ntimes b\nrelease c\n".getBytes(UTF_8));
        commands.flush();
        JsonNode times = JSON.readTree(lines.readLine());
        assertThat(times).hasSize(CALLS);
        long before = 0;
        for (JsonNode call : times) {
          assertThat(call.path(0).asLong()).isGreaterThanOrEqualTo(before);
          assertThat(call.path(1).asLong()).isGreaterThanOrEqualTo(call.path(0).asLong());
          before = call.path(1).asLong();
        }
        assertThat(lines.readLine()).isEqualTo("[]");
        assertThat(lines.readLine()).isEqualTo("true");
      }
      var unused = serving.get(SECONDS, TimeUnit.SECONDS);
    }
  }

  private static void serve(PipedInputStream input, PrintStream output) {
    try {
      MeasuredUpstream.serve("127.0.0.1", input, output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
