package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.TerminalText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Executes a script and prints its result. */
@Command(
    name = "exec",
    description = "Executes a script and prints its result as JSON.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the script has a value",
      "1:it has none: the result has the error; also after its time limit",
      "2:the command line is wrong, or the endpoint refused the request: scripts may be switched off",
      "3:the endpoint could not be reached, or could not start the script"
    })
public final class CodeExecCommand implements Callable<Integer> {
  private static final int FIRST_ERROR = 400;
  private static final int FIRST_SERVER_ERROR = 500;
  private static final int MAX_TIMEOUT_MS = 600_000;

  /** The usual time that a run may wait for its Pod, and what the endpoint takes beside it. */
  private static final Duration BESIDE_THE_SCRIPT = Duration.ofSeconds(300 + 90);

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();

  /** Where the code is. */
  static final class Source {
    @Option(
        names = {"-c", "--code"},
        paramLabel = "CODE",
        description = "the code itself")
    @Nullable String code;

    @Option(
        names = "--file",
        paramLabel = "FILE",
        description =
            "a file with the code; - for standard input. One that ends with .ts is TypeScript")
    @Nullable String file;

    @Option(names = "--script", paramLabel = "NAME", description = "a stored script")
    @Nullable String script;
  }

  @ArgGroup(multiplicity = "1")
  private Source source = new Source();

  /** Where the input is. */
  static final class Input {
    @Option(
        names = "--input",
        paramLabel = "JSON",
        description = "a JSON object, which the script has as input")
    @Nullable String json;

    @Option(names = "--input-file", paramLabel = "FILE", description = "a file with that object")
    @Nullable Path file;
  }

  @ArgGroup(multiplicity = "0..1")
  private Input input = new Input();

  @Option(
      names = "--language",
      paramLabel = "LANGUAGE",
      description = "javascript or typescript (default: javascript)")
  private @Nullable String language;

  @Option(
      names = {"-t", "--timeout"},
      paramLabel = "MS",
      description = "time limit of the script in milliseconds, 1 to 600000")
  private @Nullable Integer timeoutMs;

  @Option(
      names = "--max-tool-calls",
      paramLabel = "N",
      description = "calls of tools that it may make; 0 for any number")
  private @Nullable Integer maxToolCalls;

  @Option(
      names = "--allowed-servers",
      paramLabel = "NAME",
      split = ",",
      description = "servers whose tools it may call, separated by commas; all by default")
  private List<String> allowedServers = List.of();

  @Option(
      names = "--max-parallel",
      paramLabel = "N",
      description = "calls of a batch at a time, 1 to 32")
  private @Nullable Integer maxParallel;

  @Override
  public Integer call() throws ApiException, InterruptedException, IOException {
    ObjectNode request = request();
    try (AssayClient client = connection.client()) {
      JsonNode result = client.executeScript(request, silence());
      Output.print(spec, result);
      return result.path("ok").asBoolean(false) ? ExitCode.DONE : ExitCode.CODE;
    } catch (ApiException e) {
      if (e.isTemporary() || e.status() < FIRST_ERROR || e.status() >= FIRST_SERVER_ERROR) {
        throw e;
      }
      PrintWriter err = spec.commandLine().getErr();
      err.println("assay: " + TerminalText.printable(String.valueOf(e.getMessage())));
      return ExitCode.USAGE;
    }
  }

  Duration silence() {
    return Duration.ofMillis(timeoutMs == null ? MAX_TIMEOUT_MS : timeoutMs)
        .plus(BESIDE_THE_SCRIPT);
  }

  private ObjectNode request() throws IOException {
    ObjectNode request = AssayClient.object();
    if (source.script != null) {
      request.put("script", source.script);
    } else {
      request.put("code", code());
    }
    language().ifPresent(named -> request.put("language", named));
    JsonNode given = input();
    if (given != null) {
      request.set("input", given);
    }
    ObjectNode options = AssayClient.object();
    if (timeoutMs != null) {
      options.put("timeout_ms", timeoutMs);
    }
    if (maxToolCalls != null) {
      options.put("max_tool_calls", maxToolCalls);
    }
    if (!allowedServers.isEmpty()) {
      ArrayNode names = options.putArray("allowed_servers");
      allowedServers.forEach(names::add);
    }
    if (maxParallel != null) {
      options.put("max_parallel", maxParallel);
    }
    if (!options.isEmpty()) {
      request.set("options", options);
    }
    return request;
  }

  private Optional<String> language() {
    return language == null && source.file != null && source.file.endsWith(".ts")
        ? Optional.of("typescript")
        : Optional.ofNullable(language);
  }

  private String code() throws IOException {
    if (source.code != null) {
      return source.code;
    }
    String file = String.valueOf(source.file);
    return file.equals("-")
        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
        : text(Path.of(file));
  }

  private @Nullable JsonNode input() {
    if (input.json != null) {
      return object("--input", input.json);
    }
    return input.file == null ? null : object("--input-file", text(input.file));
  }

  private JsonNode object(String option, String json) {
    try {
      JsonNode parsed = AssayClient.json(json);
      if (parsed.isObject()) {
        return parsed;
      }
    } catch (JacksonException e) {
      // Reported below.
    }
    throw new ParameterException(spec.commandLine(), option + " must be a JSON object");
  }

  private String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), file + " cannot be read, or is not UTF-8 text", e);
    }
  }
}
