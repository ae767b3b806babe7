package dev.assay.cli.command;

import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.Table;
import dev.assay.cli.text.Times;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Datasets. */
@Command(
    name = "datasets",
    description = "Loads, lists and removes datasets.",
    mixinStandardHelpOptions = true,
    subcommands = {
      DatasetsCommand.Load.class,
      DatasetsCommand.Listing.class,
      DatasetsCommand.Remove.class
    })
public final class DatasetsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say one of: load, ls, rm");
  }

  /** Creates a dataset. */
  @Command(
      name = "load",
      description = "Makes a dataset of a file, and waits until it can be used.",
      mixinStandardHelpOptions = true)
  static final class Load implements Callable<Integer> {
    private static final long MOST_BYTES = 256 * 1024;

    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NAME", description = "how the dataset is to be called")
    private String name = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "FILE",
        description = "a CSV, TSV, JSON or NDJSON file of this machine, of up to 256 KiB")
    private @Nullable Path file;

    /** A file where Assay is. */
    static final class OnVolume {
      @Option(
          names = "--volume",
          required = true,
          paramLabel = "VOLUME",
          description = "a volume that the platform team has set up")
      String volume = "";

      @Option(
          names = "--path",
          required = true,
          paramLabel = "PATH",
          description = "a file on it: CSV, TSV, JSON, NDJSON, Parquet, Feather or Excel")
      String path = "";
    }

    @ArgGroup(exclusive = false)
    private @Nullable OnVolume onVolume;

    @Option(
        names = "--format",
        paramLabel = "FORMAT",
        description =
            "csv, tsv, json, ndjson, parquet, feather or excel; from the file's ending where it is"
                + " not given")
    private @Nullable String format;

    @Option(names = "--replace", description = "replace a dataset that has this name")
    private boolean replace;

    @Override
    public Integer call() throws ApiException, InterruptedException {
      ObjectNode wanted =
          AssayClient.object().put("name", name).put("wait", true).put("replace", replace);
      if ((file == null) == (onVolume == null)) {
        throw new ParameterException(
            spec.commandLine(), "name either a FILE, or --volume and --path");
      }
      if (file != null) {
        wanted.put("data", text(file));
        formatOf(file).ifPresent(found -> wanted.put("format", found));
      }
      if (onVolume != null) {
        wanted.put("volume", onVolume.volume).put("path", onVolume.path);
      }
      if (format != null) {
        wanted.put("format", format.toLowerCase(Locale.ROOT));
      }
      try (AssayClient client = connection.client()) {
        JsonNode dataset = client.createDataset(wanted);
        boolean failed = "Failed".equals(dataset.path("phase").asString());
        if (output.isJson()) {
          Output.print(spec, dataset);
        } else {
          PrintWriter to = failed ? spec.commandLine().getErr() : spec.commandLine().getOut();
          to.println(sentence(dataset));
        }
        return failed ? ExitCode.PLATFORM : ExitCode.DONE;
      }
    }

    private static String sentence(JsonNode dataset) {
      String phase = dataset.path("phase").asString();
      String name = dataset.path("name").asString();
      return switch (phase) {
        case "Ready" ->
            "%s: %d rows, %d columns"
                .formatted(
                    name, dataset.path("rows").asLong(), dataset.path("columnCount").asLong());
        case "Failed" -> "assay: " + name + ": " + dataset.path("message").asString(phase);
        default -> name + ": " + phase;
      };
    }

    private String text(Path path) {
      try {
        if (Files.size(path) > MOST_BYTES) {
          throw new ParameterException(
              spec.commandLine(),
              path
                  + " has more than 256 KiB: put it on a volume and name it with --volume and"
                  + " --path, or offer its folder with 'assay local --data'");
        }
        return Files.readString(path, StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new ParameterException(
            spec.commandLine(), path + " cannot be read, or is not UTF-8 text", e);
      }
    }

    private static Optional<String> formatOf(Path path) {
      return DatasetFileType.of(path.toString()).map(type -> type.format().wireName());
    }
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
