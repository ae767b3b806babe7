package dev.assay.operator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A TCP port through which a process reaches a server. Once it is cut, nothing that the process
 * does arrives any more, as if it had been killed; a request that has arrived is still handled.
 */
public final class CutLine implements AutoCloseable {
  private final int target;
  private final ServerSocket server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** A line to a port of the loopback address. */
  public CutLine(int target) {
    this.target = target;
    try {
      this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  /** The port to connect to. */
  public int port() {
    return server.getLocalPort();
  }

  /** Ends all connections, and takes no more. */
  public void cut() {
    close(server);
    sockets.forEach(CutLine::close);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        connect(server.accept());
      } catch (IOException e) {
        // It was cut.
      }
    }
  }

  private void connect(Socket from) {
    sockets.add(from);
    try {
      Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
      sockets.add(to);
      threads.execute(() -> copy(from, to));
      threads.execute(() -> copy(to, from));
    } catch (IOException e) {
      close(from);
    }
    if (server.isClosed()) {
      sockets.forEach(CutLine::close);
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to;
        InputStream bytes = from.getInputStream()) {
      bytes.transferTo(to.getOutputStream());
    } catch (IOException e) {
      // Either side has closed it.
    }
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    cut();
    threads.shutdownNow();
  }
}
