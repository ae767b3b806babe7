package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The REST API of an installation. */
final class Rest {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONGEST = Duration.ofMinutes(12);

  private final Installation installation;

  Rest(Installation installation) {
    this.installation = installation;
  }

  /** Posts an object; the response must have this status. */
  JsonNode post(String path, ObjectNode body, int status) {
    return json(send(request(path).POST(BodyPublishers.ofString(body.toString())), status));
  }

  /** Gets a resource; the response must have this status. */
  HttpResponse<String> get(String path, int status) {
    return send(request(path), status);
  }

  /** Gets the bytes of a resource, whatever the status. */
  HttpResponse<byte[]> bytes(HttpRequest request) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Saves all artifacts of a run below a folder, and returns their paths in it. */
  List<String> download(String run, Path folder) {
    List<String> paths = new ArrayList<>();
    for (JsonNode artifact : json(get("/runs/" + run + "/artifacts", 200)).path("items")) {
      String path = artifact.path("path").asText();
      HttpResponse<byte[]> response =
          bytes(request("/runs/" + run + "/artifacts/" + encoded(path)).build());
      assertThat(response.statusCode()).isEqualTo(200);
      save(folder.resolve(path), response.body());
      paths.add(path);
    }
    return paths;
  }

  private static void save(Path file, byte[] bytes) {
    try {
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A path as a part of an address. */
  static String encoded(String path) {
    return URLEncoder.encode(path, UTF_8).replace("+", "%20").replace("%2F", "/");
  }

  /** Deletes an existing resource. */
  void delete(String path) {
    send(request(path).DELETE(), 204);
  }

  /** Uploads a file and returns any response. */
  HttpResponse<String> upload(String nameAndQuery, BodyPublisher file) {
    return send(
        request("/datasets/" + nameAndQuery)
            .setHeader("Content-Type", "application/octet-stream")
            .expectContinue(file.contentLength() > 0)
            .PUT(file));
  }

  /**
   * Announces a number of bytes, sends some after 100 Continue, and disconnects.
   *
   * @throws IOException if the connection is lost
   */
  void abandonUpload(String nameAndQuery, String part, int announcedBytes) throws IOException {
    try (Socket socket = announceUpload(nameAndQuery, announcedBytes)) {
      sendWhenAsked(socket, part);
    }
  }

  /**
   * Sends some bytes of an announced upload.
   *
   * @throws IOException if the connection is lost
   */
  static void sendWhenAsked(Socket socket, String part) throws IOException {
    byte[] answer = socket.getInputStream().readNBytes("HTTP/1.1 100 Continue".length());
    assertThat(answer).asString(UTF_8).isEqualTo("HTTP/1.1 100 Continue");
    OutputStream out = socket.getOutputStream();
    out.write(part.getBytes(UTF_8));
    out.flush();
  }

  /**
   * Announces a number of bytes, and waits for 100 Continue.
   *
   * @throws IOException if there is no connection
   */
  Socket announceUpload(String nameAndQuery, int bytes) throws IOException {
    URI endpoint = installation.endpoint();
    Socket socket = new Socket(endpoint.getHost(), endpoint.getPort());
    String head =
        """
        PUT /api/v1/datasets/%s HTTP/1.1
        Host: %s
        Authorization: Bearer %s
        Content-Length: %d
        Expect: 100-continue

        """
            .formatted(nameAndQuery, endpoint.getAuthority(), installation.key(), bytes);
    OutputStream out = socket.getOutputStream();
    out.write(head.replace("\n", "\r\n").getBytes(UTF_8));
    out.flush();
    return socket;
  }

  /** A request with the key. */
  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(installation.endpoint().resolve("/api/v1" + path))
        .timeout(LONGEST)
        .header("Authorization", "Bearer " + installation.key())
        .header("Content-Type", "application/json");
  }

  static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, int status) {
    HttpResponse<String> response = send(request);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return response;
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
