package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.RunTable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Lists runs. */
@Command(
    name = "runs",
    description = "Lists runs, newest first.",
    mixinStandardHelpOptions = true,
    subcommands = RunsCallsCommand.class)
public final class RunsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "20",
      description = "maximum number of runs, 1 to 500 (default: 20)")
  private int limit;

  @Option(
      names = "--phase",
      paramLabel = "PHASE",
      description =
          "only runs in this phase: Pending, Starting, Running, Succeeded, Failed, TimedOut,"
              + " Cancelled")
  private @Nullable String phase;

  @Override
  public Integer call() throws ApiException, InterruptedException {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("limit", Integer.toString(limit));
    if (phase != null) {
      parameters.put("phase", phase);
    }
    try (AssayClient client = connection.client()) {
      JsonNode runs = client.runs(parameters);
      if (output.isJson()) {
        Output.print(spec, runs);
      } else {
        RunTable.lines(runs.path("items"), Instant.now())
            .forEach(spec.commandLine().getOut()::println);
      }
    }
    return ExitCode.DONE;
  }
}
