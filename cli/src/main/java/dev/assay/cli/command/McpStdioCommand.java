package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.McpBridge;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** For clients that start a command. */
@Command(
    name = "mcp-stdio",
    description =
        "Speaks MCP on standard input and output, for clients that start a command, and passes it"
            + " on to an endpoint.",
    mixinStandardHelpOptions = true)
public final class McpStdioCommand implements Callable<Integer> {
  @Mixin private Connection connection = new Connection();

  @Override
  public Integer call() throws IOException, InterruptedException {
    new McpBridge(connection.endpoint(), System.out, McpBridge.Readiness.ALWAYS)
        .run(System.in, new CompletableFuture<>());
    return ExitCode.DONE;
  }
}
