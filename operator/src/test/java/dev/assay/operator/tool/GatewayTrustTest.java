package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.assay.operator.config.OperatorConfig.ToolGatewayConfig;
import dev.assay.operator.tool.GatewayClient.NotAcceptedException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which servers the operator takes for the gateway, at the addresses of Pods. */
class GatewayTrustTest {
  private static final String NAME = "assay-tool-gateway.assay-system.svc";
  private static final char[] PASSWORD = "none".toCharArray();

  @TempDir private Path directory;
  private HttpsServer server;
  private X509Certificate certificate;

  @BeforeEach
  void start() throws Exception {
    KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
    KeyPair pair = keys.generateKeyPair();
    certificate = certificate(pair, NAME);
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setKeyEntry("server", pair.getPrivate(), PASSWORD, new Certificate[] {certificate});
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            byte[] body = "{\"instance\":\"one\"}".getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          }
        });
    server.start();
    Files.writeString(directory.resolve("token"), "a-token");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aReplicaIsTheServerWhoseCertificateIsTrustedAndNamesTheService() throws Exception {
    trust(certificate);
    assertThat(replica(NAME).instance()).isEqualTo("one");
  }

  @Test
  void aServerWithAnotherNameIsNoReplica() throws Exception {
    trust(certificate);
    assertThatThrownBy(() -> replica("other.assay-system.svc"))
        .isInstanceOf(NotAcceptedException.class);
  }

  @Test
  void aServerOfAnotherCaIsNoReplicaUntilTheFileHasIt() throws Exception {
    trust(certificate(KeyPairGenerator.getInstance("EC").generateKeyPair(), NAME));
    try (HttpGatewayClient gateway = gateway(NAME)) {
      assertThatThrownBy(() -> gateway.replica("127.0.0.1"))
          .isInstanceOf(NotAcceptedException.class);
      trust(certificate);
      Files.setLastModifiedTime(
          directory.resolve("ca.crt"), FileTime.from(Instant.now().plusSeconds(5)));
      assertThat(gateway.replica("127.0.0.1").instance()).isEqualTo("one");
    }
  }

  @Test
  void withoutItsCasNoServerIsAReplica() {
    assertThatThrownBy(() -> replica(NAME)).isInstanceOf(NotAcceptedException.class);
  }

  private Replica replica(String name) throws Exception {
    try (HttpGatewayClient gateway = gateway(name)) {
      return gateway.replica("127.0.0.1");
    }
  }

  private HttpGatewayClient gateway(String name) {
    return new HttpGatewayClient(
        new ToolGatewayConfig(
            name,
            server.getAddress().getPort(),
            directory.resolve("ca.crt").toString(),
            directory.resolve("token").toString()),
        host -> List.of("127.0.0.1"));
  }

  private void trust(X509Certificate ca) throws Exception {
    Files.writeString(
        directory.resolve("ca.crt"),
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(ca.getEncoded())
            + "\n-----END CERTIFICATE-----\n");
  }

  private static X509Certificate certificate(KeyPair pair, String name) throws Exception {
    X500Name subject = new X500Name("CN=assay-tool-gateway");
    Instant now = Instant.now();
    return new JcaX509CertificateConverter()
        .getCertificate(
            new JcaX509v3CertificateBuilder(
                    subject,
                    BigInteger.valueOf(now.toEpochMilli()),
                    Date.from(now.minusSeconds(60)),
                    Date.from(now.plusSeconds(3600)),
                    subject,
                    pair.getPublic())
                .addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, name)))
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
  }
}
