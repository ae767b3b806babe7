package dev.assay.cli.command;

import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.Progress;
import dev.assay.cli.text.TerminalProgress;
import dev.assay.cli.text.TerminalText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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

/** Loads a dataset. */
@Command(
    name = "load",
    description = "Loads a file as a dataset, and waits until it is ready.",
    mixinStandardHelpOptions = true)
final class LoadCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "NAME", description = "the name of the dataset")
  private String name = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description =
          "a file of this machine, which is uploaded: CSV, TSV, JSON, NDJSON, Parquet, Feather or"
              + " Excel, also as .gz or .zip")
  private @Nullable Path file;

  /** A file that the endpoint can read. */
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
        description = "a file on it, of the same kinds")
    String path = "";
  }

  @ArgGroup(exclusive = false)
  private @Nullable OnVolume onVolume;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "csv, tsv, json, ndjson, parquet, feather or excel; by default from the file's ending")
  private @Nullable String format;

  @Option(
      names = "--option",
      paramLabel = "NAME=VALUE",
      description =
          "an option of pandas' reader; repeat it for more: --option sep=';'"
              + " --option skiprows=2 --option parse_dates=day --option 'parse_dates=[\"day\", \"due\"]'")
  private Map<String, String> options = new LinkedHashMap<>();

  @Option(
      names = "--class",
      paramLabel = "NAME",
      description = "the RunClass of purpose Snapshot that reads it; the usual one by default")
  private @Nullable String snapshotClass;

  @Option(names = "--replace", description = "replace the dataset that has this name")
  private boolean replace;

  @Override
  public Integer call() throws ApiException, InterruptedException {
    try (AssayClient client = connection.client()) {
      JsonNode dataset = load(client);
      boolean failed = "Failed".equals(dataset.path("phase").asString());
      if (output.isJson()) {
        Output.print(spec, dataset);
      } else {
        PrintWriter to = failed ? spec.commandLine().getErr() : spec.commandLine().getOut();
        to.println(TerminalText.printable(sentence(dataset)));
        notes(dataset).ifPresent(spec.commandLine().getErr()::println);
      }
      return failed ? ExitCode.PLATFORM : ExitCode.DONE;
    }
  }

  private JsonNode load(AssayClient client) throws ApiException, InterruptedException {
    if (file != null && onVolume == null) {
      return upload(client, file);
    }
    if (file == null && onVolume != null) {
      return client.createDataset(wanted(onVolume));
    }
    throw new ParameterException(spec.commandLine(), "give either FILE, or --volume and --path");
  }

  private ObjectNode wanted(OnVolume place) {
    ObjectNode wanted =
        AssayClient.object().put("name", name).put("wait", true).put("replace", replace);
    wanted.put("volume", place.volume).put("path", place.path);
    if (format != null) {
      wanted.put("format", lower(format));
    }
    if (snapshotClass != null) {
      wanted.put("snapshotClass", snapshotClass);
    }
    if (!options.isEmpty()) {
      wanted.set("options", PandasOptions.json(options));
    }
    return wanted;
  }

  private JsonNode upload(AssayClient client, Path path) throws ApiException, InterruptedException {
    Map<String, String> parameters = new LinkedHashMap<>();
    Optional<DatasetFileType> type = DatasetFileType.of(path.toString());
    type.map(known -> known.format().wireName())
        .ifPresent(known -> parameters.put("format", known));
    if (format != null) {
      parameters.put("format", lower(format));
    }
    if (!parameters.containsKey("format")) {
      throw new ParameterException(
          spec.commandLine(),
          path + " has none of the endings " + DatasetFileType.ENDINGS + ": add --format");
    }
    DatasetFileType.compression(path.toString())
        .ifPresent(known -> parameters.put("compression", known.wireName()));
    parameters.put("replace", Boolean.toString(replace));
    if (snapshotClass != null) {
      parameters.put("snapshotClass", snapshotClass);
    }
    if (!options.isEmpty()) {
      parameters.put("options", PandasOptions.json(options).toString());
    }
    Progress progress = new TerminalProgress(System.err);
    try (FileUpload upload = FileUpload.of(path, progress)) {
      return client.uploadDataset(name, parameters, upload.body());
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), path + " cannot be read", e);
    }
  }

  /** The most severe note, which comes first, and what shows the others. */
  private static Optional<String> notes(JsonNode dataset) {
    JsonNode notes = dataset.path("notes");
    if (notes.isEmpty()) {
      return Optional.empty();
    }
    JsonNode first = notes.get(0);
    String column = first.path("column").asString("");
    String line =
        "Note: "
            + (column.isEmpty() ? "" : column + ": ")
            + first.path("message").asString("")
            + (notes.size() == 1
                ? ""
                : " [and %d more: assay datasets describe %s]"
                    .formatted(notes.size() - 1, dataset.path("name").asString()));
    return Optional.of(TerminalText.printable(line));
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static String sentence(JsonNode dataset) {
    String phase = dataset.path("phase").asString();
    String name = dataset.path("name").asString();
    return switch (phase) {
      case "Ready" ->
          "%s: %d rows, %d columns"
              .formatted(
                  name, dataset.path("rows").asLong(0), dataset.path("columnCount").asLong(0));
      case "Failed" -> "assay: " + name + ": " + dataset.path("message").asString(phase);
      default -> name + ": " + phase;
    };
  }
}
