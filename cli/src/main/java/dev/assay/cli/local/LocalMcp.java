package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.McpBridge;
import dev.assay.cli.text.Progress;
import dev.assay.operator.AssayOperator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Local mode for the one MCP client that starts it, on a free port; it ends with the client. The
 * client is answered at once, and everything else is started in the background.
 */
public final class LocalMcp {
  /** As clients send them. */
  private static final String FIRST_MESSAGES =
      """
      {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
      "capabilities":{},"clientInfo":{"name":"assay","version":"1"}}}
      {"jsonrpc":"2.0","method":"notifications/initialized"}
      {"jsonrpc":"2.0","id":2,"method":"tools/list"}
      {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_datasets","arguments":{}}}
      """;

  private final Path data;
  private final @Nullable Path config;
  private final boolean trustCode;
  private final String command;
  private final Progress progress;
  private volatile @Nullable LocalAssay assay;

  /**
   * Local mode that offers a folder.
   *
   * @param config see {@link LocalConfigFile}; null for no file
   * @param trustCode whether to run code although nothing isolates it here
   * @param command how this program is called
   */
  public LocalMcp(
      Path data, @Nullable Path config, boolean trustCode, String command, Progress progress) {
    this.data = data;
    this.config = config;
    this.trustCode = trustCode;
    this.command = command;
    this.progress = progress;
  }

  /**
   * Runs until the input ends.
   *
   * @param out gets MCP messages and nothing else
   * @param clientGone see {@link McpBridge#run}
   * @return the exit code
   */
  public int run(InputStream in, OutputStream out, Supplier<CompletionStage<?>> clientGone)
      throws MachineException, IOException, InterruptedException {
    OfferedData.check(data);
    AssayOperator.boundHeadersOfRunners();
    LocalConfig file = LocalConfigFile.read(config, System.getenv());
    LocalSettings settings =
        new LocalSettings(0, null, data, AnalyticsSettings.read(System.getenv()), file);
    Setup setup =
        new Setup(new EarlyReplies(settings)::to, progress, serves -> setUp(settings, serves));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(setup)));
    try {
      new McpBridge(setup, out).run(in, clientGone);
      return setup.hasFailed() ? ExitCode.MACHINE : ExitCode.DONE;
    } finally {
      close(setup);
    }
  }

  /**
   * Starts all but Pods, answers what a client asks first, and ends: loads the classes that this
   * takes.
   */
  public static void loadClasses() throws MachineException, IOException, InterruptedException {
    AssayOperator.boundHeadersOfRunners();
    LocalSettings settings =
        new LocalSettings(0, null, null, AnalyticsSettings.read(Map.of()), LocalConfig.NONE);
    try (LocalAssay assay = LocalAssay.startWithoutPods(settings);
        Setup setup =
            new Setup(
                new EarlyReplies(settings)::to,
                Progress.NONE,
                serves -> {
                  serves.accept(new Endpoint(assay.endpoint(), assay.key()));
                  return () -> {};
                })) {
      new McpBridge(setup, OutputStream.nullOutputStream())
          .run(new ByteArrayInputStream(FIRST_MESSAGES.getBytes(UTF_8)), CompletableFuture::new);
    }
  }

  private void close(Setup setup) {
    setup.close();
    LocalAssay open = assay;
    if (open != null) {
      open.close();
    }
  }

  private Setup.Rest setUp(LocalSettings settings, Consumer<Endpoint> serves)
      throws MachineException, IOException, InterruptedException {
    LocalAssay started = LocalAssay.startWithoutPods(settings);
    assay = started;
    if (Thread.interrupted()) {
      started.close();
      throw new InterruptedException("closed during the start");
    }
    serves.accept(new Endpoint(started.endpoint(), started.key()));
    Sandbox sandbox = Sandbox.prepare(progress);
    progress.say(sandbox.promise());
    if (!trustCode) {
      sandbox.requireIsolation();
    }
    started.startPods(sandbox.python(), sandbox.isolation());
    String load = command + " datasets load --endpoint " + started.endpoint();
    OfferedData offered = OfferedData.read(data, progress, load);
    offered.offer(started);
    return () -> offered.awaitLoaded(started);
  }
}
