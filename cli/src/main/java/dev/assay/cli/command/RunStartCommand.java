package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs what an intake file asks for. */
@Command(
    name = "start",
    description = "Runs what an intake file asks for, and prints its output as it comes.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "The keys of the file: agent, task, mode, code or code_file, datasets, files,",
      "timeout_seconds, run_class. The exit code tells how the run ended; see 'assay --help'."
    })
public final class RunStartCommand implements Callable<Integer> {
  /** What the code finds around it. */
  enum Mode {
    standard,
    code,
    /** The former name of standard. */
    legacy
  }

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Connection connection = new Connection();
  @Mixin private Output output = new Output();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "standard or code; by default what the file says, and standard if it says nothing")
  private @Nullable Mode mode;

  @Option(
      names = "--intake",
      paramLabel = "FILE",
      required = true,
      description = "the intake file, in YAML")
  private Path intakeFile = Path.of("");

  @Option(
      names = "--artifacts",
      paramLabel = "DIR",
      description = "save the files that the run leaves in this folder")
  private @Nullable Path folder;

  @Option(names = "--force", description = "replace files that exist there")
  private boolean force;

  @Override
  public Integer call() throws ApiException, InterruptedException, IOException {
    Intake intake = intake();
    String chosen = mode(intake);
    try (AssayClient client = connection.client()) {
      FollowedRun run = new FollowedRun(client, connection.endpoint(), request(intake, chosen));
      String name = run.create().path("name").asString();
      PrintWriter err = spec.commandLine().getErr();
      if (!output.isJson()) {
        err.println("run " + name + ", mode " + chosen);
        err.flush();
      }
      JsonNode ended = run.follow(!output.isJson(), err);
      finish(client, name, ended, chosen, intake);
      return ExitCode.ofRun(ended.path("phase").asString(), ended.path("reason").asString(""));
    }
  }

  private void finish(AssayClient client, String name, JsonNode ended, String chosen, Intake intake)
      throws ApiException, InterruptedException, IOException {
    JsonNode artifacts =
        output.isJson() || folder != null ? client.artifacts(name) : AssayClient.object();
    if (output.isJson()) {
      Output.print(spec, new CodeResult(client, ended, artifacts).json(chosen, intake));
    } else {
      RunOutput.printEnd(spec.commandLine().getErr(), ended);
    }
    if (folder != null) {
      try {
        ArtifactsCommand.all(
            spec,
            new ArtifactDownload(client, name, Thread::sleep),
            artifacts,
            new ArtifactFolder(folder, force));
      } catch (ArtifactFolder.NotSavedException e) {
        throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
      }
    }
  }

  private Intake intake() {
    try {
      return Intake.parse(read(intakeFile));
    } catch (Intake.InvalidIntakeException e) {
      throw new ParameterException(spec.commandLine(), intakeFile + " " + e.getMessage(), e);
    }
  }

  private String mode(Intake intake) {
    String asked = mode == null ? null : Intake.modeOf(mode.name());
    if (asked != null && intake.mode() != null && !asked.equals(intake.mode())) {
      throw new ParameterException(
          spec.commandLine(),
          "--mode is %s, and the mode of %s is %s: change one of them"
              .formatted(asked, intakeFile, intake.mode()));
    }
    if (asked != null) {
      return asked;
    }
    return intake.mode() == null ? Mode.standard.name() : intake.mode();
  }

  private ObjectNode request(Intake intake, String chosen) {
    ObjectNode run = AssayClient.object().put("code", code(intake));
    if (chosen.equals(Mode.code.name())) {
      run.put("mode", chosen);
    }
    if (!intake.datasets().isEmpty()) {
      run.put("dataset", intake.datasets().getFirst());
    }
    if (intake.datasets().size() > 1) {
      ArrayNode further = run.putArray("datasets");
      intake.datasets().stream().skip(1).forEach(further::add);
    }
    if (!intake.files().isEmpty()) {
      ObjectNode files = run.putObject("files");
      intake.files().forEach(files::put);
    }
    if (intake.timeoutSeconds() != null) {
      run.put("timeoutSeconds", intake.timeoutSeconds());
    }
    if (intake.runClass() != null) {
      run.put("runClass", intake.runClass());
    }
    return run;
  }

  private String code(Intake intake) {
    if (intake.code() != null) {
      return intake.code();
    }
    Path folderOfIntake = intakeFile.toAbsolutePath().getParent();
    Path file = Path.of(String.valueOf(intake.codeFile()));
    return read(folderOfIntake == null ? file : folderOfIntake.resolve(file));
  }

  private String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), file + " cannot be read, or is not UTF-8 text", e);
    }
  }
}
