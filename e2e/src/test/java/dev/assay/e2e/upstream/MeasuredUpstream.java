package dev.assay.e2e.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * {@link CountingUpstream} as a program of its own, for measurements. Its tool {@code timed}
 * remembers when each of its calls began and ended, by the series that a call names.
 *
 * <p>The argument is the address of this machine at which it listens. It prints its URL, and then
 * answers each line of its input with a line of JSON, until its input ends:
 *
 * <ul>
 *   <li>{@code times SERIES}: begin and end of each call, in nanoseconds since the epoch
 *   <li>{@code await ID}: {@code true} once a call with this identifier has come
 *   <li>{@code release ID}: {@code true}; the calls of {@code hold} with it end
 * </ul>
 */
public final class MeasuredUpstream {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Map<String, Object> SCHEMA =
      Map.of(
          "type",
          "object",
          "properties",
          Map.of("series", Map.of("type", "string"), "number", Map.of("type", "integer")));

  private final CountingUpstream upstream;
  private final Map<String, List<long[]>> times = new ConcurrentHashMap<>();

  private MeasuredUpstream(CountingUpstream upstream) {
    this.upstream = upstream;
    upstream.tool("timed", "Remembers when it was called.", null, SCHEMA, this::timed);
  }

  /** Serves until its input ends. */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = System.out;
    // Logs go there otherwise.
    System.setOut(System.err);
    serve(arguments[0], System.in, answers);
  }

  static void serve(String address, InputStream commands, PrintStream answers) throws IOException {
    try (CountingUpstream upstream = CountingUpstream.start(address)) {
      MeasuredUpstream measured = new MeasuredUpstream(upstream);
      print(answers, upstream.url().toString());
      BufferedReader lines = new BufferedReader(new InputStreamReader(commands, UTF_8));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", 2);
        print(answers, JSON.writeValueAsString(measured.answer(words[0], words[1])));
      }
    }
  }

  private static void print(PrintStream answers, String line) {
    answers.print(line + "\n");
    answers.flush();
  }

  private Object answer(String command, String subject) {
    return switch (command) {
      case "times" -> times(subject);
      case "await" -> {
        upstream.awaitCall(subject);
        yield true;
      }
      case "release" -> {
        upstream.release(subject);
        yield true;
      }
      default -> throw new IllegalArgumentException("there is no command " + command);
    };
  }

  private List<long[]> times(String series) {
    List<long[]> found = ofSeries(series);
    synchronized (found) {
      return List.copyOf(found);
    }
  }

  private List<long[]> ofSeries(String series) {
    return times.computeIfAbsent(series, key -> new ArrayList<>());
  }

  private CallToolResult timed(McpSyncServerExchange exchange, CallToolRequest request) {
    long began = epochNanos();
    Map<String, Object> arguments = request.arguments();
    CallToolResult result =
        CountingUpstream.structured(Map.of("number", arguments.getOrDefault("number", 0)));
    List<long[]> found = ofSeries(String.valueOf(arguments.get("series")));
    synchronized (found) {
      found.add(new long[] {began, epochNanos()});
    }
    return result;
  }

  private static long epochNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * NANOS_PER_SECOND + now.getNano();
  }
}
