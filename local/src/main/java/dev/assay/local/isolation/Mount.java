package dev.assay.local.isolation;

import java.nio.file.Path;

/** Something that a container has at a path. */
public sealed interface Mount {
  /** Where, as the container sees it: absolute. */
  String path();

  /** A file or directory of this machine. */
  record Bind(String path, Path source, boolean writable) implements Mount {}

  /** A symbolic link. */
  record Link(String path, String target) implements Mount {}

  /** A file system in memory, of a size in bytes; what is written beyond that fails. */
  record Memory(String path, long bytes) implements Mount {}
}
