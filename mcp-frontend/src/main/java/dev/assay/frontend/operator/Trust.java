package dev.assay.frontend.operator;

import dev.assay.frontend.config.InvalidConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trusts the certificates of a file, and none else. */
final class Trust {
  private Trust() {}

  static SSLContext inCertificatesOf(Path file) {
    try (InputStream pem = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("ca-" + count++, certificate);
      }
      if (count == 0) {
        throw new InvalidConfigException(file + ": has no certificate");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new InvalidConfigException(file + ": cannot be read: " + e.getMessage());
    } catch (GeneralSecurityException e) {
      throw new InvalidConfigException(file + ": has no usable certificates: " + e.getMessage());
    }
  }
}
