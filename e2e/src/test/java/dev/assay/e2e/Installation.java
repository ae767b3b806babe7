package dev.assay.e2e;

import io.fabric8.kubernetes.client.Config;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The Assay under test, and what the tests need to inspect it.
 *
 * @param endpoint the MCP endpoint, such as http://198.19.0.87:8787/mcp
 * @param key an API key of a caller whose runs go to {@code namespace}
 * @param namespace the run namespace
 * @param kubernetes configuration of the client of the API server
 * @param cluster what only a cluster has; absent in local mode
 */
record Installation(
    URI endpoint, String key, String namespace, Config kubernetes, @Nullable Cluster cluster) {

  /**
   * The cluster of dev/e2e.
   *
   * @param otherKey an API key of another caller, whose runs go to the same namespace; it grants
   *     only to read, from the tool server {@code counting-granted}
   * @param systemNamespace the namespace of operator and front end
   * @param clients folder with the installed outside clients, {@code inspector} and {@code python}
   * @param data folder with the files that are also on the volume {@code shared}
   * @param auditLog what the API server logs of each change by a service account of {@code
   *     systemNamespace}, as JSON lines; only root can read it
   * @param outside host and port of a stand-in for the internet: it responds to Pods over TCP and
   *     UDP, as 169.254.169.254 does at port 80
   * @param host the address of this machine that Pods of the tool gateway may connect to
   * @param warmPools whether the classes of the chart have warm pools
   */
  record Cluster(
      String otherKey,
      String systemNamespace,
      Path clients,
      Path data,
      Path auditLog,
      URI outside,
      String host,
      boolean warmPools) {}

  private static final String LOOPBACK = "127.0.0.1";
  private static final String CREDENTIAL_NAMESPACE = "assay-tool-credentials";

  /** Whether the variables of dev/e2e are set. */
  static boolean isInEnvironment() {
    return System.getenv("ASSAY_E2E_ENDPOINT") != null;
  }

  /** Reads the variables that dev/e2e sets; the first one missing is named in the error. */
  static Installation fromEnvironment() {
    return new Installation(
        URI.create(variable("ASSAY_E2E_ENDPOINT")),
        variable("ASSAY_E2E_KEY"),
        variable("ASSAY_E2E_NAMESPACE"),
        Config.autoConfigure(null),
        new Cluster(
            variable("ASSAY_E2E_OTHER_KEY"),
            variable("ASSAY_E2E_SYSTEM_NAMESPACE"),
            Path.of(variable("ASSAY_E2E_CLIENTS")),
            Path.of(variable("ASSAY_E2E_DATA")),
            Path.of(variable("ASSAY_E2E_AUDIT_LOG")),
            URI.create("//" + variable("ASSAY_E2E_OUTSIDE")),
            variable("ASSAY_E2E_HOST"),
            Boolean.parseBoolean(variable("ASSAY_E2E_WARM_POOLS"))));
  }

  String otherKey() {
    return needed().otherKey();
  }

  String systemNamespace() {
    return needed().systemNamespace();
  }

  Path clients() {
    return needed().clients();
  }

  Path data() {
    return needed().data();
  }

  Path auditLog() {
    return needed().auditLog();
  }

  URI outside() {
    return needed().outside();
  }

  /** The address of this machine at which tool servers can listen. */
  String toolServerHost() {
    return cluster == null ? LOOPBACK : cluster.host();
  }

  /** The namespace of the credentials of tool servers. */
  String credentialNamespace() {
    return CREDENTIAL_NAMESPACE;
  }

  /**
   * Whether a run of a class of the chart is given a warm Pod unless its pool is being refilled.
   */
  boolean hasWarmPools() {
    return cluster != null && cluster.warmPools();
  }

  private Cluster needed() {
    if (cluster == null) {
      throw new IllegalStateException("this scenario needs a cluster: run it with dev/e2e");
    }
    return cluster;
  }

  private static String variable(String name) {
    String value = System.getenv(name);
    if (value == null || value.isEmpty()) {
      throw new IllegalStateException(name + " is not set: run the scenarios with dev/e2e");
    }
    return value;
  }
}
