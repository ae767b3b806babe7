package dev.assay.cli.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whose sockets listen on a TCP port of this machine, as far as {@code /proc/net} tells. */
enum PortOwner {
  THIS_USER,
  ANOTHER_USER,
  NOBODY,
  UNKNOWN;

  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final int LOCAL_ADDRESS = 1;
  private static final int STATE = 3;
  private static final int UID = 7;
  private static final String LISTEN = "0A";

  /** Looks now; unknown where there is no {@code /proc}. */
  static PortOwner of(int port) {
    if (!Files.exists(TABLES.getFirst())) {
      return UNKNOWN;
    }
    try {
      // The owner of this directory is the user of the process.
      Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      Stream.Builder<String> lines = Stream.builder();
      for (Path table : TABLES) {
        // Without IPv6, the second one is missing.
        if (Files.exists(table)) {
          Files.readAllLines(table).forEach(lines);
        }
      }
      return of(port, user.toString(), lines.build());
    } catch (IOException | UnsupportedOperationException e) {
      return UNKNOWN;
    }
  }

  /**
   * Reads the tables. Addresses do not matter: whoever listens on any address of the port makes it
   * doubtful who is behind the loopback address.
   */
  static PortOwner of(int port, String user, Stream<String> table) {
    String suffix = ":%04X".formatted(port);
    Set<String> owners =
        table
            .map(line -> line.strip().split("\\s+", -1))
            .filter(fields -> fields.length > UID && fields[STATE].equals(LISTEN))
            .filter(fields -> fields[LOCAL_ADDRESS].endsWith(suffix))
            .map(fields -> fields[UID])
            .collect(Collectors.toSet());
    if (owners.isEmpty()) {
      return NOBODY;
    }
    return owners.equals(Set.of(user)) ? THIS_USER : ANOTHER_USER;
  }
}
