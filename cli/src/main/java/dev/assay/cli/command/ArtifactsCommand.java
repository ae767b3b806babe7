package dev.assay.cli.command;

import dev.assay.cli.ExitCode;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.text.Table;
import dev.assay.cli.text.TerminalText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Groups the commands for files that runs leave. */
@Command(
    name = "artifacts",
    description = "Lists and downloads the files that a run has left.",
    mixinStandardHelpOptions = true,
    subcommands = {ArtifactsCommand.Listing.class, ArtifactsCommand.Get.class})
public final class ArtifactsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: ls or get");
  }

  /** Lists files. */
  @Command(name = "ls", description = "Lists the files.", mixinStandardHelpOptions = true)
  static final class Listing implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "RUN", description = "the run's name, as 'assay runs' shows it")
    private String run = "";

    @Override
    public Integer call() throws ApiException, InterruptedException {
      try (AssayClient client = connection.client()) {
        JsonNode artifacts = client.artifacts(run);
        if (output.isJson()) {
          Output.print(spec, artifacts);
        } else {
          lines(artifacts.path("items")).forEach(spec.commandLine().getOut()::println);
          tellWhatWasLeftOut(spec, artifacts);
        }
      }
      return ExitCode.DONE;
    }

    private static List<String> lines(JsonNode artifacts) {
      if (artifacts.isEmpty()) {
        return List.of("No artifacts.");
      }
      Table table = new Table("PATH", "BYTES", "TYPE");
      for (JsonNode artifact : artifacts) {
        table.add(
            artifact.path("path").asString(),
            Long.toString(artifact.path("bytes").asLong()),
            artifact.path("mediaType").asString("-"));
      }
      return table.lines();
    }
  }

  /** Downloads files. */
  @Command(name = "get", description = "Downloads the files.", mixinStandardHelpOptions = true)
  static final class Get implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Connection connection = new Connection();

    @Parameters(
        index = "0",
        paramLabel = "RUN",
        description = "the run's name, as 'assay runs' shows it")
    private String run = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "PATH",
        description = "one file, as 'assay artifacts ls' shows it; all by default")
    private @Nullable String path;

    @Option(
        names = {"-o", "--output"},
        paramLabel = "FILE|DIR",
        description =
            "where to: of one file its name or a folder, - for standard output (default: its own"
                + " name in this folder); of all a folder (default: one with the run's name)")
    private @Nullable String output;

    @Option(names = "--force", description = "replace files that exist")
    private boolean force;

    @Override
    public Integer call() throws ApiException, InterruptedException, IOException {
      try (AssayClient client = connection.client()) {
        JsonNode artifacts = client.artifacts(run);
        ArtifactDownload download = new ArtifactDownload(client, run, Thread::sleep);
        if (path != null) {
          one(download, find(artifacts, path));
        } else {
          Path folder = Path.of(output == null ? run : output);
          all(spec, download, artifacts, new ArtifactFolder(folder, force));
        }
      } catch (ArtifactFolder.NotSavedException e) {
        throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
      }
      return ExitCode.DONE;
    }

    private JsonNode find(JsonNode artifacts, String wanted) {
      for (JsonNode artifact : artifacts.path("items")) {
        if (artifact.path("path").asString().equals(wanted)) {
          return artifact;
        }
      }
      throw new ParameterException(
          spec.commandLine(),
          "the run has no file '" + wanted + "'; 'assay artifacts ls " + run + "' lists them");
    }

    private void one(ArtifactDownload download, JsonNode artifact)
        throws ApiException, InterruptedException, IOException, ArtifactFolder.NotSavedException {
      if ("-".equals(output)) {
        download.to(System.out, artifact);
        System.out.flush();
        return;
      }
      String name = artifact.path("path").asString();
      Path target = output == null ? Path.of("") : Path.of(output);
      if (output != null && !Files.isDirectory(target)) {
        Path parent = target.toAbsolutePath().getParent();
        tellSaved(
            spec,
            new ArtifactFolder(parent == null ? target : parent, force)
                .<ApiException>saveAs(target, name, out -> download.to(out, artifact)),
            artifact);
      } else {
        String last = name.substring(name.lastIndexOf('/') + 1);
        tellSaved(
            spec,
            new ArtifactFolder(target, force)
                .<ApiException>save(last, out -> download.to(out, artifact)),
            artifact);
      }
    }
  }

  /** Saves all files of a list in a folder. */
  static void all(
      CommandSpec spec, ArtifactDownload download, JsonNode artifacts, ArtifactFolder folder)
      throws ApiException, InterruptedException, IOException, ArtifactFolder.NotSavedException {
    for (JsonNode artifact : artifacts.path("items")) {
      tellSaved(
          spec,
          folder.<ApiException>save(
              artifact.path("path").asString(), out -> download.to(out, artifact)),
          artifact);
    }
    tellWhatWasLeftOut(spec, artifacts);
  }

  private static void tellSaved(CommandSpec spec, Path file, JsonNode artifact) {
    spec.commandLine()
        .getErr()
        .println(
            TerminalText.printable(
                "saved %s, %d bytes".formatted(file, artifact.path("bytes").asLong())));
  }

  private static void tellWhatWasLeftOut(CommandSpec spec, JsonNode artifacts) {
    String message = artifacts.path("message").asString("");
    if (!message.isEmpty()) {
      spec.commandLine().getErr().println(TerminalText.printable("assay: " + message));
    }
  }
}
