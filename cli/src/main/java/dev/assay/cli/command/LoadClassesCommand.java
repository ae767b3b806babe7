package dev.assay.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.local.AnalyticsSettings;
import dev.assay.cli.local.DemoServer;
import dev.assay.cli.local.LocalConfig;
import dev.assay.cli.local.LocalMcp;
import dev.assay.cli.local.LocalMode;
import dev.assay.cli.local.LocalSettings;
import dev.assay.cli.text.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Trains the AOT cache: does once what later starts do. For local mode that is the whole
 * demonstration, with its Pods.
 */
@Command(
    name = LoadClassesCommand.NAME,
    description = "For the script assay: trains its AOT cache.",
    hidden = true)
public final class LoadClassesCommand implements Callable<Integer> {
  static final String NAME = "load-classes";

  /** Which program. */
  enum Kind {
    /** Local mode. */
    LOCAL,
    /** The other commands. */
    CLIENT
  }

  @Parameters(paramLabel = "KIND")
  private Kind kind = Kind.CLIENT;

  @Override
  public Integer call() throws MachineException, ApiException, IOException, InterruptedException {
    if (kind == Kind.CLIENT) {
      return ExitCode.DONE;
    }
    OutputStream nowhere = OutputStream.nullOutputStream();
    LocalMcp.loadClasses();
    new DemoServer().run(InputStream.nullInputStream(), nowhere);
    LocalSettings demo =
        new LocalSettings(
            0, null, null, AnalyticsSettings.read(Map.of()), LocalConfig.NONE.withDemo());
    return new LocalMode(
            demo,
            new LocalMode.Options(true, true, true, LocalCommand.name()),
            new PrintStream(nowhere, false, UTF_8),
            Progress.NONE)
        .run();
  }
}
