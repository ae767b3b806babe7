package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.e2e.upstream.CountingUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Whoever may write ToolServers can neither reach what is inside nor send a credential elsewhere.
 */
@ExtendWith(AssayExtension.class)
class ToolAddressesE2E {
  private static final String NAME = "counting-address-";

  private final Assay assay;
  private final ToolServers servers;
  private CountingUpstream upstream;

  ToolAddressesE2E(Assay assay) {
    this.assay = assay;
    this.servers = new ToolServers(assay);
  }

  @BeforeEach
  void start() {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
  }

  @AfterEach
  void close() {
    servers.close();
    upstream.close();
  }

  @Full
  @ClusterOnly("servers may have loopback and private addresses there")
  @Test
  void noServerHasAnAddressInsideOfTheCluster() {
    String system = assay.installation().systemNamespace();
    Map<String, String> refusals = new LinkedHashMap<>();
    refusals.put("http://127.0.0.1:8080/mcp", "a loopback address");
    refusals.put("http://localhost:8080/mcp", "a loopback address");
    refusals.put("http://[::1]:8080/mcp", "a loopback address");
    refusals.put("https://kubernetes.default.svc/mcp", "an address of the cluster's API server");
    refusals.put("https://%s/mcp".formatted(apiServer()), "an address of the cluster's API server");
    refusals.put("http://assay.%s.svc:8787/mcp".formatted(system), "a private address");
    refusals.put(
        "https://assay-tool-gateway.%s.svc:8443/mcp".formatted(system), "a private address");
    assertUnavailable(refusals);
  }

  private String apiServer() {
    return assay
        .kubernetes()
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace("default")
        .withName("kubernetes")
        .require()
        .getEndpoints()
        .getFirst()
        .getAddresses()
        .getFirst();
  }

  @FullEverywhere
  @Test
  void noServerHasALinkLocalOrUnusableAddress() {
    Map<String, String> refusals = new LinkedHashMap<>();
    refusals.put("http://169.254.169.254/mcp", "that of a metadata service");
    refusals.put("http://[::ffff:169.254.169.254]/mcp", "that of a metadata service");
    refusals.put("http://[fe80::1]/mcp", "a link-local address");
    refusals.put("http://0.0.0.0:8080/mcp", "an address that no server can have");
    refusals.put("http://0169.254.169.254/mcp", "a host that is no name and no address");
    assertUnavailable(refusals);
  }

  @FullEverywhere
  @Test
  void aRedirectIsNotFollowed() throws IOException {
    HttpServer redirecting =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getByName(assay.installation().toolServerHost()), 0),
            0);
    redirecting.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Location", upstream.url().toString());
          exchange.sendResponseHeaders(307, -1);
          exchange.close();
        });
    redirecting.start();
    try {
      String authority = upstream.url().getHost() + ":" + redirecting.getAddress().getPort();
      assertUnavailable(
          Map.of("http://" + authority + "/mcp", "a redirect, which is not followed"));
    } finally {
      redirecting.stop(0);
    }
  }

  private void assertUnavailable(Map<String, String> refusals) {
    List<String> urls = List.copyOf(refusals.keySet());
    for (int i = 0; i < urls.size(); i++) {
      servers.declare(NAME + i, ToolServers.spec(URI.create(urls.get(i))).build());
    }
    for (int i = 0; i < urls.size(); i++) {
      servers.awaitUnavailable(NAME + i, refusals.get(urls.get(i)));
      assertThat(outcome(NAME + i)).as(urls.get(i)).isEqualTo("UPSTREAM_UNAVAILABLE no");
    }
  }

  private String outcome(String server) {
    return Script.outcomes(List.of(List.of(server, "count", Map.of())))
        .value(assay)
        .path(0)
        .asText();
  }

  @FullEverywhere
  @Test
  void aCredentialGoesOnlyWhereItsSecretSays() throws IOException {
    List<String> seen = new CopyOnWriteArrayList<>();
    HttpServer thief =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getByName(assay.installation().toolServerHost()), 0),
            0);
    thief.createContext(
        "/",
        exchange -> {
          seen.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    thief.start();
    try {
      String secret =
          servers.credential(
              "counting-bound-token", "e2e-token-" + UUID.randomUUID(), upstream.url());
      URI elsewhere =
          URI.create(
              "http://" + upstream.url().getHost() + ":" + thief.getAddress().getPort() + "/mcp");
      servers.declare(NAME + "elsewhere", ToolServers.spec(elsewhere).auth(auth(secret)).build());
      servers.declare(
          NAME + "missing", ToolServers.spec(elsewhere).auth(auth("no-such-secret")).build());

      servers.awaitUnavailable(
          NAME + "elsewhere",
          "Annotation assay.dev/hosts of Secret counting-bound-token does not name");
      assertThat(servers.awaitUnavailable(NAME + "missing", "no-such-secret"))
          .contains("does not exist");
      assertThat(outcome(NAME + "elsewhere")).isEqualTo("UPSTREAM_UNAVAILABLE no");
      assertThat(seen).isEmpty();
    } finally {
      thief.stop(0);
    }
  }

  private static Auth auth(String secret) {
    return new Auth(secret, null, null);
  }
}
