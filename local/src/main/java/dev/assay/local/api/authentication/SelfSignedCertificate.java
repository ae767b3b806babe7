package dev.assay.local.api.authentication;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
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
 * A certificate of the loopback address, made anew for each server. kubectl sends a token over TLS
 * only.
 *
 * @param context for the server
 * @param pem for clients to trust
 * @param keyPem its private key, for a server that reads files
 */
public record SelfSignedCertificate(SSLContext context, String pem, String keyPem) {
  private static final Duration VALIDITY = Duration.ofDays(3650);
  private static final Duration CLOCK_SKEW = Duration.ofHours(1);

  /** A new one, for an IP address. */
  public static SelfSignedCertificate of(String address, Clock clock) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      X509Certificate certificate = certificate(pair, address, clock.instant());
      return new SelfSignedCertificate(
          context(pair, certificate),
          pem("CERTIFICATE", certificate.getEncoded()),
          pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new IllegalStateException("A certificate could not be made", e);
    }
  }

  private static X509Certificate certificate(KeyPair pair, String address, Instant now)
      throws GeneralSecurityException, OperatorCreationException, IOException {
    X500Name name = new X500Name("CN=assay-local");
    var builder =
        new JcaX509v3CertificateBuilder(
            name,
            new BigInteger(127, new SecureRandom()),
            Date.from(now.minus(CLOCK_SKEW)),
            Date.from(now.plus(VALIDITY)),
            name,
            pair.getPublic());
    builder.addExtension(
        Extension.subjectAlternativeName,
        false,
        new GeneralNames(new GeneralName(GeneralName.iPAddress, address)));
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
  }

  private static SSLContext context(KeyPair pair, X509Certificate certificate)
      throws GeneralSecurityException, IOException {
    char[] noPassword = new char[0];
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, noPassword);
    store.setKeyEntry("server", pair.getPrivate(), noPassword, new Certificate[] {certificate});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, noPassword);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static String pem(String what, byte[] der) {
    byte[] base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encode(der);
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(what, new String(base64, UTF_8));
  }
}
