package dev.assay.local.api;

import dev.assay.local.api.authentication.BearerToken;
import dev.assay.local.api.authentication.SelfSignedCertificate;
import dev.assay.local.api.authentication.TokenReviewer;
import dev.assay.local.api.http.ApiHandler;
import dev.assay.local.api.http.StatusErrors;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.api.registry.Registry;
import dev.assay.local.api.resource.CustomResources;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.api.table.Tables;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

/**
 * A Kubernetes API server in this process: as much of one as Assay and kubectl need of it. It
 * listens on the loopback address only, wants its token with every request, and forgets all when it
 * ends.
 */
public final class LocalApiServer implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MAX_CONNECTIONS = 4096;
  private static final Duration IDLE = Duration.ofMinutes(5);
  private static final Duration SHUTDOWN_IDLE = Duration.ofMillis(100);

  private final ObjectStorage storage;
  private final Registry registry;
  private final ResourceDefinitions definitions;
  private final BearerToken token;
  private final SelfSignedCertificate certificate;
  private final Server server;
  private final ServerConnector plain;
  private final ServerConnector secure;

  /**
   * What is about the server and not part of it.
   *
   * @param logs answers for the logs of Pods
   * @param token of every client
   * @param tokens answers token reviews
   * @param storage of the objects
   * @param clock what time it is
   */
  public record Settings(
      PodLogs logs, BearerToken token, TokenReviewer tokens, ObjectStorage storage, Clock clock) {
    /** A new token, an empty storage, and nobody who runs Pods or knows tokens. */
    public static Settings defaults() {
      Clock clock = Clock.systemUTC();
      return new Settings(
          PodLogs.NONE,
          BearerToken.random("the client configuration"),
          TokenReviewer.NONE,
          new ObjectStorage(clock),
          clock);
    }
  }

  /** The server, not listening yet. */
  public LocalApiServer(Settings settings) {
    this.storage = settings.storage();
    this.token = settings.token();
    // Both load many classes, for which a client waits that starts local mode.
    CompletableFuture<SelfSignedCertificate> making =
        CompletableFuture.supplyAsync(() -> SelfSignedCertificate.of(LOOPBACK, settings.clock()));
    this.definitions = ResourceDefinitions.withBuiltIn(CustomResources.assay());
    this.certificate = making.join();
    this.registry = new Registry(storage, definitions, settings.clock());
    VirtualThreadPool threads = new VirtualThreadPool(MAX_CONNECTIONS);
    threads.setName("api");
    this.server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    SslContextFactory.Server tls = new SslContextFactory.Server();
    tls.setSslContext(certificate.context());
    this.plain = listen(new ServerConnector(server, new HttpConnectionFactory(http)));
    this.secure = listen(new ServerConnector(server, tls, new HttpConnectionFactory(http)));
    server.addBean(new NetworkConnectionLimit(MAX_CONNECTIONS, server));
    server.setErrorHandler(new StatusErrors());
    server.setHandler(
        new ApiHandler(
            definitions,
            registry,
            new Tables(settings.clock()),
            settings.logs(),
            token,
            settings.tokens()));
  }

  private ServerConnector listen(ServerConnector connector) {
    connector.setHost(LOOPBACK);
    connector.setIdleTimeout(IDLE.toMillis());
    connector.setShutdownIdleTimeout(SHUTDOWN_IDLE.toMillis());
    server.addConnector(connector);
    return connector;
  }

  /**
   * Starts to listen.
   *
   * @throws UncheckedIOException where no port can be used
   */
  @SuppressWarnings("CatchingUnchecked") // Jetty declares Exception.
  public void start() {
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a client of this process needs: the address, such as http://127.0.0.1:40123. */
  public Config clientConfig() {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl("http://%s:%d".formatted(LOOPBACK, plain.getLocalPort()))
        .withOauthToken(token.value())
        .build();
  }

  /** The same over TLS, with the certificate to trust: kubectl sends no token without it. */
  public Config secureClientConfig() {
    return new ConfigBuilder(clientConfig())
        .withMasterUrl("https://%s:%d".formatted(LOOPBACK, secure.getLocalPort()))
        .withCaCertData(
            Base64.getEncoder()
                .encodeToString(certificate.pem().getBytes(StandardCharsets.US_ASCII)))
        .build();
  }

  /** The objects, for others in this process. */
  public Registry registry() {
    return registry;
  }

  /** What is served. */
  public ResourceDefinitions definitions() {
    return definitions;
  }

  /** Ends all watches and stops to listen. */
  @Override
  @SuppressWarnings("CatchingUnchecked") // Jetty declares Exception.
  public void close() {
    storage.close();
    try {
      server.stop();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
