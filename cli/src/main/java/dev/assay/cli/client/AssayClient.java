package dev.assay.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The REST API. Answers are plain JSON, so that members that only a newer endpoint knows reach a
 * caller who asked for JSON.
 */
public final class AssayClient implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Longer than the longest wait for a dataset. */
  private static final Duration ANSWER = Duration.ofMinutes(11);

  private static final int FIRST_ERROR = 400;
  private static final int ACCEPTED = 202;
  private static final int NO_CONTENT = 204;
  private static final int PARTIAL_CONTENT = 206;

  private final Endpoint endpoint;
  private final Duration timeout;
  private final HttpClient http = Endpoint.newHttpClient();

  /**
   * A run that was asked to stop.
   *
   * @param run as it is now
   * @param hadEnded whether it had ended before, so that nothing was done
   */
  public record Cancelled(JsonNode run, boolean hadEnded) {}

  public AssayClient(Endpoint endpoint) {
    this(endpoint, ANSWER);
  }

  /**
   * A client with a time limit of its own.
   *
   * @param timeout until the response begins
   */
  public AssayClient(Endpoint endpoint, Duration timeout) {
    this.endpoint = endpoint;
    this.timeout = timeout;
  }

  /** An empty object. */
  public static ObjectNode object() {
    return JSON.createObjectNode();
  }

  /**
   * Reads JSON.
   *
   * @throws JacksonException if it is malformed
   */
  public static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  /** JSON for people and for programs. */
  public static String pretty(JsonNode node) {
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(node);
  }

  /** The same with ASCII alone, so that every character is seen for what it is. */
  public static String ascii(JsonNode node) {
    return JSON.writerWithDefaultPrettyPrinter()
        .with(JsonWriteFeature.ESCAPE_NON_ASCII)
        .writeValueAsString(node);
  }

  /** Creates a run. */
  public JsonNode createRun(ObjectNode run) throws ApiException, InterruptedException {
    return json(post("/api/v1/runs", run));
  }

  /**
   * Creates a run, or finds the one that a request with the same key has created.
   *
   * @param key of this run alone
   */
  public JsonNode createRun(ObjectNode run, String key) throws ApiException, InterruptedException {
    return json(post("/api/v1/runs", run).header("Idempotency-Key", key));
  }

  /**
   * Executes a script and waits for its result. While that is waited for, the endpoint sends line
   * feeds, which something in between may hold back.
   *
   * @param silence how long nothing may come
   */
  public JsonNode executeScript(ObjectNode script, Duration silence)
      throws ApiException, InterruptedException {
    HttpResponse<InputStream> response = send(post("/api/v1/code/exec", script).timeout(silence));
    try (InputStream body = new WatchedStream(response.body(), silence)) {
      return JSON.readTree(body.readAllBytes());
    } catch (IOException e) {
      throw ApiException.disconnected(
          "the connection to %s broke, and the script was stopped (%s shows its end)"
              .formatted(
                  endpoint.uri(), response.headers().firstValue("Location").orElse("'assay runs'")),
          e);
    } catch (JacksonException e) {
      throw ApiException.notAssay(
          endpoint.uri() + " sent an answer that is not Assay's: is the address right?", e);
    }
  }

  /** The servers whose tools scripts may call. */
  public JsonNode toolServers() throws ApiException, InterruptedException {
    return json(request("/api/v1/tool-servers").GET());
  }

  /** The tools of a server. */
  public JsonNode tools(String server) throws ApiException, InterruptedException {
    return json(request("/api/v1/tool-servers/" + encode(server) + "/tools").GET());
  }

  /** A definition that a server lists, or that is approved of it. */
  public JsonNode toolDefinition(String server, String digest)
      throws ApiException, InterruptedException {
    return json(
        request("/api/v1/tool-servers/%s/definitions/%s".formatted(encode(server), encode(digest)))
            .GET());
  }

  /** The current state of a run. */
  public JsonNode run(String name) throws ApiException, InterruptedException {
    return json(request("/api/v1/runs/" + encode(name)).GET());
  }

  /**
   * The newest runs.
   *
   * @param parameters limit, phase, continue
   */
  public JsonNode runs(Map<String, String> parameters) throws ApiException, InterruptedException {
    String query = query(parameters);
    return json(request("/api/v1/runs" + (query.isEmpty() ? "" : "?" + query)).GET());
  }

  private static String query(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .map(one -> one.getKey() + "=" + encode(one.getValue()))
        .collect(Collectors.joining("&"));
  }

  /**
   * The output of a run.
   *
   * @param follow whether to continue until it has ended
   * @param offset of the first byte
   * @return the caller closes it
   */
  public InputStream output(String name, boolean follow, long offset)
      throws ApiException, InterruptedException {
    return send(request(
                "/api/v1/runs/%s/output?follow=%s&offset=%d"
                    .formatted(encode(name), follow, offset))
            .GET())
        .body();
  }

  /**
   * Records of the calls of tools that a run has made.
   *
   * @param parameters limit, continue
   */
  public JsonNode toolCalls(String run, Map<String, String> parameters)
      throws ApiException, InterruptedException {
    return json(
        request("/api/v1/runs/%s/calls?%s".formatted(encode(run), query(parameters))).GET());
  }

  /** The files that a run has left. */
  public JsonNode artifacts(String run) throws ApiException, InterruptedException {
    return json(request("/api/v1/runs/" + encode(run) + "/artifacts").GET());
  }

  /**
   * The bytes of a file that a run has left.
   *
   * @param path as the list has it
   * @param offset of the first byte, less than the file has
   * @return the caller closes it
   */
  public InputStream artifact(String run, String path, long offset)
      throws ApiException, InterruptedException {
    String encoded =
        Stream.of(path.split("/", -1)).map(AssayClient::encode).collect(Collectors.joining("/"));
    HttpRequest.Builder request =
        request("/api/v1/runs/" + encode(run) + "/artifacts/" + encoded).GET();
    if (offset > 0) {
      request.header("Range", "bytes=" + offset + "-");
    }
    HttpResponse<InputStream> response = send(request);
    if (offset > 0 && response.statusCode() != PARTIAL_CONTENT) {
      close(response);
      throw ApiException.notAssay(
          endpoint.uri() + " does not continue a download", new IOException("no range"));
    }
    return response.body();
  }

  private static void close(HttpResponse<InputStream> response) {
    try (InputStream body = response.body()) {
      Objects.requireNonNull(body);
    } catch (IOException e) {
      // Nobody reads it.
    }
  }

  /** Cancels a run. */
  public Cancelled cancel(String name) throws ApiException, InterruptedException {
    HttpResponse<InputStream> response =
        send(post("/api/v1/runs/" + encode(name) + "/cancel", object()));
    return new Cancelled(json(response), response.statusCode() != ACCEPTED);
  }

  /** All datasets. */
  public JsonNode datasets() throws ApiException, InterruptedException {
    return json(request("/api/v1/datasets").GET());
  }

  /** A dataset with its columns. */
  public JsonNode dataset(String name) throws ApiException, InterruptedException {
    return json(request("/api/v1/datasets/" + encode(name)).GET());
  }

  /** Creates a dataset, or replaces it. */
  public JsonNode createDataset(ObjectNode dataset) throws ApiException, InterruptedException {
    return json(post("/api/v1/datasets", dataset));
  }

  /**
   * Creates or replaces a dataset from a file, and waits until it is ready or has failed.
   *
   * @param parameters format, compression, options, snapshotClass, replace; at least one
   */
  public JsonNode uploadDataset(
      String name, Map<String, String> parameters, HttpRequest.BodyPublisher file)
      throws ApiException, InterruptedException {
    return json(
        endpoint
            .request("/api/v1/datasets/" + encode(name) + "?wait=true&" + query(parameters))
            // So that a refusal is heard before the first byte is sent.
            .expectContinue(true)
            .PUT(file));
  }

  /** Removes a dataset. */
  public void deleteDataset(String name) throws ApiException, InterruptedException {
    json(request("/api/v1/datasets/" + encode(name)).DELETE());
  }

  private HttpRequest.Builder post(String path, ObjectNode body) {
    return request(path)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
  }

  private HttpRequest.Builder request(String path) {
    return endpoint.request(path).timeout(timeout);
  }

  private JsonNode json(HttpRequest.Builder request) throws ApiException, InterruptedException {
    return json(send(request));
  }

  private JsonNode json(HttpResponse<InputStream> response) throws ApiException {
    try (InputStream body = response.body()) {
      byte[] bytes = response.statusCode() == NO_CONTENT ? new byte[0] : body.readAllBytes();
      return bytes.length == 0 ? object() : JSON.readTree(bytes);
    } catch (IOException e) {
      throw ApiException.disconnected("the connection to " + endpoint.uri() + " broke", e);
    } catch (JacksonException e) {
      throw ApiException.notAssay(
          endpoint.uri() + " sent an answer that is not Assay's: is the address right?", e);
    }
  }

  private HttpResponse<InputStream> send(HttpRequest.Builder request)
      throws ApiException, InterruptedException {
    URI uri = endpoint.uri();
    try {
      HttpResponse<InputStream> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() >= FIRST_ERROR) {
        try (InputStream body = response.body()) {
          throw new ApiException(response.statusCode(), refusal(response.statusCode(), body));
        }
      }
      return response;
    } catch (ConnectException e) {
      throw ApiException.disconnected(
          "nothing answers at "
              + uri
              + ": start it with 'assay local', or name another with --endpoint or ASSAY_ENDPOINT",
          e);
    } catch (IOException e) {
      throw ApiException.disconnected(uri + " could not be reached: " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private String refusal(int status, InputStream body) throws IOException {
    String text = new String(body.readNBytes(64 * 1024), StandardCharsets.UTF_8);
    String message = message(text);
    if (message == null) {
      return endpoint.uri() + " answered " + status + " and is perhaps not Assay";
    }
    return status == 401 ? message + Endpoint.KEY_HINT : message;
  }

  private static @Nullable String message(String body) {
    try {
      JsonNode message = JSON.readTree(body).path("error").path("message");
      return message.isString() ? message.asString() : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
