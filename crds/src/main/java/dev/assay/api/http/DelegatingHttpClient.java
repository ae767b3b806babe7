package dev.assay.api.http;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A client with the settings of another one; subclasses decide how requests are sent. */
public abstract class DelegatingHttpClient extends HttpClient {
  private final HttpClient client;

  /**
   * A client in front of another one.
   *
   * @param client whose settings it has
   */
  protected DelegatingHttpClient(HttpClient client) {
    this.client = client;
  }

  /** The other one. */
  protected final HttpClient client() {
    return client;
  }

  @Override
  public final Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public final Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public final Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public final Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public final SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public final SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public final Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public final Version version() {
    return client.version();
  }

  @Override
  public final Optional<Executor> executor() {
    return client.executor();
  }
}
