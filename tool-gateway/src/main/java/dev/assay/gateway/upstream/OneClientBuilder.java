package dev.assay.gateway.upstream;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Returns a client that exists, with the settings that it has.
 *
 * @param client what it returns
 */
record OneClientBuilder(HttpClient client) implements HttpClient.Builder {
  @Override
  public HttpClient.Builder cookieHandler(CookieHandler cookies) {
    return this;
  }

  @Override
  public HttpClient.Builder connectTimeout(Duration duration) {
    return this;
  }

  @Override
  public HttpClient.Builder sslContext(SSLContext context) {
    return this;
  }

  @Override
  public HttpClient.Builder sslParameters(SSLParameters parameters) {
    return this;
  }

  @Override
  public HttpClient.Builder executor(Executor executor) {
    return this;
  }

  @Override
  public HttpClient.Builder followRedirects(Redirect policy) {
    return this;
  }

  @Override
  public HttpClient.Builder version(Version version) {
    return this;
  }

  @Override
  public HttpClient.Builder priority(int priority) {
    return this;
  }

  @Override
  public HttpClient.Builder proxy(ProxySelector proxies) {
    return this;
  }

  @Override
  public HttpClient.Builder authenticator(Authenticator authenticator) {
    return this;
  }

  @Override
  public HttpClient build() {
    return client;
  }
}
