package dev.assay.local.api;

import dev.assay.local.api.authentication.TokenReviewer;
import dev.assay.local.api.http.ApiHandler;
import dev.assay.local.api.http.StatusErrors;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.api.registry.Registry;
import dev.assay.local.api.resource.CustomResources;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.api.table.Tables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

/**
 * A Kubernetes API server in this process: as much of one as Assay and kubectl need of it. It
 * listens on the loopback address only, asks for no credentials, and forgets all when it ends.
 */
public final class LocalApiServer implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MOST_CONNECTIONS = 4096;
  private static final Duration IDLE = Duration.ofMinutes(5);
  private static final Duration SHUTDOWN_IDLE = Duration.ofMillis(100);

  private final ObjectStorage storage;
  private final Registry registry;
  private final ResourceDefinitions definitions;
  private final Server server;
  private final ServerConnector connector;

  /**
   * What is about the server and not part of it.
   *
   * @param port where to listen; 0 for any that is free
   * @param logs answers for the logs of Pods
   * @param tokens answers token reviews
   * @param storage of the objects
   * @param clock what time it is
   */
  public record Settings(
      int port, PodLogs logs, TokenReviewer tokens, ObjectStorage storage, Clock clock) {
    /** Any free port, an empty storage, and nobody who runs Pods or knows tokens. */
    public static Settings defaults() {
      Clock clock = Clock.systemUTC();
      return new Settings(0, PodLogs.NONE, TokenReviewer.NONE, new ObjectStorage(clock), clock);
    }
  }

  /** The server, not listening yet. */
  public LocalApiServer(Settings settings) {
    this.storage = settings.storage();
    this.definitions = ResourceDefinitions.withBuiltIn(CustomResources.assay());
    this.registry = new Registry(storage, definitions, settings.clock());
    VirtualThreadPool threads = new VirtualThreadPool(MOST_CONNECTIONS);
    threads.setName("api");
    this.server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    this.connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(LOOPBACK);
    connector.setPort(settings.port());
    connector.setIdleTimeout(IDLE.toMillis());
    connector.setShutdownIdleTimeout(SHUTDOWN_IDLE.toMillis());
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, server));
    server.setErrorHandler(new StatusErrors());
    server.setHandler(
        new ApiHandler(
            definitions,
            registry,
            new Tables(settings.clock()),
            settings.logs(),
            settings.tokens()));
  }

  /**
   * Starts to listen.
   *
   * @throws UncheckedIOException where the port cannot be used
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

  /** Where clients reach it, such as {@code http://127.0.0.1:40123}. */
  public URI uri() {
    return URI.create("http://%s:%d".formatted(LOOPBACK, connector.getLocalPort()));
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
