package dev.assay.frontend;

import dev.assay.api.http.HealthEndpoint;
import dev.assay.api.kubernetes.ApiHttpClientFactory;
import dev.assay.api.metrics.ApiRequestMetrics;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.cluster.ObjectSerialization;
import dev.assay.frontend.cluster.ProblemEvents;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.YamlFile;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.http.EndpointMemory;
import dev.assay.frontend.identity.ApiKeys;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.SharedAccess;
import dev.assay.frontend.operator.OperatorClient;
import dev.assay.frontend.operator.OperatorOutputs;
import dev.assay.frontend.operator.OperatorUploads;
import dev.assay.frontend.run.OutputStore;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The front end as a process. */
public final class Main {
  private static final Logger log = LoggerFactory.getLogger(Main.class);
  private static final String DEFAULT_CONFIG = "/etc/assay/frontend.yaml";
  private static final int DEFAULT_HEALTH_PORT = 8080;
  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(20);

  static {
    // Of the JDK's server, which has the health port alone here; by default it has no limits.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("jdk.httpserver.maxConnections", "256");
  }

  private Main() {}

  /**
   * Runs until the process is asked to end. {@code ASSAY_CONFIG} names the configuration file;
   * {@value #DEFAULT_CONFIG} when unset. {@code ASSAY_HEALTH_PORT} is the port of probes and
   * metrics; {@value #DEFAULT_HEALTH_PORT} when unset. Exit code 2 where it cannot be used, 1 on
   * any other failure to start.
   */
  public static void main(String[] args) {
    try {
      start();
    } catch (InvalidConfigException e) {
      System.err.println("assay front end: " + e.getMessage());
      System.exit(2);
    } catch (RuntimeException e) {
      log.error("the front end could not be started", e);
      System.exit(1);
    }
  }

  private static void start() {
    @Nullable String file = System.getenv("ASSAY_CONFIG");
    FrontEndConfig config =
        YamlFile.read(Path.of(file == null ? DEFAULT_CONFIG : file), FrontEndConfig.class);
    Identities identities = identities(config);
    @Nullable OperatorClient operator =
        config.operator() == null ? null : new OperatorClient(config.operator());
    ProgramMetrics metrics = ProgramMetrics.ofProcess();
    KubernetesClient client =
        ApiHttpClientFactory.clientBuilder(new ApiRequestMetrics(metrics))
            .withKubernetesSerialization(ObjectSerialization.create())
            .build();
    List<String> namespaces = config.namespaces();
    KubernetesCluster cluster =
        new KubernetesCluster(client, namespaces, config.codeExecution().isEnabled());
    FrontEnd frontEnd =
        new FrontEnd(
            config,
            identities,
            operator == null
                ? cluster.with(OutputStore.NONE, UploadRelay.NONE)
                : cluster.with(
                    new OperatorOutputs(operator, OUTPUT_TIMEOUT), new OperatorUploads(operator)),
            EndpointMemory.ofHeap(config),
            FrontEnd.Times.DEFAULT,
            metrics);
    HealthEndpoint health = health(frontEnd, metrics);
    ProblemEvents events =
        new ProblemEvents(client, self(), frontEnd::problems, InstantSource.system());
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  frontEnd.close();
                  health.close();
                  events.close();
                  cluster.close();
                  client.close();
                },
                "shutdown"));
    frontEnd.start();
    events.start();
    log.info("listening on {}, run namespaces {}", frontEnd.address(), namespaces);
  }

  private static ObjectReference self() {
    Map<String, String> environment = System.getenv();
    return new ObjectReferenceBuilder()
        .withApiVersion("v1")
        .withKind("Pod")
        .withNamespace(environment.getOrDefault("POD_NAMESPACE", "assay-system"))
        .withName(environment.getOrDefault("POD_NAME", "assay-mcp-frontend"))
        .withUid(environment.get("POD_UID"))
        .build();
  }

  private static HealthEndpoint health(FrontEnd frontEnd, ProgramMetrics metrics) {
    @Nullable String port = System.getenv("ASSAY_HEALTH_PORT");
    try {
      return new HealthEndpoint(
          new InetSocketAddress(port == null ? DEFAULT_HEALTH_PORT : Integer.parseInt(port)),
          () -> true,
          frontEnd::isReady,
          frontEnd::problems,
          metrics::text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on the health port (ASSAY_HEALTH_PORT)", e);
    }
  }

  private static Identities identities(FrontEndConfig config) {
    FrontEndConfig.Auth auth = config.auth();
    return switch (auth.mode()) {
      case API_KEYS -> new ApiKeys(Objects.requireNonNull(auth.keysFile()), config.namespaces());
      case DISABLED -> {
        Identity everybody =
            new Identity(
                Objects.requireNonNull(auth.caller()),
                Objects.requireNonNull(auth.namespace()),
                null,
                SharedAccess.ALL);
        log.warn(
            "authentication is DISABLED: whoever can reach the port runs code as {} in {}",
            everybody.caller(),
            everybody.namespace());
        yield Identities.everybodyIs(everybody);
      }
    };
  }
}
