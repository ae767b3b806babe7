package dev.assay.cli.local;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of local mode.
 *
 * @param port of the endpoint, on the loopback address; 0 for any that is free
 * @param state where runs, datasets and their data are kept from one start to the next; absent
 *     where nothing is kept
 * @param data a folder whose files are datasets; absent for none
 * @param analytics of queries
 * @param scripts of scripts, and of the servers whose tools code can call
 */
public record LocalSettings(
    int port,
    @Nullable Path state,
    @Nullable Path data,
    AnalyticsSettings analytics,
    LocalConfig scripts) {
  /** The default port. */
  public static final int DEFAULT_PORT = 8787;
}
