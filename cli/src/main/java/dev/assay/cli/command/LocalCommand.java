package dev.assay.cli.command;

import dev.assay.cli.MachineException;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.local.AnalyticsSettings;
import dev.assay.cli.local.LocalConfig;
import dev.assay.cli.local.LocalConfigFile;
import dev.assay.cli.local.LocalMode;
import dev.assay.cli.local.LocalSettings;
import dev.assay.cli.text.TerminalProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs all of Assay on this machine. */
@Command(
    name = "local",
    description = "Runs all of Assay on this machine, without a cluster.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "It listens on the loopback address only. Linux; other systems are untested.",
      "ASSAY_PYTHON names the Python to use, ASSAY_LOG_LEVEL (such as INFO) shows more.",
      "Settings of queries: POLARS_MAX_THREADS, DUCKDB_MEMORY_LIMIT, CACHE_MAX_SIZE,",
      "CACHE_TTL_SECONDS, MAX_QUERY_TIME_MS, STREAMING_THRESHOLD_MB (docs/analytics.md)."
    })
public final class LocalCommand implements Callable<Integer> {
  @Option(
      names = "--demo",
      description = "load sample data, make five calls as an agent would, and show them")
  private boolean demo;

  @Option(names = "--once", description = "with --demo: exit after it")
  private boolean once;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "offer the files of a folder as datasets: CSV, TSV, JSON, NDJSON, Parquet, Feather and"
              + " Excel, also as .gz or .zip")
  private @Nullable Path data;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "" + LocalSettings.DEFAULT_PORT,
      description = "port to listen on; 0 for any that is free (default: 8787)")
  private int port;

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "keep runs and datasets in a folder; by default they go with the process")
  private @Nullable Path state;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "settings of scripts as JSON, such as {\"enable_code_execution\": true}, and MCP servers"
              + " whose tools they can call, as mcpServers (docs/local.md)")
  private @Nullable Path config;

  @Option(
      names = "--trust-code",
      description = "serve although nothing on this machine isolates the code that is sent")
  private boolean trustCode;

  @Override
  public Integer call() throws MachineException, ApiException, IOException, InterruptedException {
    LocalConfig file = LocalConfigFile.read(config, System.getenv());
    if (demo) {
      file = file.withDemo();
    }
    LocalSettings settings =
        new LocalSettings(
            port, absolute(state), absolute(data), AnalyticsSettings.read(System.getenv()), file);
    return new LocalMode(
            settings,
            new LocalMode.Options(demo, demo && once, trustCode, name()),
            System.out,
            new TerminalProgress(System.err))
        .run();
  }

  /** How this program is called, by its full path where that is known. */
  static String name() {
    return Optional.ofNullable(System.getenv("ASSAY_COMMAND")).orElse("assay");
  }

  private static @Nullable Path absolute(@Nullable Path path) {
    return path == null ? null : path.toAbsolutePath().normalize();
  }
}
