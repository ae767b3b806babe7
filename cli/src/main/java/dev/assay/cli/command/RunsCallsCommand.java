package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.Table;
import dev.assay.cli.text.TerminalText;
import dev.assay.cli.text.Times;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Lists the calls of tools that a run has made. */
@Command(
    name = "calls",
    description =
        "Lists the calls of tools that the code of a run has made, and what became of each.",
    mixinStandardHelpOptions = true)
final class RunsCallsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "RUN", description = "the run's name, as 'assay runs' shows it")
  private String run = "";

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "100",
      description = "maximum number of calls, 1 to 1000 (default: 100)")
  private int limit;

  @Option(
      names = "--after",
      paramLabel = "CALL",
      description = "only calls after the one with this number")
  private @Nullable Integer after;

  @Override
  public Integer call() throws ApiException, InterruptedException {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("limit", Integer.toString(limit));
    if (after != null) {
      parameters.put("continue", Integer.toString(after));
    }
    try (AssayClient client = connection.client()) {
      JsonNode calls = client.toolCalls(run, parameters);
      if (output.isJson()) {
        Output.print(spec, calls);
      } else {
        lines(calls.path("items")).forEach(spec.commandLine().getOut()::println);
        tellOfMore(calls.path("continue"));
      }
    }
    return ExitCode.DONE;
  }

  private static List<String> lines(JsonNode calls) {
    if (calls.isEmpty()) {
      return List.of("No calls of tools.");
    }
    Table table =
        new Table("CALL", "SERVER", "TOOL", "OUTCOME", "SENT", "ARGUMENTS", "RESULT", "DURATION");
    for (JsonNode call : calls) {
      table.add(
          call.path("call").asString(),
          call.path("server").asString(),
          call.path("tool").asString(),
          call.path("outcome").asString("-"),
          call.path("sent").asString(),
          call.path("argumentBytes").asString() + " B",
          call.has("resultBytes") ? call.path("resultBytes").asString() + " B" : "-",
          call.has("millis") ? Times.duration(call.path("millis").asLong()) : "-");
    }
    return table.lines();
  }

  private void tellOfMore(JsonNode next) {
    if (next.isString()) {
      spec.commandLine()
          .getErr()
          .println(
              TerminalText.printable(
                  "assay: there are more: 'assay runs calls --after %s %s'"
                      .formatted(next.asString(), run)));
    }
  }
}
