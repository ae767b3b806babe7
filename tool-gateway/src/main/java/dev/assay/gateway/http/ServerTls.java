package dev.assay.gateway.http;

import dev.assay.api.config.ConfigReader.InvalidConfigException;
import dev.assay.gateway.config.GatewayConfig.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** The certificate of the endpoint, from files such as those of a mounted Secret. */
final class ServerTls {
  private ServerTls() {}

  /** Reads the files; keys may be PKCS #8, PKCS #1 or SEC 1. */
  static SSLContext context(Tls tls) {
    try (InputStream certificates = Files.newInputStream(Path.of(tls.certificateFile()))) {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(certificates)
              .toArray(Certificate[]::new);
      char[] noPassword = new char[0];
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, noPassword);
      store.setKeyEntry("server", key(Path.of(tls.keyFile())), noPassword, chain);
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(store, noPassword);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new InvalidConfigException(
          "tls: " + tls.certificateFile() + " and " + tls.keyFile() + " are not usable: " + e);
    }
  }

  private static PrivateKey key(Path file) throws IOException {
    try (Reader text = Files.newBufferedReader(file);
        PEMParser parser = new PEMParser(text)) {
      JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
      Object key = parser.readObject();
      return switch (key) {
        case PEMKeyPair pair -> converter.getPrivateKey(pair.getPrivateKeyInfo());
        case PrivateKeyInfo info -> converter.getPrivateKey(info);
        case null, default -> throw new IOException(file + " has no private key");
      };
    }
  }
}
