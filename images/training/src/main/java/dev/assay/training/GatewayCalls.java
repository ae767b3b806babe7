package dev.assay.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.digest.Sha256;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** What the operator asks of the tool gateway; each request has to succeed. */
final class GatewayCalls implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int RUNS = 40;
  private static final int CALLS = 10;

  private final ObjectMapper json = new ObjectMapper();
  private final URI endpoint;
  private final String token;
  private final HttpClient http;

  /**
   * Connects to nothing yet.
   *
   * @param certificate that of the gateway, in PEM
   */
  GatewayCalls(URI endpoint, String token, String certificate) {
    this.endpoint = endpoint;
    this.token = token;
    this.http = HttpClient.newBuilder().sslContext(trusting(certificate)).build();
  }

  private static SSLContext trusting(String certificate) {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(
          "gateway",
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(certificate.getBytes(UTF_8))));
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes the calls of some runs, and lists the tools between them. */
  void run() throws IOException, InterruptedException {
    String instance = send(request("/v1/replica").GET()).path("instance").asText();
    for (int run = 1; run <= RUNS; run++) {
      if (send(request("/v1/servers/%s/%s/tools".formatted(StandInCluster.RUN_NAMESPACE, "demo"))
              .GET())
          .path("tools")
          .isEmpty()) {
        throw new IOException("The tool server lists no tools");
      }
      for (int call = 1; call <= CALLS; call++) {
        JsonNode outcome =
            send(
                request("/v1/runs/training-%d/calls/%d".formatted(run, call))
                    .header("Assay-Gateway-Instance", instance)
                    .PUT(BodyPublishers.ofByteArray(call(call))));
        if (!outcome.path("ok").asBoolean()) {
          throw new IOException("A call failed: " + outcome);
        }
      }
      var unused = send(request("/v1/runs/training-" + run).DELETE());
    }
  }

  private byte[] call(int number) throws IOException {
    String tool = "tool_" + number;
    String arguments = "{\"value\": %d}".formatted(number);
    ObjectNode body =
        json.createObjectNode()
            .put("namespace", StandInCluster.RUN_NAMESPACE)
            .put("server", "demo")
            .put("tool", tool)
            .put("args", arguments.getBytes(UTF_8))
            .put("digest", Sha256.hex(String.join("\0", "demo", tool, arguments)))
            .put("deadlineMillis", 30_000)
            .put("resultBytes", 1 << 20)
            .putNull("approved");
    body.putObject("grants").putArray("permissions").add("read").add("write");
    return json.writeValueAsBytes(body);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(endpoint.resolve(path))
        .timeout(TIMEOUT)
        .header("Authorization", "Bearer " + token);
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          "%s returned %d: %s".formatted(response.uri(), response.statusCode(), response.body()));
    }
    return json.readTree(response.body());
  }

  @Override
  public void close() {
    http.close();
  }
}
