package dev.assay.local.isolation;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * One container that is to be run.
 *
 * @param argv its program, an absolute path or a name that is looked for in its PATH, and arguments
 * @param environment all of its environment
 * @param directory its working directory
 * @param readOnlyPaths what it needs of this machine besides the system's programs; at the same
 *     paths
 * @param mounts its volumes, none within another
 * @param handedOver directories of this machine whose files it may read once another container has
 *     given it their descriptors; they have no path in it
 * @param network whether it shares this machine's network; else it has none
 * @param user who it is, where it is isolated; else it is whoever runs this
 * @param memoryLimit in bytes; the helper keeps it where it can, see {@link
 *     ContainerProcess#keepsMemoryLimit}
 * @param directoryOfItsOwn for what the runtime makes for this container; need not exist
 */
public record ContainerSpec(
    List<String> argv,
    Map<String, String> environment,
    String directory,
    List<Path> readOnlyPaths,
    List<Mount> mounts,
    List<Path> handedOver,
    boolean network,
    User user,
    OptionalLong memoryLimit,
    Path directoryOfItsOwn) {
  /**
   * A user of a container.
   *
   * @param uid user id
   * @param gid group id
   * @param groups further groups, which only root can give
   */
  public record User(long uid, long gid, List<Long> groups) {}

  public ContainerSpec {
    argv = List.copyOf(argv);
    environment = Map.copyOf(environment);
    readOnlyPaths = List.copyOf(readOnlyPaths);
    mounts = List.copyOf(mounts);
    handedOver = List.copyOf(handedOver);
  }

  /** A container that is given no descriptors. */
  public ContainerSpec(
      List<String> argv,
      Map<String, String> environment,
      String directory,
      List<Path> readOnlyPaths,
      List<Mount> mounts,
      boolean network,
      User user,
      OptionalLong memoryLimit,
      Path directoryOfItsOwn) {
    this(
        argv,
        environment,
        directory,
        readOnlyPaths,
        mounts,
        List.of(),
        network,
        user,
        memoryLimit,
        directoryOfItsOwn);
  }
}
