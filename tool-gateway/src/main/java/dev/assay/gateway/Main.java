package dev.assay.gateway;

import dev.assay.api.config.ConfigReader;
import dev.assay.api.config.ConfigReader.InvalidConfigException;
import dev.assay.api.kubernetes.ApiHttpClientFactory;
import dev.assay.api.metrics.ApiRequestMetrics;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.gateway.config.GatewayConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the gateway as a process until it receives a termination signal. */
public final class Main {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);
  private static final String DEFAULT_CONFIG = "/etc/assay/tool-gateway.yaml";

  /** Below the grace period of the Pod. */
  private static final Duration DRAIN = Duration.ofSeconds(50);

  private Main() {}

  /**
   * Runs until the process is asked to end. {@code ASSAY_CONFIG} names the configuration file. Exit
   * code 2 where it cannot be used, 1 on any other failure to start.
   */
  public static void main(String[] args) {
    try {
      start();
    } catch (InvalidConfigException e) {
      exit(2, e.getMessage());
    } catch (IOException | RuntimeException e) {
      // Other threads would keep the process alive, and the kubelet would not restart it.
      exit(1, e.toString());
    }
  }

  private static void start() throws IOException {
    closeIdleConnectionsEarly();
    @Nullable String file = System.getenv("ASSAY_CONFIG");
    GatewayConfig config =
        ConfigReader.read(Path.of(file == null ? DEFAULT_CONFIG : file), GatewayConfig.class)
            .withDeniedAddress(System.getenv("KUBERNETES_SERVICE_HOST"));
    ProgramMetrics metrics = ProgramMetrics.ofProcess();
    KubernetesClient client =
        ApiHttpClientFactory.clientBuilder(new ApiRequestMetrics(metrics)).build();
    ToolGateway gateway = new ToolGateway(config, client, metrics, Clock.systemUTC());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(gateway, client), "shutdown"));
    gateway.start();
    LOG.info("Serving tool servers of {} at {}", config.namespaces(), gateway.address());
  }

  /**
   * Servers close idle connections, some after five seconds. A call that is sent as one closes may
   * have arrived or not. The JDK reads the setting once, with the first HTTP client of the process,
   * which is that of the API server.
   */
  static void closeIdleConnectionsEarly() {
    System.setProperty("jdk.httpclient.keepalive.timeout", "3");
  }

  private static void stop(ToolGateway gateway, KubernetesClient client) {
    try {
      gateway.drain(DRAIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      gateway.close();
      client.close();
    }
  }

  private static void exit(int status, @Nullable String why) {
    LOG.error("The gateway cannot start: {}", why);
    System.exit(status);
  }
}
