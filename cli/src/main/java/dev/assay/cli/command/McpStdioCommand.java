package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.McpBridge;
import java.io.IOException;
import java.util.concurrent.Callable;
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
    try (McpBridge bridge = new McpBridge(connection.endpoint(), System.out)) {
      bridge.run(System.in);
    }
    return ExitCode.DONE;
  }
}
