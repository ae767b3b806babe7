package dev.assay.training;

import dev.assay.operator.kubernetes.CacheSerialization;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientBuilderImpl;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** What one program requests of the API server. */
final class RequestLog implements Interceptor {
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

  /** A client whose requests are recorded, and which deserializes as the operator's does. */
  KubernetesClient client(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(
            new JdkHttpClientFactory() {
              @Override
              public JdkHttpClientBuilderImpl newBuilder() {
                JdkHttpClientBuilderImpl builder = super.newBuilder();
                builder.addOrReplaceInterceptor("request log", RequestLog.this);
                return builder;
              }
            })
        .withKubernetesSerialization(CacheSerialization.create())
        .build();
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    String[] path = request.uri().getPath().split("/namespaces/[^/]+/|/v1(alpha1)?/", 3);
    String query = request.uri().getQuery();
    sent.add(new Sent(request.method(), path[path.length - 1], query == null ? "" : query));
  }

  /** The requests so far. */
  Stream<Sent> sent() {
    return sent.stream();
  }

  /** Forgets the requests so far. */
  void clear() {
    sent.clear();
  }
}
