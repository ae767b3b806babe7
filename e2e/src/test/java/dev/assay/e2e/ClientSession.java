package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

/** A session of a {@link ClientProgram}: one process, to which requests are lines of JSON. */
final class ClientSession implements OutsideClient, AutoCloseable {
  /** Longer than the client itself waits. */
  private static final long MAX_SECONDS = 150;

  private final Map<Integer, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
  private final Map<Integer, Long> began = new ConcurrentHashMap<>();
  private final Path errors;
  private final Process process;
  private final Writer input;
  private final Thread reader;
  private int last;

  private ClientSession(Path errors, Process process) {
    this.errors = errors;
    this.process = process;
    this.input = process.outputWriter(UTF_8);
    this.reader = Thread.ofVirtual().start(this::read);
  }

  static ClientSession open(
      ClientProgram client, ClientProgram.Transport transport, Installation server) {
    try {
      Path errors = Files.createTempFile("assay-e2e", ".err");
      return new ClientSession(
          errors, client.on(transport, server).redirectError(errors.toFile()).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names of all tools, which the client has converted for each model that it can use. */
  List<String> names() {
    return texts(answer(send(request("list"))).path("names"));
  }

  /**
   * What the client has logged as a warning or an error since it was asked last, and what the API
   * of a model would refuse.
   */
  List<String> complaints() {
    return texts(answer(send(request("complaints"))).path("complaints"));
  }

  @Override
  public Reply call(String tool, Map<String, Object> arguments) {
    return reply(begin(tool, arguments));
  }

  @Override
  public ResourceContents read(String uri) {
    JsonNode result = answer(send(request("read").put("uri", uri))).path("result");
    return OutsideClient.parsed(result.toString(), ReadResourceResult.class).contents().getFirst();
  }

  /** Begins a call, and returns its number. */
  int begin(String tool, Map<String, Object> arguments) {
    return send(
        request("call").put("tool", tool).set("arguments", Rest.JSON.valueToTree(arguments)));
  }

  /** The reply to a call that has begun. */
  Reply reply(int call) {
    return Reply.of(
        OutsideClient.parsed(answer(call).path("result").toString(), CallToolResult.class),
        Duration.ofNanos(System.nanoTime() - began.get(call)));
  }

  /** Cancels a call; returns once the client has given it up. */
  void cancel(int call) {
    answer(send(request("cancel").put("call", call)));
  }

  private static ObjectNode request(String what) {
    return Rest.JSON.createObjectNode().put("do", what);
  }

  private synchronized int send(ObjectNode request) {
    int number = ++last;
    pending.put(number, new CompletableFuture<>());
    began.put(number, System.nanoTime());
    try {
      input.write(request.put("id", number) + "\n");
      input.flush();
    } catch (IOException e) {
      throw new AssertionError(said(), e);
    }
    return number;
  }

  private JsonNode answer(int number) {
    CompletableFuture<JsonNode> promised = pending.get(number);
    JsonNode answer = promised.orTimeout(MAX_SECONDS, TimeUnit.SECONDS).join();
    if (answer.has("failed")) {
      throw new AssertionError(answer.path("failed").asText());
    }
    return answer;
  }

  private void read() {
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        JsonNode answer = Rest.JSON.readTree(line);
        pending.get(answer.path("id").asInt()).complete(answer);
      }
    } catch (IOException e) {
      pending.values().forEach(promised -> promised.completeExceptionally(e));
    }
    AssertionError ended = new AssertionError("the client has ended: " + said());
    pending.values().forEach(promised -> promised.completeExceptionally(ended));
  }

  private String said() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  /** Ends the client as an application does: it closes the session, and the server it started. */
  @Override
  public void close() {
    try {
      input.close();
      if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("the client does not end: " + said());
      }
      if (process.exitValue() != 0) {
        throw new AssertionError("exit code " + process.exitValue() + ": " + said());
      }
      reader.join();
      Files.delete(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
