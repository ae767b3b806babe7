package dev.assay.training;

import dev.assay.api.digest.Sha256;
import dev.assay.local.api.authentication.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Operator, front end and tool gateway, configured as the chart does, on a stand-in cluster. */
final class Installation implements AutoCloseable {
  private static final String KEY = "key-of-the-training";
  private static final String LOOPBACK = "127.0.0.1";
  private static final String TOKEN = "token-of-the-front-end";

  /**
   * A heap such as that of a container of the chart. On a large machine the share of memory that
   * the options name would be a heap without compressed references, and the cache of no use.
   */
  private static final String HEAP = "-Xmx640m";

  private final Path programs;
  private final TrainingFiles files;
  private final StandInCluster cluster;
  private final int healthPort = freePort();
  private final int frontEndHealthPort = freePort();
  private final int frontEndPort = freePort();
  private final int gatewayPort = freePort();
  private final int gatewayHealthPort = freePort();
  private final SelfSignedCertificate gatewayCertificate =
      SelfSignedCertificate.of(LOOPBACK, Clock.systemUTC());
  private final StandInToolServer tools;
  private final Map<String, String> account;
  private final Map<String, String> values;

  /** An option of the JVM. */
  private final String hosts;

  /**
   * Starts the cluster, and none of the programs yet.
   *
   * @param programs the directory of {@code operator}, {@code mcp-frontend} and {@code
   *     tool-gateway}
   */
  Installation(Path programs) throws IOException {
    this.programs = programs.toAbsolutePath();
    this.files = new TrainingFiles(Files.createTempDirectory("training"));
    this.values =
        Map.of(
            "directory", files.directory().toString(),
            "operatorPort", Integer.toString(freePort()),
            "frontEndPort", Integer.toString(frontEndPort),
            "gatewayPort", Integer.toString(gatewayPort),
            "gatewayHealthPort", Integer.toString(gatewayHealthPort),
            "keyDigest", Sha256.hex(KEY));
    this.hosts = "-Djdk.net.hosts.file=" + files.writeResource("hosts", values);
    files.writeResource("keys.yaml", values);
    files.write("operator-token", TOKEN);
    files.write("tls.crt", gatewayCertificate.pem());
    files.write("tls.key", gatewayCertificate.keyPem());
    this.cluster = new StandInCluster(TOKEN);
    this.tools = new StandInToolServer();
    cluster.addToolServer(tools);
    this.account = cluster.serviceAccount(files);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The AOT cache of a program. */
  Path cache(String program) {
    return programs.resolve(program).resolve("app.aot");
  }

  /** Starts the operator; returns when it is ready. */
  Program startOperator(String... jvmOptions) throws IOException, InterruptedException {
    Program operator =
        start(
            "operator",
            "operator.yaml",
            Map.of("ASSAY_HEALTH_PORT", Integer.toString(healthPort)),
            List.of(hosts),
            jvmOptions);
    operator.awaitReady(healthPort);
    files.write("operator-ca.crt", cluster.operatorCertificate());
    return operator;
  }

  /** Starts the front end, after the operator; returns when it is ready. */
  Program startFrontEnd(String... jvmOptions) throws IOException, InterruptedException {
    Program frontEnd =
        start(
            "mcp-frontend",
            "frontend.yaml",
            Map.of("ASSAY_HEALTH_PORT", Integer.toString(frontEndHealthPort)),
            List.of(hosts),
            jvmOptions);
    frontEnd.awaitReady(frontEndHealthPort);
    return frontEnd;
  }

  /** Starts the tool gateway; returns when it is ready. */
  Program startToolGateway(String... jvmOptions) throws IOException, InterruptedException {
    // It resolves names itself, which it could not with a file of hosts.
    Program gateway = start("tool-gateway", "tool-gateway.yaml", Map.of(), List.of(), jvmOptions);
    gateway.awaitReady(gatewayHealthPort);
    return gateway;
  }

  private Program start(
      String name,
      String config,
      Map<String, String> environment,
      List<String> ownOptions,
      String... jvmOptions)
      throws IOException {
    Map<String, String> all = new HashMap<>(account);
    all.putAll(environment);
    // As the chart has it.
    all.put("ASSAY_LOG_FORMAT", "json");
    all.put("ASSAY_CONFIG", files.writeResource(config, values).toString());
    List<String> options = new ArrayList<>(List.of(HEAP));
    options.addAll(ownOptions);
    options.addAll(List.of(jvmOptions));
    return Program.start(
        programs.resolve(name), options, all, files.directory().resolve(name + ".log"));
  }

  /** Calls of the front end. */
  Calls calls() {
    return new Calls(URI.create("http://127.0.0.1:" + frontEndPort), KEY);
  }

  /** Requests of the tool gateway. */
  GatewayCalls gatewayCalls() {
    return new GatewayCalls(
        URI.create("https://%s:%d".formatted(LOOPBACK, gatewayPort)),
        TOKEN,
        gatewayCertificate.pem());
  }

  @Override
  public void close() {
    tools.close();
    cluster.close();
  }
}
