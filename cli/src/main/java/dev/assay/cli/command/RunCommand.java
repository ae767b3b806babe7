package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
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

/** Runs code and shows what it prints. */
@Command(
    name = "run",
    description = "Runs Python and shows what it prints, as it comes.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "The exit code tells how the run ended; see 'assay --help'. Ctrl-C cancels the run."
    })
public final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  /** Where the code is. */
  static final class Source {
    @Parameters(paramLabel = "FILE", description = "the code; - for standard input")
    @Nullable String file;

    @Option(
        names = {"-c", "--code"},
        paramLabel = "CODE",
        description = "the code itself")
    @Nullable String code;
  }

  @ArgGroup(multiplicity = "1")
  private Source source = new Source();

  @Option(
      names = {"-d", "--dataset"},
      paramLabel = "NAME",
      description = "the dataset that the code has as df")
  private @Nullable String dataset;

  @Option(names = "--class", paramLabel = "NAME", description = "the RunClass")
  private @Nullable String runClass;

  @Option(
      names = {"-t", "--timeout"},
      paramLabel = "SECONDS",
      description = "how long the code may run")
  private @Nullable Integer timeout;

  @Option(names = "--detach", description = "do not wait: print the run's name and end")
  private boolean detach;

  @Override
  public Integer call() throws ApiException, InterruptedException, IOException {
    ObjectNode wanted = AssayClient.object().put("code", code());
    if (dataset != null) {
      wanted.put("dataset", dataset);
    }
    if (runClass != null) {
      wanted.put("runClass", runClass);
    }
    if (timeout != null) {
      wanted.put("timeoutSeconds", timeout);
    }
    try (AssayClient client = connection.client()) {
      JsonNode run = client.createRun(wanted);
      String name = run.path("name").asString();
      if (detach) {
        show(run, name);
        return ExitCode.DONE;
      }
      return follow(client, name);
    }
  }

  private int follow(AssayClient client, String name)
      throws ApiException, InterruptedException, IOException {
    AtomicBoolean ended = new AtomicBoolean();
    Thread interrupted = new Thread(() -> cancelUnless(ended, client, name));
    Runtime.getRuntime().addShutdownHook(interrupted);
    RunOutput.follow(client, name, !output.isJson());
    JsonNode run = client.run(name);
    ended.set(true);
    if (output.isJson()) {
      Output.print(spec, run);
    } else {
      RunOutput.tellEnd(spec.commandLine().getErr(), run);
    }
    return ExitCode.ofRun(run.path("phase").asString(), run.path("reason").asString(""));
  }

  /** Whoever stops looking at a run has no use for it. */
  private static void cancelUnless(AtomicBoolean ended, AssayClient client, String name) {
    if (ended.get()) {
      return;
    }
    try {
      JsonNode unused = client.cancel(name);
    } catch (ApiException e) {
      System.err.println("assay: the run " + name + " was not cancelled: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void show(JsonNode run, String name) {
    if (output.isJson()) {
      Output.print(spec, run);
    } else {
      spec.commandLine().getOut().println(name);
    }
  }

  private String code() throws IOException {
    if (source.code != null) {
      return source.code;
    }
    String file = String.valueOf(source.file);
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
