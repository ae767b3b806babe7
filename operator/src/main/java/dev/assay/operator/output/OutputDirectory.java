package dev.assay.operator.output;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
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
    if (!FileOutputStore.SAFE.matcher(runUid).matches()) {
      return FileVisitResult.CONTINUE;
    }
    Instant written = attributes.lastModifiedTime().toInstant();
    OutputEntry empty = OutputEntry.empty(runUid, written);
    switch (name.substring(runUid.length())) {
      case "" -> add(empty.withOutput(size, written));
      case FileOutputStore.MANIFEST -> add(empty);
      case FileOutputStore.VALUE -> add(empty.withValue(size, written));
      case FileOutputStore.CALLS -> add(empty.withMoreCalls(CallFiles.bytes(file), written));
      case FileOutputStore.ARTIFACTS -> add(empty.withArtifacts(size, written));
      default -> {}
    }
    return FileVisitResult.CONTINUE;
  }

  private void add(OutputEntry entry) {
    found.merge(entry.runUid(), entry, OutputEntry::and);
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
