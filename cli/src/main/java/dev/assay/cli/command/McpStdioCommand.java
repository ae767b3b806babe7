package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.McpBridge;
import dev.assay.cli.client.McpService;
import dev.assay.cli.local.LocalMcp;
import dev.assay.cli.text.TerminalProgress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves MCP clients that start a command. */
@Command(
    name = McpStdioCommand.NAME,
    description =
        "Speaks MCP on standard input and output, for clients that start a command: for an"
            + " endpoint, or with --data for a local mode of its own.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "In the configuration of a client:",
      "  {\"command\": \"/path/to/assay/assay\", \"args\": [\"mcp-stdio\", \"--data\", \"/path/to/tables\"]}",
      "It ends with the client. Messages for people go to standard error."
    })
public final class McpStdioCommand implements Callable<Integer> {
  public static final String NAME = "mcp-stdio";

  @Mixin private Connection connection = new Connection();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "start a local mode that ends with the client, and offer the files of a folder as"
              + " datasets; --endpoint and --key-file have no effect then")
  private @Nullable Path data;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "with --data: settings of scripts, as for 'assay local'")
  private @Nullable Path config;

  @Option(
      names = "--trust-code",
      description = "with --data: run code although nothing on this machine isolates it")
  private boolean trustCode;

  @Override
  public Integer call() throws MachineException, IOException, InterruptedException {
    PrintStream out = System.out;
    // Whatever else prints must not come between the messages.
    System.setOut(System.err);
    if (data == null) {
      McpBridge bridge = new McpBridge(McpService.at(connection.endpoint()), out);
      Runtime.getRuntime().addShutdownHook(new Thread(bridge::cancelPending));
      bridge.run(System.in, McpStdioCommand::endOfParent);
      return ExitCode.DONE;
    }
    return new LocalMcp(
            data.toAbsolutePath().normalize(),
            config,
            trustCode,
            LocalCommand.name(),
            new TerminalProgress(System.err))
        .run(System.in, out, McpStdioCommand::endOfParent);
  }

  private static CompletionStage<?> endOfParent() {
    Optional<ProcessHandle> parent = ProcessHandle.current().parent();
    return parent.isPresent() ? parent.get().onExit() : new CompletableFuture<>();
  }
}
