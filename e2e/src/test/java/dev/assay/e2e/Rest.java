package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

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
