package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class TreeRemovalTest {
  private static final int DEPTH = 10_000;

  @TempDir private Path directory;

  @Test
  void directoriesThatNoPathLeadsToAreRemoved() throws IOException {
    Path top = Files.createDirectory(directory.resolve("pod"));
    // From the inside out, since a path of the whole depth is too long for the kernel.
    Path inner = Files.createDirectory(directory.resolve("0"));
    Files.createFile(inner.resolve("file"));
    for (int depth = 1; depth < DEPTH; depth++) {
      Path outer = Files.createDirectory(directory.resolve(Integer.toString(depth)));
      Files.move(inner, outer.resolve("d"), StandardCopyOption.ATOMIC_MOVE);
      inner = outer;
    }
    Files.move(inner, top.resolve("d"), StandardCopyOption.ATOMIC_MOVE);
    TreeRemoval removal = new TreeRemoval(top);
    removal.run();
    assertThat(directory).isEmptyDirectory();
    assertThat(removal.moved()).as("only one in 64").isLessThanOrEqualTo(DEPTH / 64);
  }

  @Test
  void longNamesAreRemovedAtAnyDepth() throws IOException {
    Path top = Files.createDirectory(directory.resolve("pod"));
    String name = "\u20ac".repeat(85);
    Path inner = Files.createDirectory(directory.resolve("0"));
    for (int depth = 1; depth < 40; depth++) {
      Path outer = Files.createDirectory(directory.resolve(Integer.toString(depth)));
      Files.move(inner, outer.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      inner = outer;
    }
    Files.move(inner, top.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    TreeRemoval.remove(top);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void directoriesThatAreNotDeepAreDeletedWhereTheyAre() throws IOException {
    Path top = Files.createDirectory(directory.resolve("pod"));
    for (int number = 0; number < 1000; number++) {
      Path inner = Files.createDirectories(top.resolve("volumes/a/d" + number + "/b/c"));
      Files.createFile(inner.resolve("file"));
    }
    TreeRemoval removal = new TreeRemoval(top);
    removal.run();
    assertThat(directory).isEmptyDirectory();
    assertThat(removal.moved()).as("a move takes room, which a full disk has not").isZero();
  }

  @Test
  void whatAnEarlierRemovalHasMovedIsRemoved() throws IOException {
    Path top = Files.createDirectory(directory.resolve("pod"));
    Files.createDirectories(top.resolve(".removed-0/" + "d/".repeat(100)));
    TreeRemoval.remove(top);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void linksAreRemovedAndNotFollowed() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.createFile(other.resolve("file"));
    Path inner = Files.createDirectories(directory.resolve("pod/volumes/a"));
    Files.createSymbolicLink(inner.resolve("link"), other);
    Files.createSymbolicLink(inner.resolve("broken"), directory.resolve("none"));
    TreeRemoval.remove(directory.resolve("pod"));
    assertThat(directory.resolve("pod")).doesNotExist();
    assertThat(other.resolve("file")).exists();
  }

  @Test
  void directoriesWithoutRightsAreRemoved() throws IOException {
    Path closed = Files.createDirectories(directory.resolve("pod/volumes/a/closed/below"));
    Files.createFile(closed.resolve("file"));
    for (Path path : new Path[] {closed, closed.getParent()}) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("---------"));
    }
    TreeRemoval.remove(directory.resolve("pod"));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void whatDoesNotExistIsNotFound() {
    assertThatThrownBy(() -> TreeRemoval.remove(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
