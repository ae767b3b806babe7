package dev.assay.operator.tool;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts servers whose certificate is signed by the CAs of a file and names the gateway's Service.
 * The client connects to addresses of Pods, which no certificate names. The file is read again when
 * it has changed.
 */
final class GatewayTrust extends X509ExtendedTrustManager {
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  private final Path caFile;
  private final String name;
  private @Nullable FileTime read;
  private @Nullable X509TrustManager cas;

  GatewayTrust(Path caFile, String name) {
    this.caFile = caFile;
    this.name = name;
  }

  /** A TLS context of a client that trusts nobody else. */
  SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {this}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private void check(X509Certificate[] chain, String authType) throws CertificateException {
    cas().checkServerTrusted(chain, authType);
    if (!names(chain[0])) {
      throw new CertificateException("the certificate does not name " + name);
    }
  }

  private boolean names(X509Certificate certificate) throws CertificateException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    return names != null
        && names.stream()
            .filter(entry -> entry.get(0).equals(DNS_NAME) || entry.get(0).equals(IP_ADDRESS))
            .anyMatch(entry -> name.equals(entry.get(1)));
  }

  private synchronized X509TrustManager cas() throws CertificateException {
    try {
      FileTime changed = Files.getLastModifiedTime(caFile);
      X509TrustManager known = cas;
      if (known == null || !changed.equals(read)) {
        known = load();
        cas = known;
        read = changed;
      }
      return known;
    } catch (IOException | GeneralSecurityException e) {
      throw new CertificateException("the CAs of the tool gateway cannot be read: " + caFile, e);
    }
  }

  private X509TrustManager load() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    try (InputStream pem = Files.newInputStream(caFile)) {
      for (Certificate ca : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("ca-" + number++, ca);
      }
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return (X509TrustManager) factory.getTrustManagers()[0];
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    check(chain, authType);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    check(chain, authType);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(chain, authType);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("no clients");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("no clients");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("no clients");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
