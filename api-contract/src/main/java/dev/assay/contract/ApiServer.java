package dev.assay.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The API server under test: single requests, with the credentials of a client. */
public final class ApiServer {
  static final String JSON = "application/json";
  static final String JSON_PATCH = "application/json-patch+json";
  static final String MERGE_PATCH = "application/merge-patch+json";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final KubernetesClient client;

  /** The server that a client is connected to. */
  public ApiServer(KubernetesClient client) {
    this.client = client;
  }

  /**
   * A response.
   *
   * @param code the HTTP status
   * @param body as JSON, or as text if it is not JSON
   */
  public record Answer(int code, JsonNode body) {
    /** The body of a response that must be a success. */
    JsonNode orFail() {
      if (code >= 300) {
        throw new AssertionError(code + ": " + body);
      }
      return body;
    }

    /** The text of a part of the body. */
    public String at(String pointer) {
      return body.at(pointer).asText();
    }

    /** The message of a refusal. */
    public String message() {
      return at("/message");
    }
  }

  KubernetesClient client() {
    return client;
  }

  Answer get(String path) {
    return send("GET", path, null, null);
  }

  Answer getAs(String accept, String path) {
    return answer(request("GET", path, null, null).header("Accept", accept).build());
  }

  Answer post(String path, String body) {
    return send("POST", path, JSON, body);
  }

  Answer put(String path, JsonNode body) {
    return send("PUT", path, JSON, body.toString());
  }

  Answer jsonPatch(String path, String patch) {
    return send("PATCH", path, JSON_PATCH, patch);
  }

  Answer mergePatch(String path, String patch) {
    return send("PATCH", path, MERGE_PATCH, patch);
  }

  Answer delete(String path) {
    return send("DELETE", path, null, null);
  }

  Answer delete(String path, String options) {
    return send("DELETE", path, JSON, options);
  }

  /** Sends a request; a body needs its type. */
  public Answer send(String method, String path, @Nullable String type, @Nullable String body) {
    return answer(request(method, path, type, body).build());
  }

  private Answer answer(HttpRequest request) {
    HttpResponse<String> response = client.getHttpClient().sendAsync(request, String.class).join();
    return new Answer(response.code(), parse(response.body()));
  }

  private static JsonNode parse(@Nullable String body) {
    try {
      return MAPPER.readTree(body == null ? "" : body);
    } catch (IOException e) {
      return MAPPER.getNodeFactory().textNode(body);
    }
  }

  /** Opens a watch; its events are read one at a time. */
  WatchStream watch(String path) {
    String separator = path.contains("?") ? "&" : "?";
    HttpResponse<InputStream> response =
        client
            .getHttpClient()
            .sendAsync(
                request("GET", path + separator + "watch=true", null, null).build(),
                InputStream.class)
            .join();
    if (response.code() != 200) {
      throw new AssertionError("the watch of " + path + " was answered " + response.code());
    }
    return new WatchStream(response.body());
  }

  private HttpRequest.Builder request(
      String method, String path, @Nullable String type, @Nullable String body) {
    HttpRequest.Builder builder =
        client.getHttpClient().newHttpRequestBuilder().uri(uri(path)).forStreaming();
    // The client sends a GET unless the request has a body, even an empty one.
    return method.equals("GET")
        ? builder
        : builder.method(method, type == null ? JSON : type, body == null ? "" : body);
  }

  private URI uri(String path) {
    String root = client.getMasterUrl().toString();
    return URI.create(
        root.endsWith("/") ? root.substring(0, root.length() - 1) + path : root + path);
  }

  /** Parses a text as JSON. */
  static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
