package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The files of this machine that every isolated container has, read-only: programs and libraries.
 */
final class HostFiles {
  static final long TEMPORARY_BYTES = 64L * 1024 * 1024;

  private static final List<String> SYSTEM =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /** What the loader and time zones need; nothing about users, networks or secrets. */
  private static final List<String> SETTINGS =
      List.of("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime");

  private final List<Mount> mounts;

  /**
   * Looks at this machine.
   *
   * @param directory for the files that the container has instead of this machine's
   */
  HostFiles(Path directory) throws IOException {
    List<Mount> found = new ArrayList<>();
    for (String name : SYSTEM) {
      Path path = Path.of(name);
      if (Files.isSymbolicLink(path)) {
        found.add(new Mount.Link(name, Files.readSymbolicLink(path).toString()));
      } else if (Files.isDirectory(path)) {
        found.add(new Mount.Bind(name, path, false));
      }
    }
    for (String name : SETTINGS) {
      if (Files.exists(Path.of(name))) {
        found.add(new Mount.Bind(name, Path.of(name).toRealPath(), false));
      }
    }
    Path etc = Files.createDirectories(directory.resolve("etc"));
    found.add(file(etc, "passwd", "assay:x:65532:65532::/tmp:/usr/sbin/nologin\n"));
    found.add(file(etc, "group", "assay:x:65532:\n"));
    found.add(new Mount.Memory("/tmp", TEMPORARY_BYTES));
    this.mounts = List.copyOf(found);
  }

  private static Mount file(Path directory, String name, String text) throws IOException {
    return new Mount.Bind("/etc/" + name, Files.writeString(directory.resolve(name), text), false);
  }

  /**
   * All mounts of a container; nothing is mounted twice. Its own /tmp comes in the place of ours,
   * before what may lie in that directory.
   */
  List<Mount> with(ContainerSpec spec) {
    List<Path> needed = new ArrayList<>();
    for (Path path : spec.readOnlyPaths().stream().sorted().toList()) {
      if (SYSTEM.stream().noneMatch(path::startsWith)
          && needed.stream().noneMatch(path::startsWith)) {
        needed.add(path);
      }
    }
    Stream<Mount> binds = needed.stream().map(path -> new Mount.Bind(path.toString(), path, false));
    Map<String, Mount> own = new LinkedHashMap<>();
    spec.mounts().forEach(mount -> own.put(mount.path(), mount));
    List<Mount> first =
        mounts.stream()
            .map(mount -> Objects.requireNonNullElse(own.remove(mount.path()), mount))
            .toList();
    return Stream.of(first.stream(), binds, own.values().stream())
        .flatMap(stream -> stream)
        .toList();
  }
}
