package dev.assay.e2e.upstream;

import dev.assay.cli.stdio.StdioCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/** A server of MCP that others have written, as a program of this machine. */
public final class ServerProgram implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(60);

  private final Process process;
  private final URI url;

  private ServerProgram(Process process, URI url) {
    this.process = process;
    this.url = url;
  }

  /**
   * {@code @modelcontextprotocol/server-everything}.
   *
   * @param clients the folder with the installed packages
   * @param transport streamableHttp or sse
   */
  public static ServerProgram everything(Path clients, String address, String transport) {
    Path modules = clients.resolve("inspector/node_modules");
    return start(
        address,
        transport.equals("sse") ? "/sse" : "/mcp",
        port ->
            List.of(
                modules.resolve(".bin/node").toString(),
                modules.resolve("@modelcontextprotocol/server-everything/dist/index.js").toString(),
                transport));
  }

  /**
   * The command of {@code @modelcontextprotocol/server-filesystem}, which speaks stdio.
   *
   * @param clients the folder with the installed packages
   * @param folder that it may read and write
   */
  public static StdioCommand files(Path clients, Path folder) {
    Path programs = clients.resolve("stdio/node_modules/.bin");
    return new StdioCommand(
        List.of(
            programs.resolve("node").toString(),
            programs.resolve("mcp-server-filesystem").toString(),
            folder.toString()),
        Map.of(),
        null);
  }

  /**
   * A server by the official Python SDK.
   *
   * @param transport streamable-http or sse
   */
  public static ServerProgram python(Path clients, String address, String transport) {
    return start(
        address,
        transport.equals("sse") ? "/sse" : "/mcp",
        port ->
            List.of(
                clients.resolve("python/bin/python").toString(),
                "-I",
                Path.of("clients/python/serve.py").toAbsolutePath().toString(),
                transport,
                address,
                Integer.toString(port)));
  }

  private static ServerProgram start(
      String address, String path, IntFunction<List<String>> command) {
    try {
      int port = freePort(address);
      Path log = Files.createTempFile("assay-e2e-server", ".log");
      ProcessBuilder builder =
          new ProcessBuilder(command.apply(port))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile());
      builder.environment().putAll(Map.of("PORT", Integer.toString(port)));
      Process process = builder.start();
      awaitListening(process, new InetSocketAddress(address, port), log);
      return new ServerProgram(process, URI.create("http://" + address + ":" + port + path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort(String address) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
      return socket.getLocalPort();
    }
  }

  private static void awaitListening(Process process, InetSocketAddress address, Path log)
      throws IOException {
    long end = System.nanoTime() + LONGEST_START.toNanos();
    while (!isListening(address)) {
      if (!process.isAlive() || System.nanoTime() > end) {
        process.destroyForcibly();
        throw new AssertionError("a server does not listen: " + Files.readString(log));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  private static boolean isListening(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** The address for a ToolServer. */
  public URI url() {
    return url;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
