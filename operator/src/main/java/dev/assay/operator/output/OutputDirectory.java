package dev.assay.operator.output;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lists the directory of a namespace. */
final class OutputDirectory extends SimpleFileVisitor<Path> {
  private final Map<String, OutputEntry> found = new HashMap<>();
  private final String temporary;

  private OutputDirectory(String temporary) {
    this.temporary = temporary;
  }

  /**
   * Lists the outputs, and deletes temporary files of other processes. One that is in use is
   * created again when its process retries.
   *
   * @param temporary how names of this process's temporary files end
   */
  static List<OutputEntry> list(Path directory, String temporary) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    OutputDirectory visitor = new OutputDirectory(temporary);
    Files.walkFileTree(directory, Set.of(), 1, visitor);
    return List.copyOf(visitor.found.values());
  }

  /** Others may be there, too, such as .nfs… of a file that was removed while it was read. */
  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    String name = file.getFileName().toString();
    if (name.endsWith(FileOutputStore.TEMPORARY) && !name.endsWith(temporary)) {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }
    String runUid = name.replaceFirst("[.].*", "");
    long size = attributes.size();
    switch (name.substring(runUid.length())) {
      case "" -> add(runUid, attributes, size, 0, 0);
      case FileOutputStore.MANIFEST -> add(runUid, attributes, 0, 0, 0);
      case FileOutputStore.VALUE -> add(runUid, attributes, size, size, 0);
      case FileOutputStore.CALLS -> add(runUid, attributes, CallFiles.bytes(file), 0, 0);
      case FileOutputStore.ARTIFACTS -> add(runUid, attributes, size, 0, size);
      default -> {}
    }
    return FileVisitResult.CONTINUE;
  }

  private void add(
      String runUid,
      BasicFileAttributes attributes,
      long bytes,
      long valueBytes,
      long artifactBytes) {
    if (FileOutputStore.SAFE.matcher(runUid).matches()) {
      OutputEntry entry =
          new OutputEntry(
              runUid, bytes, valueBytes, artifactBytes, attributes.lastModifiedTime().toInstant());
      found.merge(runUid, entry, OutputEntry::and);
    }
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
    if (failure instanceof NoSuchFileException) {
      // It was deleted since the directory was listed.
      return FileVisitResult.CONTINUE;
    }
    throw failure;
  }
}
