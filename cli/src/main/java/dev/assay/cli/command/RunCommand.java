package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs code and prints its output. */
@Command(
    name = "run",
    description = "Runs Python and prints its output as it comes.",
    mixinStandardHelpOptions = true,
    subcommands = RunStartCommand.class,
    footer = {
      "",
      "The exit code tells how the run ended; see 'assay --help'. Ctrl-C cancels the run."
    })
public final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  /** The source of the code. */
  static final class Source {
    @Parameters(paramLabel = "FILE", description = "the code; - for standard input")
    @Nullable String file;

    @Option(
        names = {"-c", "--code"},
        paramLabel = "CODE",
        description = "the code itself")
    @Nullable String code;
  }

  @ArgGroup(multiplicity = "0..1")
  private Source source = new Source();

  @Option(
      names = {"-d", "--dataset"},
      paramLabel = "NAME",
      description =
          "a dataset for the code; repeat it for more. Each has its own name in the code, and the"
              + " first is also df")
  private List<String> datasets = List.of();

  @Option(
      names = "--class",
      paramLabel = "NAME",
      description = "the RunClass; the usual one by default")
  private @Nullable String runClass;

  @Option(
      names = {"-t", "--timeout"},
      paramLabel = "SECONDS",
      description = "time limit of the code")
  private @Nullable Integer timeout;

  @Option(
      names = "--detach",
      description = "print the run's name and exit, without waiting for its end")
  private boolean detach;

  @Override
  public Integer call() throws ApiException, InterruptedException, IOException {
    ObjectNode wanted = AssayClient.object().put("code", code());
    if (!datasets.isEmpty()) {
      wanted.put("dataset", datasets.getFirst());
    }
    if (datasets.size() > 1) {
      ArrayNode further = wanted.putArray("datasets");
      datasets.stream().skip(1).forEach(further::add);
    }
    if (runClass != null) {
      wanted.put("runClass", runClass);
    }
    if (timeout != null) {
      wanted.put("timeoutSeconds", timeout);
    }
    try (AssayClient client = connection.client()) {
      FollowedRun run = new FollowedRun(client, connection.endpoint(), wanted);
      JsonNode created = run.create();
      if (detach) {
        run.detach();
        show(created);
        return ExitCode.DONE;
      }
      JsonNode ended = run.follow(!output.isJson(), spec.commandLine().getErr());
      if (output.isJson()) {
        Output.print(spec, ended);
      } else {
        RunOutput.printEnd(spec.commandLine().getErr(), ended);
      }
      return ExitCode.ofRun(ended.path("phase").asString(), ended.path("reason").asString(""));
    }
  }

  private void show(JsonNode run) {
    if (output.isJson()) {
      Output.print(spec, run);
    } else {
      spec.commandLine().getOut().println(run.path("name").asString());
    }
  }

  private String code() throws IOException {
    if (source.code != null) {
      return source.code;
    }
    String file = source.file;
    if (file == null) {
      throw new ParameterException(
          spec.commandLine(), "Missing required argument (specify one of these): (FILE | -c=CODE)");
    }
    if (file.equals("-")) {
      return new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    }
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), file + " cannot be read, or is not UTF-8 text", e);
    }
  }
}
