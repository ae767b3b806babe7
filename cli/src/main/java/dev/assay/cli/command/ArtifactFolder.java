package dev.assay.cli.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The folder that files of a run are saved in. Their names come from a Pod: whatever they are, no
 * file outside of the folder is written, and none is overwritten unless that was asked for.
 */
final class ArtifactFolder {
  private static final Set<String> NO_NAMES = Set.of("", ".", "..");

  /**
   * What has Git execute the hooks and the configuration of a folder. No folder is a repository
   * without a file HEAD.
   */
  private static final Set<String> NAMES_OF_GIT = Set.of(".git", "git~1", "head");

  /** What HFS, and at the end Windows, do not regard in a name. */
  private static final Pattern DISREGARDED =
      Pattern.compile("[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]|[ .]+$");

  private final Path root;
  private final boolean overwrites;

  /**
   * A folder.
   *
   * @param root need not exist
   * @param overwrites whether files that exist are replaced
   */
  ArtifactFolder(Path root, boolean overwrites) {
    this.root = root;
    this.overwrites = overwrites;
  }

  /** A file cannot be saved; the message says which and why. */
  static final class NotSavedException extends Exception {
    private static final long serialVersionUID = 1L;

    NotSavedException(String message) {
      super(message);
    }
  }

  /** Writes the bytes of a file. */
  @FunctionalInterface
  interface Content<E extends Exception> {
    void writeTo(OutputStream out) throws IOException, InterruptedException, E;
  }

  /**
   * Saves a file under its path in the run. It is there when it is complete.
   *
   * @return where it is
   */
  <E extends Exception> Path save(String path, Content<E> content)
      throws NotSavedException, IOException, InterruptedException, E {
    return saveAs(target(path), path, content);
  }

  /** Saves a file under a name that the user chose, in this folder. */
  <E extends Exception> Path saveAs(Path target, String path, Content<E> content)
      throws NotSavedException, IOException, InterruptedException, E {
    Path folder = folderOf(target, path);
    Path file = folder.resolve(target.getFileName());
    requireFree(file);
    Path part = Files.createTempFile(folder, ".assay-", ".part");
    try {
      try (OutputStream out = Files.newOutputStream(part)) {
        content.writeTo(out);
      }
      move(part, file);
      return file;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** Where the file of a path belongs. */
  private Path target(String path) throws NotSavedException {
    Path target = root;
    for (String part : path.split("/", -1)) {
      if (NO_NAMES.contains(part)
          || part.indexOf('\\') >= 0
          || hasControlCharacter(part)
          || isOfGit(part)) {
        throw new NotSavedException(
            "the name '" + path + "' cannot be that of a file here: use --output FILE");
      }
      try {
        target = target.resolve(part);
      } catch (InvalidPathException e) {
        throw new NotSavedException(
            "the name '" + path + "' cannot be that of a file here: use --output FILE");
      }
    }
    return target;
  }

  private static boolean hasControlCharacter(String part) {
    return part.chars().anyMatch(Character::isISOControl);
  }

  private static boolean isOfGit(String part) {
    String name = DISREGARDED.matcher(part).replaceAll("").toLowerCase(Locale.ROOT);
    return NAMES_OF_GIT.contains(name);
  }

  /** Creates the folder of a file. A link that was there before may not lead out of the root. */
  private Path folderOf(Path target, String path) throws NotSavedException, IOException {
    Path parent = target.toAbsolutePath().getParent();
    if (parent == null) {
      throw new NotSavedException(target + " is no file");
    }
    Files.createDirectories(root);
    Path realRoot = root.toRealPath();
    if (!nearestThatExists(parent).toRealPath().startsWith(realRoot)
        || !Files.createDirectories(parent).toRealPath().startsWith(realRoot)) {
      throw new NotSavedException(
          "'" + path + "' would be outside of " + root + ", because of a link there");
    }
    return parent.toRealPath();
  }

  private static Path nearestThatExists(Path path) {
    Path parent = path.getParent();
    return parent == null || Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? path
        : nearestThatExists(parent);
  }

  private void requireFree(Path file) throws NotSavedException {
    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new NotSavedException(file + " is a folder");
    }
    if (!overwrites && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw exists(file);
    }
  }

  private void move(Path part, Path file) throws NotSavedException, IOException {
    try {
      if (overwrites) {
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      } else {
        Files.move(part, file);
      }
    } catch (FileAlreadyExistsException e) {
      throw exists(file);
    }
  }

  private static NotSavedException exists(Path file) {
    return new NotSavedException(file + " exists; --force replaces it");
  }
}
