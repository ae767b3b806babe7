package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
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

  /** Posts an object; the answer must have this status. */
  JsonNode post(String path, ObjectNode body, int status) {
    return json(send(request(path).POST(BodyPublishers.ofString(body.toString())), status));
  }

  /** Gets something; the answer must have this status. */
  HttpResponse<String> get(String path, int status) {
    return send(request(path), status);
  }

  /** Removes something that is there. */
  void delete(String path) {
    send(request(path).DELETE(), 204);
  }

  /** Uploads a file, whatever the answer. */
  HttpResponse<String> upload(String nameAndQuery, BodyPublisher file) {
    return send(
        request("/datasets/" + nameAndQuery)
            .setHeader("Content-Type", "application/octet-stream")
            .expectContinue(file.contentLength() > 0)
            .PUT(file));
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
