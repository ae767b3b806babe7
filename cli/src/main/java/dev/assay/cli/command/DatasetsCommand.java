package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.DatasetDetails;
import dev.assay.cli.text.Table;
import dev.assay.cli.text.Times;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Groups the commands for datasets. */
@Command(
    name = "datasets",
    description = "Loads, lists, describes and removes datasets.",
    mixinStandardHelpOptions = true,
    subcommands = {
      LoadCommand.class,
      DatasetsCommand.Listing.class,
      DatasetsCommand.Describe.class,
      DatasetsCommand.Remove.class
    })
public final class DatasetsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing subcommand: load, ls, describe or rm");
  }

  /** Lists datasets. */
  @Command(name = "ls", description = "Lists datasets.", mixinStandardHelpOptions = true)
  static final class Listing implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();
    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws ApiException, InterruptedException {
      try (AssayClient client = connection.client()) {
        JsonNode datasets = client.datasets();
        if (output.isJson()) {
          Output.print(spec, datasets);
        } else {
          lines(datasets.path("items")).forEach(spec.commandLine().getOut()::println);
        }
      }
      return ExitCode.DONE;
    }

    private static List<String> lines(JsonNode datasets) {
      if (datasets.isEmpty()) {
        return List.of("No datasets.");
      }
      Table table = new Table("NAME", "PHASE", "ROWS", "COLUMNS", "FORMAT", "AGE", "MESSAGE");
      for (JsonNode dataset : datasets) {
        table.add(
            dataset.path("name").asString(),
            dataset.path("phase").asString(),
            dataset.path("rows").asString("-"),
            dataset.path("columnCount").asString("-"),
            dataset.path("format").asString("-"),
            Times.age(dataset.path("createdAt").asString(""), Instant.now()),
            dataset.path("message").asString(""));
      }
      return table.lines();
    }
  }

  /** Shows a dataset with its columns. */
  @Command(
      name = "describe",
      description = "Shows a dataset with its columns.",
      mixinStandardHelpOptions = true)
  static final class Describe implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "NAME", description = "the dataset's name")
    private String name = "";

    @Override
    public Integer call() throws ApiException, InterruptedException {
      try (AssayClient client = connection.client()) {
        JsonNode dataset = client.dataset(name);
        if (output.isJson()) {
          Output.print(spec, dataset);
        } else {
          DatasetDetails.lines(dataset, Instant.now())
              .forEach(spec.commandLine().getOut()::println);
        }
      }
      return ExitCode.DONE;
    }
  }

  /** Removes a dataset. */
  @Command(name = "rm", description = "Removes a dataset.", mixinStandardHelpOptions = true)
  static final class Remove implements Callable<Integer> {
    @Mixin private Connection connection = new Connection();

    @Parameters(paramLabel = "NAME", description = "the dataset's name")
    private String name = "";

    @Override
    public Integer call() throws ApiException, InterruptedException {
      try (AssayClient client = connection.client()) {
        client.deleteDataset(name);
      }
      return ExitCode.DONE;
    }
  }
}
