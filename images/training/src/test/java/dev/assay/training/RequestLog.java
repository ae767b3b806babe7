package dev.assay.training;

import dev.assay.api.kubernetes.ApiHttpClientFactory;
import dev.assay.operator.kubernetes.CacheSerialization;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What one program requests of the API server. */
final class RequestLog implements Interceptor {
  /** Of a path: the group, the version and the namespace. */
  private static final Pattern PREFIX =
      Pattern.compile("^/apis?/([^/]+/)?v1[^/]*/(namespaces/[^/]+/)?");

  private final List<Sent> sent = new CopyOnWriteArrayList<>();

  /**
   * A request.
   *
   * @param resource such as pods, with the name of an object and a subresource if it has them
   * @param query the parameters, decoded
   */
  record Sent(String method, String resource, String query) {
    boolean isWatch() {
      return query.contains("watch=true");
    }

    boolean isOf(String plural) {
      return resource.equals(plural) || resource.startsWith(plural + "/");
    }

    @Override
    public String toString() {
      return (isWatch() ? "WATCH" : method) + " " + resource;
    }
  }

  /** A client like that of the operator, whose requests are recorded. */
  KubernetesClient client(Config config) {
    HttpClient.Factory connections = new ApiHttpClientFactory();
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(
            () -> connections.newBuilder().addOrReplaceInterceptor("request log", this))
        .withKubernetesSerialization(CacheSerialization.create())
        .build();
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    String resource = PREFIX.matcher(request.uri().getPath()).replaceFirst("");
    String query = request.uri().getQuery();
    synchronized (sent) {
      sent.add(new Sent(request.method(), resource, query == null ? "" : query));
      sent.notifyAll();
    }
  }

  /** The requests so far. */
  Stream<Sent> sent() {
    return sent.stream();
  }

  /**
   * Waits until a request is sent.
   *
   * @param request its method and resource, as {@link Sent#toString} returns them
   */
  void await(String request) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(InProcess.TIMEOUT_SECONDS);
    synchronized (sent) {
      while (sent.stream().noneMatch(found -> found.toString().equals(request))) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          throw new AssertionError("timed out waiting for " + request + "; sent: " + sent);
        }
        TimeUnit.NANOSECONDS.timedWait(sent, left);
      }
    }
  }

  /** Forgets the requests so far. */
  void clear() {
    sent.clear();
  }
}
