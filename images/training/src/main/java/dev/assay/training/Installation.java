package dev.assay.training;

import dev.assay.api.digest.Sha256;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The operator and the front end, configured as the chart does, on a stand-in cluster. */
final class Installation implements AutoCloseable {
  private static final String KEY = "key-of-the-training";
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
  private final int frontEndPort = freePort();
  private final Map<String, String> account;
  private final Map<String, String> values;
  private final String hosts;

  /**
   * Starts the cluster, and neither program yet.
   *
   * @param programs the directory of {@code operator} and {@code mcp-frontend}
   */
  Installation(Path programs) throws IOException {
    this.programs = programs.toAbsolutePath();
    this.files = new TrainingFiles(Files.createTempDirectory("training"));
    this.values =
        Map.of(
            "directory", files.directory().toString(),
            "operatorPort", Integer.toString(freePort()),
            "frontEndPort", Integer.toString(frontEndPort),
            "keyDigest", Sha256.hex(KEY));
    this.hosts = files.writeResource("hosts", values).toString();
    files.writeResource("keys.yaml", values);
    files.write("operator-token", TOKEN);
    this.cluster = new StandInCluster(TOKEN);
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
            jvmOptions);
    operator.awaitReady(healthPort);
    files.write("operator-ca.crt", cluster.operatorCertificate());
    return operator;
  }

  /** Starts the front end, after the operator; returns when it is ready. */
  Program startFrontEnd(String... jvmOptions) throws IOException, InterruptedException {
    Program frontEnd = start("mcp-frontend", "frontend.yaml", Map.of(), jvmOptions);
    frontEnd.awaitReady(frontEndPort);
    return frontEnd;
  }

  private Program start(
      String name, String config, Map<String, String> environment, String... jvmOptions)
      throws IOException {
    Map<String, String> all = new HashMap<>(account);
    all.putAll(environment);
    all.put("ASSAY_CONFIG", files.writeResource(config, values).toString());
    List<String> options = new ArrayList<>(List.of(HEAP, "-Djdk.net.hosts.file=" + hosts));
    options.addAll(List.of(jvmOptions));
    return Program.start(
        programs.resolve(name), options, all, files.directory().resolve(name + ".log"));
  }

  /** Calls of the front end. */
  Calls calls() {
    return new Calls(URI.create("http://127.0.0.1:" + frontEndPort), KEY);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
