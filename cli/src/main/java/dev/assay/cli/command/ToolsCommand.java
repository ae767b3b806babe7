package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.Table;
import dev.assay.cli.text.TerminalText;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Groups the commands for tools of other servers. */
@Command(
    name = "tools",
    description = "Lists, describes and approves tools of other servers, which scripts may call.",
    mixinStandardHelpOptions = true,
    subcommands = {
      ToolsCommand.Listing.class,
      ToolsCommand.Describe.class,
      ToolsApproveCommand.class
    })
public final class ToolsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: ls, describe or approve");
  }

  /** Lists servers. */
  @Command(name = "ls", description = "Lists tool servers.", mixinStandardHelpOptions = true)
  static final class Listing implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();
    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws ApiException, InterruptedException {
      try (AssayClient client = connection.client()) {
        JsonNode servers = client.toolServers();
        if (output.isJson()) {
          Output.print(spec, servers);
        } else {
          lines(servers.path("items")).forEach(spec.commandLine().getOut()::println);
        }
      }
      return ExitCode.DONE;
    }

    private static List<String> lines(JsonNode servers) {
      if (servers.isEmpty()) {
        return List.of("No tool servers.");
      }
      Table table = new Table("NAME", "PHASE", "APPROVED", "PENDING", "CHANGED", "MESSAGE");
      for (JsonNode server : servers) {
        JsonNode tools = server.path("tools");
        table.add(
            server.path("name").asString(),
            server.path("phase").asString(),
            tools.path("approved").asString("0"),
            tools.path("pending").asString("0"),
            tools.path("changed").asString("0"),
            server.path("message").asString(""));
      }
      return table.lines();
    }
  }

  /** Shows the tools of a server, or the definition of one. */
  @Command(
      name = "describe",
      description = "Shows the tools of a server, or all of the definition that it lists of one.",
      mixinStandardHelpOptions = true)
  static final class Describe implements Callable<Integer> {
    private static final int SHOWN_DIGITS = 12;

    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "SERVER", description = "the server's name")
    private String server = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "TOOL",
        description = "the tool whose definition is shown; by default all tools are listed")
    private @Nullable String tool;

    @Override
    public Integer call() throws ApiException, InterruptedException {
      try (AssayClient client = connection.client()) {
        JsonNode tools = client.tools(server);
        @Nullable String wanted = tool;
        if (wanted != null) {
          define(client, find(tools.path("items"), wanted));
        } else if (output.isJson()) {
          Output.print(spec, tools);
        } else {
          lines(tools.path("items")).forEach(spec.commandLine().getOut()::println);
        }
      }
      return ExitCode.DONE;
    }

    private JsonNode find(JsonNode tools, String name) {
      for (JsonNode one : tools) {
        if (one.path("name").asString().equals(name) && one.path("digest").isString()) {
          return one;
        }
      }
      throw new ParameterException(
          spec.commandLine(),
          "%s lists no tool '%s'; 'assay tools describe %s' shows them"
              .formatted(server, name, server));
    }

    /** All of it, and its whole digest: whoever approves it says which one was read. */
    private void define(AssayClient client, JsonNode one)
        throws ApiException, InterruptedException {
      String digest = one.path("digest").asString();
      JsonNode definition = client.toolDefinition(server, digest);
      if (output.isJson()) {
        Output.print(spec, definition);
        return;
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println("Approval:   " + TerminalText.printable(one.path("approval").asString("-")));
      out.println("Permission: " + TerminalText.printable(one.path("permission").asString("-")));
      out.println("Digest:     " + TerminalText.printable(digest));
      out.println(
          "Approved:   " + TerminalText.printable(one.path("approvedDigest").asString("none")));
      out.println();
      out.println(AssayClient.ascii(definition));
    }

    private static List<String> lines(JsonNode tools) {
      if (tools.isEmpty()) {
        return List.of("No tools.");
      }
      Table table = new Table("NAME", "APPROVAL", "PERMISSION", "DIGEST", "APPROVED", "SUMMARY");
      for (JsonNode tool : tools) {
        table.add(
            tool.path("name").asString(),
            tool.path("approval").asString("-"),
            tool.path("permission").asString("-"),
            digits(tool.path("digest")),
            digits(tool.path("approvedDigest")),
            tool.path("summary").asString(""));
      }
      return table.lines();
    }

    private static String digits(JsonNode digest) {
      String text = digest.asString("-");
      return text.length() <= SHOWN_DIGITS ? text : text.substring(0, SHOWN_DIGITS);
    }
  }
}
