package dev.assay.local.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of {@code bwrap}, 0.8 or later, for a container. */
final class Bubblewrap {
  private static final long SHARED_MEMORY_BYTES = 64L * 1024 * 1024;

  private Bubblewrap() {}

  /**
   * The whole command.
   *
   * @param program where {@code bwrap} is
   * @param mounts all that the container has, parents first
   */
  static List<String> command(Path program, ContainerSpec spec, List<Mount> mounts) {
    List<String> command = new ArrayList<>(List.of(program.toString(), "--unshare-all"));
    // Namespaces within would bring kernel code in reach that only root reaches otherwise.
    command.addAll(List.of("--unshare-user", "--disable-userns"));
    if (spec.network()) {
      command.add("--share-net");
    }
    command.addAll(List.of("--die-with-parent", "--new-session", "--as-pid-1"));
    command.addAll(List.of("--cap-drop", "ALL"));
    command.addAll(List.of("--uid", Long.toString(spec.user().uid())));
    command.addAll(List.of("--gid", Long.toString(spec.user().gid())));
    for (Mount mount : mounts) {
      command.addAll(arguments(mount));
    }
    command.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
    command.addAll(arguments(new Mount.Memory("/dev/shm", SHARED_MEMORY_BYTES)));
    command.addAll(List.of("--remount-ro", "/dev", "--remount-ro", "/"));
    command.addAll(List.of("--chdir", spec.directory(), "--"));
    command.addAll(spec.argv());
    return List.copyOf(command);
  }

  private static List<String> arguments(Mount mount) {
    return switch (mount) {
      case Mount.Bind bind ->
          List.of(bind.writable() ? "--bind" : "--ro-bind", bind.source().toString(), bind.path());
      case Mount.Link link -> List.of("--symlink", link.target(), link.path());
      case Mount.Memory memory ->
          List.of(
              "--perms", "1777", "--size", Long.toString(memory.bytes()), "--tmpfs", memory.path());
    };
  }
}
