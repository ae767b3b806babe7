package dev.assay.operator;

import dev.assay.api.config.ConfigReader;
import dev.assay.api.http.HealthEndpoint;
import dev.assay.api.metrics.ApiRequestMetrics;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.crds.Crds;
import dev.assay.operator.kubernetes.ApiClients;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the operator as a process until it receives a termination signal; with the argument {@value
 * #CRDS}, applies the CRDs of this version and ends.
 */
public final class Main {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);
  private static final String DEFAULT_HEALTH_PORT = "8080";
  private static final String CRDS = "crds";

  private Main() {}

  public static void main(String[] args) {
    if (List.of(args).equals(List.of(CRDS))) {
      upgradeCrds();
      return;
    }
    try {
      run();
    } catch (IOException | RuntimeException e) {
      // Other threads would keep the process alive, and the kubelet would not restart it.
      exit(1, "The operator cannot start: " + rootMessage(e));
    }
  }

  private static void upgradeCrds() {
    try (KubernetesClient client = ApiClients.create(new ConfigBuilder().build())) {
      Crds.upgrade(client);
    } catch (Crds.RefusedException e) {
      exit(1, "No CRD was changed: " + e.getMessage());
    } catch (RuntimeException e) {
      exit(1, "The CRDs cannot be applied: " + rootMessage(e));
    }
  }

  private static void run() throws IOException {
    AssayOperator.boundHeadersOfRunners();
    AssayOperator.limitDnsCache();
    OperatorConfig config =
        configOrExit(Path.of(variable("ASSAY_CONFIG", "/etc/assay/operator.yaml")));
    AssayOperator.Replica replica =
        new AssayOperator.Replica(
            variable("POD_NAMESPACE", "assay-system"),
            variable("POD_NAME", "assay-operator"),
            variable("POD_IP", "127.0.0.1"));
    ProgramMetrics metrics = ProgramMetrics.ofProcess();
    KubernetesClient client =
        ApiClients.create(new ConfigBuilder().build(), new ApiRequestMetrics(metrics));
    AssayOperator operator =
        new AssayOperator(
            client,
            config,
            replica,
            Clock.systemUTC(),
            metrics,
            e -> exit(1, "This replica cannot lead: " + rootMessage(e)));
    AtomicBoolean ready = new AtomicBoolean();
    HealthEndpoint health =
        new HealthEndpoint(
            new InetSocketAddress(
                Integer.parseInt(variable("ASSAY_HEALTH_PORT", DEFAULT_HEALTH_PORT))),
            operator::isAlive,
            () -> ready.get() && operator.isAlive(),
            metrics::text);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  health.close();
                  operator.close();
                }));
    operator.start();
    operator.monitorHealth();
    ready.set(true);
  }

  private static OperatorConfig configOrExit(Path file) {
    try {
      return ConfigReader.read(file, OperatorConfig.class);
    } catch (ConfigReader.InvalidConfigException e) {
      exit(2, "The operator cannot start: " + e.getMessage());
      throw e;
    }
  }

  private static void exit(int status, String why) {
    LOG.error("{}", why);
    System.exit(status);
  }

  /** The innermost cause: the SDK and the client wrap exceptions several times. */
  private static String rootMessage(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }

  /** An environment variable, set by the downward API. */
  private static String variable(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }
}
