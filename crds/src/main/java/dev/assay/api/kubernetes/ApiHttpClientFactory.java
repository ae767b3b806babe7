package dev.assay.api.kubernetes;

import dev.assay.api.v1alpha1.KindMapper;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * Creates the HTTP client of one Kubernetes client. At most {@value ApiHttpClient#MAX_REQUESTS}
 * requests are in flight at once, each response has a timeout until its last byte, and a watch
 * whose connection is silent is reconnected.
 */
public final class ApiHttpClientFactory extends JdkHttpClientFactory {
  private static final Duration PING_INTERVAL = Duration.ofSeconds(10);
  private static final Duration MAX_SILENCE = Duration.ofSeconds(30);

  private final ScheduledExecutorService timer = timer();
  private final Pings pings;
  private final RequestObserver observer;

  public ApiHttpClientFactory() {
    this(RequestObserver.NONE);
  }

  private ApiHttpClientFactory(RequestObserver observer) {
    this(PING_INTERVAL, MAX_SILENCE, observer);
  }

  /** Builds a client of the API server with such connections, which reads newer objects, too. */
  public static KubernetesClientBuilder clientBuilder() {
    return clientBuilder(RequestObserver.NONE);
  }

  /** The same, whose requests are observed. */
  public static KubernetesClientBuilder clientBuilder(RequestObserver observer) {
    return new KubernetesClientBuilder()
        .withHttpClientFactory(new ApiHttpClientFactory(observer))
        .withKubernetesSerialization(KindMapper.serialization());
  }

  ApiHttpClientFactory(Duration pingInterval, Duration maxSilence) {
    this(pingInterval, maxSilence, RequestObserver.NONE);
  }

  private ApiHttpClientFactory(
      Duration pingInterval, Duration maxSilence, RequestObserver observer) {
    this.observer = observer;
    this.pings = new Pings(timer, System::nanoTime, pingInterval, maxSilence);
  }

  private static ScheduledExecutorService timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("api-http-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return timer;
  }

  @Override
  protected HttpClient.Builder createNewHttpClientBuilder() {
    return new ApiHttpClientBuilder(
        super.createNewHttpClientBuilder(),
        client -> new ApiHttpClient(client, timer, pings, observer));
  }

  @Override
  protected void closeHttpClient(JdkHttpClientImpl client) {
    super.closeHttpClient(client);
    timer.shutdown();
  }
}
