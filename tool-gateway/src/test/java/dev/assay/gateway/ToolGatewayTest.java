package dev.assay.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.config.ConfigReader;
import dev.assay.api.config.ConfigReader.InvalidConfigException;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.gateway.address.AddressRules;
import dev.assay.gateway.address.GuardedNames;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.gateway.config.GatewayConfig.Tls;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@EnableKubernetesMockClient(crud = true)
class ToolGatewayTest {
  /** Set by the extension. */
  private KubernetesClient client;

  @TempDir private Path folder;

  private static String pem(Object object) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(object);
    }
    return text.toString();
  }

  /** As OpenSSL writes it: with its curve. */
  private static PemObject sec1(KeyPair pair) throws IOException {
    PrivateKeyInfo info = PrivateKeyInfo.getInstance(pair.getPrivate().getEncoded());
    return new PemObject(
        "EC PRIVATE KEY",
        new ECPrivateKey(
                256,
                ECPrivateKey.getInstance(info.parsePrivateKey()).getKey(),
                info.getPrivateKeyAlgorithm().getParameters())
            .getEncoded());
  }

  private Tls tls(String algorithm, String form) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    generator.initialize(algorithm.equals("RSA") ? 2048 : 256);
    KeyPair pair = generator.generateKeyPair();
    X500Name name = new X500Name("CN=gateway");
    Instant now = Instant.now();
    var certificate =
        new JcaX509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofHours(1))),
                name,
                pair.getPublic())
            .addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")))
            .build(
                new JcaContentSignerBuilder(
                        algorithm.equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA")
                    .build(pair.getPrivate()));
    Path certificateFile = Files.writeString(folder.resolve("tls.crt"), pem(certificate));
    Path keyFile =
        Files.writeString(
            folder.resolve("tls.key"),
            pem(
                switch (form) {
                  case "PKCS8" -> new JcaPKCS8Generator(pair.getPrivate(), null);
                  case "SEC1" -> sec1(pair);
                  default -> pair.getPrivate();
                }));
    return new Tls(certificateFile.toString(), keyFile.toString());
  }

  private static SSLContext trusting(Tls tls) throws Exception {
    Certificate certificate =
        CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(Files.readAllBytes(Path.of(tls.certificateFile()))));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("gateway", certificate);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static GatewayConfig config(@Nullable Tls tls) {
    return new GatewayConfig(
        List.of("team"),
        "credentials",
        "127.0.0.1",
        0,
        0,
        tls,
        "assay-tool-gateway",
        List.of("system:serviceaccount:assay-system:assay-operator"),
        null,
        null);
  }

  private static HttpResponse<String> get(
      HttpClient http, String scheme, InetSocketAddress address, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + address.getPort() + path))
            .build(),
        BodyHandlers.ofString());
  }

  @ParameterizedTest
  @CsvSource({"RSA, PKCS1", "RSA, PKCS8", "EC, SEC1", "EC, PKCS8"})
  void itServesWithACertificateWhateverTheFormOfItsKey(String algorithm, String form)
      throws Exception {
    Tls tls = tls(algorithm, form);
    try (HttpClient http = HttpClient.newBuilder().sslContext(trusting(tls)).build();
        ToolGateway gateway =
            new ToolGateway(config(tls), client, ProgramMetrics.create(), Clock.systemUTC())) {
      gateway.start();
      assertThat(get(http, "https", gateway.address(), "/v1/replica").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void itIsReadyOnceItKnowsTheToolServersAndUntilItStops() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient();
        ToolGateway gateway =
            new ToolGateway(config(null), client, ProgramMetrics.create(), Clock.systemUTC())) {
      InetSocketAddress health = gateway.healthAddress();
      assertThat(get(http, "http", health, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(http, "http", health, "/readyz").statusCode()).isEqualTo(503);
      gateway.start();
      Await.await(
          () -> {
            try {
              return get(http, "http", health, "/readyz").statusCode() == 200;
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
      assertThat(get(http, "http", health, "/metrics").body())
          .contains("assay_gateway_tool_calls_in_flight 0.0");
      gateway.drain(Duration.ofSeconds(1));
      assertThat(get(http, "http", health, "/readyz").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void noToolServerHasTheHostOfItsApiServer() throws Exception {
    Config cluster = new ConfigBuilder(Config.empty()).withMasterUrl("https://api.example").build();
    try (KubernetesClient other = new KubernetesClientBuilder().withConfig(cluster).build();
        ToolGateway _ =
            new ToolGateway(config(null), other, ProgramMetrics.create(), Clock.systemUTC())) {
      assertThatThrownBy(
              () -> GuardedNames.guard("api.example", new AddressRules(List.of(), List.of())))
          .hasMessage("api.example is the host of the cluster's API server");
    }
  }

  @Test
  void aKeyThatIsNoneIsNamed() throws Exception {
    Tls tls = tls("EC", "PKCS8");
    Files.writeString(Path.of(tls.keyFile()), "x");
    assertThatThrownBy(
            () -> new ToolGateway(config(tls), client, ProgramMetrics.create(), Clock.systemUTC()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("tls.key");
  }

  private static final String CONFIG =
      """
      namespaces: [team]
      credentialNamespace: credentials
      port: 8443
      healthPort: 8080
      tls: {certificateFile: /tls.crt, keyFile: /tls.key}
      audience: assay-tool-gateway
      allowedServiceAccounts: [a]
      allowedAddresses: [10.0.0.0/8]
      deniedAddresses: []
      """;

  @Test
  void theConfigurationIsRead() throws Exception {
    GatewayConfig config =
        ConfigReader.read(Files.writeString(folder.resolve("c.yaml"), CONFIG), GatewayConfig.class);
    assertThat(config.allowedRanges()).hasSize(1);
    assertThat(config.withDeniedAddress("10.96.0.1").deniedRanges()).hasSize(1);
    assertThat(config.withDeniedAddress("kubernetes.default").deniedRanges()).isEmpty();
    assertThat(config.withDeniedAddress(null).deniedRanges()).isEmpty();
    assertThat(config.withDeniedAddress("fd00::1").deniedRanges()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "port: 8443;port: x;port",
        "allowedAddresses;allowedAdresses;allowedAdresses",
        "10.0.0.0/8;10.0.0.0/33;10.0.0.0/33",
        "10.0.0.0/8;example.com;example.com",
        "audience: assay-tool-gateway;;audience"
      })
  void aWrongConfigurationNamesItsField(String from, @Nullable String to, String named)
      throws Exception {
    Path file =
        Files.write(
            folder.resolve("c.yaml"), CONFIG.replace(from, to == null ? "" : to).getBytes(UTF_8));
    assertThatThrownBy(() -> ConfigReader.read(file, GatewayConfig.class))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(named);
  }
}
