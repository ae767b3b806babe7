package dev.assay.cli.local;

import dev.assay.frontend.config.CodeExecution;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of local mode.
 *
 * @param port of the endpoint, on the loopback address; 0 for any that is free
 * @param state where runs, datasets and their data are kept from one start to the next; absent
 *     where nothing is kept
 * @param data a folder whose files are datasets; absent for none
 * @param analytics of queries
 * @param codeExecution of scripts
 * @param toolServers the servers whose tools code can call
 */
public record LocalSettings(
    int port,
    @Nullable Path state,
    @Nullable Path data,
    AnalyticsSettings analytics,
    CodeExecution codeExecution,
    List<McpServerEntry> toolServers) {
  /** The default port. */
  public static final int DEFAULT_PORT = 8787;

  /** Whether code may call tools of other servers. */
  boolean hasTools() {
    return codeExecution.isEnabled() || !toolServers.isEmpty();
  }
}
