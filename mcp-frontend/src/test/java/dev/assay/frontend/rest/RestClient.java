package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alice, who holds every answer to the OpenAPI document. */
final class RestClient {
  private static final OpenApi OPEN_API = OpenApi.shipped();

  private final TestEndpoint endpoint;

  RestClient(TestEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Sends a request.
   *
   * @param template the path as the document has it
   * @param name what stands in it for the name, with a query where there is one
   * @param body with single quotes for double ones; null for none
   */
  HttpResponse<String> send(String method, String template, String name, @Nullable String body) {
    HttpResponse<String> answer =
        endpoint.send(request(method, path(template, name), body).build());
    OPEN_API.requireConforming(method, template, answer);
    return answer;
  }

  /** The same with headers. */
  HttpResponse<String> send(
      String method, String template, Map<String, String> headers, @Nullable String body) {
    HttpRequest.Builder request = request(method, template, body);
    headers.forEach(request::header);
    HttpResponse<String> answer = endpoint.send(request.build());
    OPEN_API.requireConforming(method, template, answer);
    return answer;
  }

  /** Sends a file. */
  HttpResponse<String> upload(
      String template, String name, String contentType, HttpRequest.BodyPublisher body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(endpoint.url() + path(template, name)))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer alice-key")
            .PUT(body);
    if (!contentType.isEmpty()) {
      request.header("Content-Type", contentType);
    }
    HttpResponse<String> answer = endpoint.send(request.build());
    OPEN_API.requireConforming("PUT", template, answer);
    return answer;
  }

  private static String path(String template, String name) {
    String[] parts = name.split("\\?", 2);
    return template.replace("{name}", parts[0]) + (parts.length == 2 ? "?" + parts[1] : "");
  }

  HttpRequest.Builder request(String method, String path, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(endpoint.url() + path))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer alice-key");
    if (body == null) {
      return request.method(method, HttpRequest.BodyPublishers.noBody());
    }
    return request
        .header("Content-Type", "application/json")
        .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
  }

  HttpResponse<String> get(String template, String name) {
    return send("GET", template, name, null);
  }

  HttpResponse<String> get(String template) {
    return get(template, "");
  }

  static JsonNode json(HttpResponse<String> answer) {
    return JsonMapper.shared().readTree(answer.body());
  }

  static String message(HttpResponse<String> answer) {
    JsonNode error = json(answer).get("error");
    assertThat(error.get("code").asInt()).isEqualTo(answer.statusCode());
    return error.get("message").asString();
  }
}
