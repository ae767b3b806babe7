package dev.assay.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.api.v1alpha1.KindMapper;
import dev.assay.operator.kubernetes.ApiClients;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.CompatibilityFlags;
import io.fabric8.zjsonpatch.JsonPatch;
import io.fabric8.zjsonpatch.JsonPatchException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An API server on the loopback address: reads, creates, patches on top of a resourceVersion,
 * deletes, and lists in small pages, each answered as Kubernetes would, but no watches. Unlike the
 * client's own mock server it keeps UIDs as they are, and one request can wait while others are
 * answered.
 */
public final class FakeApiServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final KubernetesSerialization WHOLE = KindMapper.serialization();
  private static final long PATIENCE_SECONDS = 20;
  private static final String STATUS = "/status";
  private static final int PAGE = 2;
  private static final Set<String> LISTED =
      Set.of("pods", "datasets", "analyticsruns", "runclasses", "networkpolicies");

  /**
   * A request that was answered.
   *
   * @param path without the query
   * @param query empty if there is none
   * @param body JSON null if there is none
   */
  public record Request(String method, String path, String query, JsonNode body) {
    public boolean is(String wantedMethod, String pathPart) {
      return method.equals(wantedMethod) && path.contains(pathPart);
    }
  }

  /**
   * A response.
   *
   * @param code HTTP status
   * @param body JSON
   */
  public record Answer(int code, String body) {}

  /** Answers requests instead of the server, or lets them pass. */
  @FunctionalInterface
  public interface Intercept {
    Optional<Answer> answer(Request request) throws InterruptedException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final KubernetesClient client;
  private final Map<String, ObjectNode> objects = new TreeMap<>();
  private final List<Request> answered = new ArrayList<>();
  private final List<Intercept> intercepts = new CopyOnWriteArrayList<>();
  private long version = 100;

  public FakeApiServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
    client =
        ApiClients.create(
            new ConfigBuilder(Config.empty())
                .withMasterUrl(uri())
                .withRequestRetryBackoffLimit(0)
                .build());
  }

  /** The URL that it listens on. */
  public String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A client with the serialization of the operator's. */
  public KubernetesClient client() {
    return client;
  }

  /** Adds an interceptor; the last one added is called first. */
  public void intercept(Intercept intercept) {
    intercepts.addFirst(intercept);
  }

  /** Refuses all requests of a kind. */
  public void refuse(String method, String pathPart, int code, String reason, String message) {
    intercept(
        request ->
            request.is(method, pathPart)
                ? Optional.of(failure(code, reason, message))
                : Optional.empty());
  }

  /**
   * Stores an object with a new resourceVersion.
   *
   * @return the stored object
   */
  public synchronized <R extends HasMetadata> R put(R object) {
    String path = pathOf(object);
    ObjectNode stored = client.getKubernetesSerialization().convertValue(object, ObjectNode.class);
    objects.put(path, touched(stored));
    return read(object);
  }

  /** The stored object with all fields. */
  public synchronized <R extends HasMetadata> R read(R like) {
    return find(like).orElseGet(() -> fail("There is no " + pathOf(like)));
  }

  /** The stored object, if it exists. */
  public synchronized <R extends HasMetadata> Optional<R> find(R like) {
    @SuppressWarnings("unchecked")
    Class<R> kind = (Class<R>) like.getClass();
    return Optional.ofNullable(objects.get(pathOf(like)))
        .map(json -> WHOLE.unmarshal(json.toString(), kind));
  }

  /** The stored object as JSON, with what this version does not know. */
  public synchronized JsonNode json(HasMetadata like) {
    return objects.get(pathOf(like)).deepCopy();
  }

  /** Changes a stored object, as a newer version would. */
  public synchronized void change(HasMetadata like, Consumer<ObjectNode> change) {
    ObjectNode object = objects.get(pathOf(like));
    change.accept(object);
    touched(object);
  }

  /** Removes an object, as another client would. */
  public synchronized void remove(HasMetadata object) {
    objects.remove(pathOf(object));
  }

  /** The requests that were answered so far, in order. */
  public synchronized List<Request> requests(String method, String pathPart) {
    return answered.stream().filter(request -> request.is(method, pathPart)).toList();
  }

  /** Waits until a request of a kind has been answered. */
  public void await(String method, String pathPart, Predicate<JsonNode> body)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    synchronized (this) {
      while (requests(method, pathPart).stream().map(Request::body).noneMatch(body)) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          fail("No " + method + " of " + pathPart + " came; there were " + answered);
        }
        wait(left);
      }
    }
  }

  /** What a JSON patch writes to a member of a status; empty if it does not. */
  public static String statusMember(JsonNode patch, String name) {
    return patch
        .valueStream()
        .map(
            operation ->
                switch (operation.path("path").asText()) {
                  case STATUS -> operation.path("value").path(name).asText();
                  case String path when path.equals(STATUS + "/" + name) ->
                      operation.path("value").asText();
                  default -> "";
                })
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** A refusal, in the form of Kubernetes. */
  public static Answer failure(int code, String reason, String message) {
    ObjectNode status = JSON.createObjectNode();
    status.put("kind", "Status").put("apiVersion", "v1").put("status", "Failure");
    status.put("code", code).put("reason", reason).put("message", message);
    return new Answer(code, status.toString());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      Request request =
          new Request(
              exchange.getRequestMethod(),
              exchange.getRequestURI().getPath(),
              Objects.toString(exchange.getRequestURI().getQuery(), ""),
              body.length == 0 ? JSON.nullNode() : JSON.readTree(body));
      Answer answer = answer(request, request.query());
      byte[] bytes = answer.body().getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.code(), bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Answer answer(Request request, String query) throws InterruptedException {
    for (Intercept intercept : intercepts) {
      Optional<Answer> answer = intercept.answer(request);
      if (answer.isPresent()) {
        return record(request, answer.get());
      }
    }
    synchronized (this) {
      return record(
          request,
          switch (request.method()) {
            case "GET" -> get(request.path(), query);
            case "POST" -> create(request);
            case "PUT" -> replace(request);
            case "PATCH" -> patch(request);
            case "DELETE" -> delete(request);
            default -> failure(405, "MethodNotAllowed", request.method());
          });
    }
  }

  private synchronized Answer record(Request request, Answer answer) {
    answered.add(request);
    notifyAll();
    return answer;
  }

  private Answer get(String path, String query) {
    return LISTED.contains(path.substring(path.lastIndexOf('/') + 1))
        ? list(path, query)
        : answer(200, path, objects.get(path));
  }

  /** Supports selectors that require a label, and no others. */
  private Answer list(String path, String query) {
    String label = parameter(query, "labelSelector");
    String from = parameter(query, "continue");
    List<Map.Entry<String, ObjectNode>> left =
        objects.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(path + "/"))
            .filter(entry -> entry.getKey().compareTo(from) >= 0)
            .filter(entry -> label.isEmpty() || entry.getValue().at("/metadata/labels").has(label))
            .toList();
    ObjectNode list = JSON.createObjectNode().put("kind", "List").put("apiVersion", "v1");
    ObjectNode metadata = list.putObject("metadata").put("resourceVersion", Long.toString(version));
    ArrayNode items = list.putArray("items");
    left.stream().limit(PAGE).map(Map.Entry::getValue).forEach(items::add);
    if (left.size() > PAGE) {
      metadata.put("continue", left.get(PAGE).getKey());
    }
    return new Answer(200, list.toString());
  }

  private static String parameter(String query, String name) {
    return Stream.of(query.split("&", -1))
        .filter(pair -> pair.startsWith(name + "="))
        .map(pair -> pair.substring(name.length() + 1))
        .findFirst()
        .orElse("");
  }

  private Answer create(Request request) {
    ObjectNode object = (ObjectNode) request.body().deepCopy();
    ObjectNode metadata = object.withObject("/metadata");
    String path = request.path() + "/" + metadata.path("name").asText();
    if (objects.containsKey(path)) {
      return failure(409, "AlreadyExists", path + " already exists");
    }
    metadata.put("uid", "uid-" + (version + 1)).put("creationTimestamp", Samples.CREATED);
    objects.put(path, touched(object));
    return answer(201, path, object);
  }

  /** Replaces an object without a check of its resourceVersion. */
  private Answer replace(Request request) {
    ObjectNode object = (ObjectNode) request.body().deepCopy();
    objects.put(request.path(), touched(object));
    return answer(200, request.path(), object);
  }

  private Answer patch(Request request) {
    boolean status = request.path().endsWith(STATUS);
    String path =
        status
            ? request.path().substring(0, request.path().length() - STATUS.length())
            : request.path();
    ObjectNode current = objects.get(path);
    if (current == null) {
      return answer(404, path, null);
    }
    ObjectNode patched = current.deepCopy();
    if (request.body() instanceof ObjectNode merged) {
      merge(patched, merged);
    } else {
      try {
        patched =
            (ObjectNode)
                JsonPatch.apply(
                    request.body(),
                    current,
                    EnumSet.of(CompatibilityFlags.FORBID_REMOVE_MISSING_OBJECT));
      } catch (JsonPatchException e) {
        return failure(422, "Invalid", e.getMessage());
      }
    }
    if (!patched.at("/metadata/resourceVersion").equals(current.at("/metadata/resourceVersion"))) {
      return failure(409, "Conflict", path + " has been modified");
    }
    ObjectNode next = status ? current.deepCopy() : patched;
    if (status) {
      next.set("status", patched.get("status"));
    }
    objects.put(path, touched(next));
    return answer(200, path, next);
  }

  /** A JSON merge patch that removes nothing, as leader election sends. */
  private static void merge(ObjectNode object, ObjectNode patch) {
    patch
        .properties()
        .forEach(
            field -> {
              if (field.getValue() instanceof ObjectNode part
                  && object.get(field.getKey()) instanceof ObjectNode known) {
                merge(known, part);
              } else {
                object.set(field.getKey(), field.getValue());
              }
            });
  }

  private Answer delete(Request request) {
    String path = request.path();
    ObjectNode current = objects.get(path);
    for (String field : List.of("uid", "resourceVersion")) {
      JsonNode wanted = request.body().at("/preconditions/" + field);
      if (current != null
          && wanted.isTextual()
          && !wanted.equals(current.at("/metadata/" + field))) {
        return failure(409, "Conflict", path + " has another " + field);
      }
    }
    return answer(200, path, objects.remove(path));
  }

  private ObjectNode touched(ObjectNode object) {
    object.withObject("/metadata").put("resourceVersion", Long.toString(++version));
    return object;
  }

  private static Answer answer(int code, String path, @Nullable ObjectNode object) {
    return object == null
        ? failure(404, "NotFound", path + " not found")
        : new Answer(code, object.toString());
  }

  private static String pathOf(HasMetadata object) {
    String version = object.getApiVersion();
    String namespace = object.getMetadata().getNamespace();
    return (version.contains("/") ? "/apis/" : "/api/")
        + version
        + (namespace == null ? "" : "/namespaces/" + namespace)
        + "/"
        + HasMetadata.getPlural(object.getClass())
        + "/"
        + object.getMetadata().getName();
  }

  @Override
  public void close() {
    client.close();
    server.stop(0);
    threads.shutdownNow();
  }
}
