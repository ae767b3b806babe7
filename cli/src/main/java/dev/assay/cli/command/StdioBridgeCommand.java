package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.stdio.StdioBridge;
import dev.assay.cli.stdio.StdioCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Offers a program that speaks stdio to a tool gateway elsewhere: in a Pod of its own. */
@Command(
    name = "stdio-bridge",
    description =
        "Offers an MCP server that speaks on standard input and output by streamable HTTP, at"
            + " the path /mcp.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "For a Pod in a cluster (docs/tool-servers.md); local mode has a bridge of its own.",
      "Each session starts the program once more. Nobody is asked for a credential: a",
      "NetworkPolicy has to say who can connect."
    })
public final class StdioBridgeCommand implements Callable<Integer> {
  /** As many as a replica of the tool gateway has with a server. */
  private static final int MAX_SESSIONS = 256;

  private static final String PATH = "/mcp";
  private static final Pattern ADDRESS =
      Pattern.compile("(?:([0-9.]+)|\\[([0-9A-Fa-f:.]+)\\]):([0-9]{1,5})");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "ADDRESS:PORT",
      description = "where to listen, such as 0.0.0.0:8000; port 0 for any that is free")
  private String listen = "";

  @Option(
      names = "--max-sessions",
      paramLabel = "N",
      description =
          "how many sessions to keep, 1 to 256 (default: ${DEFAULT-VALUE}); another one ends the"
              + " one that was unused for longest")
  private int maxSessions = StdioBridge.DEFAULT_MAX_SESSIONS;

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "the program and its arguments, after --")
  private List<String> command = List.of();

  @Override
  public Integer call() throws MachineException, InterruptedException {
    if (maxSessions < 1 || maxSessions > MAX_SESSIONS) {
      throw new ParameterException(
          spec.commandLine(),
          "--max-sessions: '%d' is not between 1 and %d".formatted(maxSessions, MAX_SESSIONS));
    }
    StdioBridge bridge = open(address());
    Runtime.getRuntime().addShutdownHook(new Thread(bridge::close));
    URI url = bridge.offer(PATH, command.getFirst(), new StdioCommand(command, Map.of(), null));
    bridge.start();
    spec.commandLine().getOut().println("Offers " + command.getFirst() + " at " + url);
    // Until the process is ended by a signal.
    new CountDownLatch(1).await();
    return ExitCode.DONE;
  }

  private StdioBridge open(InetSocketAddress address) throws MachineException {
    try {
      return new StdioBridge(address, maxSessions);
    } catch (IOException e) {
      throw new MachineException(
          "--listen: cannot listen on %s: %s".formatted(listen, e.getMessage()), e);
    }
  }

  private InetSocketAddress address() {
    Matcher parts = ADDRESS.matcher(listen);
    if (parts.matches()) {
      String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
      try {
        return new InetSocketAddress(InetAddress.ofLiteral(host), Integer.parseInt(parts.group(3)));
      } catch (IllegalArgumentException e) {
        // No address, or a port above 65535: reported below.
      }
    }
    throw new ParameterException(
        spec.commandLine(),
        "--listen: '" + listen + "' is not an IP address and port, such as 0.0.0.0:8000");
  }
}
