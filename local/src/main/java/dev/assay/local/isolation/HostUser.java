package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user of this process. */
public final class HostUser {
  private static final Integer ROOT = 0;

  private HostUser() {}

  /** What isolated containers can rely on, in a sentence. */
  public static String promise() {
    return isRoot()
        ? "Each run has a user of its own."
        : "All runs share your user, and with it the kernel's limits for one user: only root can"
            + " give each run another.";
  }

  /** Whether it is root, the only one that can run processes as other users. */
  public static boolean isRoot() {
    try {
      return ROOT.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }
}
