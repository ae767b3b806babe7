package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.operator.kubernetes.ApiErrors;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The certificate of the internal endpoint: created by the operator at its first start, stored in a
 * Secret, and published in a ConfigMap for the front end to trust.
 */
public final class ServerCertificate {
  private static final String SECRET = "assay-operator-tls";
  private static final String CONFIG_MAP = "assay-operator-ca";
  private static final String CONFIG_MAP_KEY = "ca.crt";
  private static final String KEY = "tls.key";
  private static final String CERTIFICATE = "tls.crt";
  private static final Duration VALIDITY = Duration.ofDays(3650);

  private final KubernetesClient client;
  private final String namespace;
  private final String serviceName;
  private final Clock clock;

  public ServerCertificate(
      KubernetesClient client, String namespace, String serviceName, Clock clock) {
    this.client = client;
    this.namespace = namespace;
    this.serviceName = serviceName;
    this.clock = clock;
  }

  /** Returns a TLS context with the certificate, which is created if there is none. */
  public SSLContext readOrCreate() {
    Secret found = client.secrets().inNamespace(namespace).withName(SECRET).get();
    Secret secret = found == null ? create() : found;
    String certificate = new String(bytes(secret, CERTIFICATE), UTF_8);
    publish(certificate);
    try {
      return context(bytes(secret, KEY), certificate);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(
          "Secret " + SECRET + " does not contain a valid certificate", e);
    }
  }

  private Secret create() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      Secret secret =
          new SecretBuilder()
              .withNewMetadata()
              .withName(SECRET)
              .withNamespace(namespace)
              .endMetadata()
              .withType("assay.dev/server-certificate")
              .withData(
                  Map.of(
                      KEY, base64(pair.getPrivate().getEncoded()),
                      CERTIFICATE, base64(pem(selfSigned(pair)).getBytes(UTF_8))))
              .build();
      return client.secrets().inNamespace(namespace).resource(secret).create();
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new IllegalStateException("Failed to create a certificate", e);
    } catch (KubernetesClientException e) {
      if (ApiErrors.alreadyExists(e)) {
        return client.secrets().inNamespace(namespace).withName(SECRET).require();
      }
      throw e;
    }
  }

  private X509Certificate selfSigned(KeyPair pair)
      throws GeneralSecurityException, OperatorCreationException, IOException {
    Instant now = clock.instant();
    X500Name name = new X500Name("CN=" + serviceName);
    String host = serviceName + "." + namespace + ".svc";
    GeneralNames hosts =
        new GeneralNames(
            new GeneralName[] {
              new GeneralName(GeneralName.dNSName, host),
              new GeneralName(GeneralName.dNSName, host + ".cluster.local")
            });
    var builder =
        new JcaX509v3CertificateBuilder(
            name,
            new BigInteger(127, new SecureRandom()),
            Date.from(now.minus(Duration.ofHours(1))),
            Date.from(now.plus(VALIDITY)),
            name,
            pair.getPublic());
    builder.addExtension(Extension.subjectAlternativeName, false, hosts);
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
  }

  private void publish(String certificate) {
    ConfigMap wanted =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(CONFIG_MAP)
            .withNamespace(namespace)
            .endMetadata()
            .addToData(CONFIG_MAP_KEY, certificate)
            .build();
    ConfigMap found = client.configMaps().inNamespace(namespace).withName(CONFIG_MAP).get();
    if (found == null) {
      try {
        client.configMaps().inNamespace(namespace).resource(wanted).create();
      } catch (KubernetesClientException e) {
        if (!ApiErrors.alreadyExists(e)) {
          throw e;
        }
      }
    } else if (!certificate.equals(found.getData().get(CONFIG_MAP_KEY))) {
      client.configMaps().inNamespace(namespace).resource(wanted).update();
    }
  }

  private static SSLContext context(byte[] pkcs8, String certificatePem)
      throws GeneralSecurityException, IOException {
    PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    Certificate certificate =
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(certificatePem.getBytes(UTF_8)));
    char[] noPassword = new char[0];
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, noPassword);
    store.setKeyEntry("server", key, noPassword, new Certificate[] {certificate});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, noPassword);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static String pem(X509Certificate certificate) throws GeneralSecurityException {
    return "-----BEGIN CERTIFICATE-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate.getEncoded())
        + "\n-----END CERTIFICATE-----\n";
  }

  private static byte[] bytes(Secret secret, String key) {
    String value = secret.getData().get(key);
    if (value == null) {
      throw new IllegalStateException("Secret " + SECRET + " has no key " + key);
    }
    return Base64.getDecoder().decode(value);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
