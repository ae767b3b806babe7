package dev.assay.cli.local;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a person may choose.
 *
 * @param port of the endpoint, on the loopback address; 0 for any that is free
 * @param state where runs, datasets and their data are kept from one start to the next; absent
 *     where nothing is kept
 * @param data a folder whose files are datasets; absent for none
 */
public record LocalSettings(int port, @Nullable Path state, @Nullable Path data) {
  /** The port where nothing else is said. */
  public static final int DEFAULT_PORT = 8787;
}
