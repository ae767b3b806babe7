package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArtifactFolderTest {
  @TempDir private Path temporary;
  private Path root = Path.of("");

  @BeforeEach
  void choose() {
    root = temporary.resolve("out");
  }

  private Path save(boolean force, String path, String text)
      throws ArtifactFolder.NotSavedException, IOException, InterruptedException {
    return new ArtifactFolder(root, force)
        .<RuntimeException>save(path, out -> out.write(text.getBytes()));
  }

  @Test
  void aFileIsSavedUnderItsPath() throws Exception {
    Path saved = save(false, "reports/2024/a b.txt", "x");

    assertThat(saved).isEqualTo(root.toRealPath().resolve("reports/2024/a b.txt")).hasContent("x");
    assertThat(saved.getParent()).isDirectoryContaining("glob:**/a b.txt");
    try (var files = Files.list(saved.getParent())) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void aNameThatOnlyResemblesOneOfGitIsSaved() throws Exception {
    assertThat(save(false, "data.git/head.csv", "x")).hasContent("x");
    assertThat(save(false, ".gitignore", "x")).hasContent("x");
  }

  @Test
  void aFileThatExistsIsKeptUnlessForced() throws Exception {
    save(false, "a.txt", "old");

    assertThatThrownBy(() -> save(false, "a.txt", "new"))
        .isInstanceOf(ArtifactFolder.NotSavedException.class)
        .hasMessageContaining("exists; --force replaces it");
    assertThat(root.resolve("a.txt")).hasContent("old");
    assertThat(save(true, "a.txt", "new")).hasContent("new");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../a",
        "a/../../b",
        "/etc/passwd",
        "a//b",
        "./a",
        "a/",
        "a\\b",
        "a\u001b[2J",
        "a\nb",
        "a\u0000b",
        ".git/config",
        "a/.GIT/hooks/post-checkout",
        ".g\u200cit/config",
        "git~1/config",
        ".git./config",
        "repository/HEAD",
        ""
      })
  void aNameThatIsNoneIsRefused(String path) {
    assertThatThrownBy(() -> save(true, path, "x"))
        .isInstanceOf(ArtifactFolder.NotSavedException.class)
        .hasMessageContaining("cannot be that of a file here");
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void aLinkThatLeadsOutOfTheFolderIsNotFollowed() throws Exception {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    Files.createDirectory(root);
    Files.createSymbolicLink(root.resolve("reports"), outside);

    assertThatThrownBy(() -> save(true, "reports/a.txt", "x"))
        .isInstanceOf(ArtifactFolder.NotSavedException.class)
        .hasMessageContaining("outside of");
    assertThatThrownBy(() -> save(true, "reports/deep/a.txt", "x"))
        .isInstanceOf(ArtifactFolder.NotSavedException.class);
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void aLinkInThePlaceOfAFileIsReplacedAndNotFollowed() throws Exception {
    Path secret = Files.writeString(temporary.resolve("secret"), "mine");
    Files.createDirectory(root);
    Files.createSymbolicLink(root.resolve("a.txt"), secret);

    assertThatThrownBy(() -> save(false, "a.txt", "x"))
        .isInstanceOf(ArtifactFolder.NotSavedException.class);
    save(true, "a.txt", "x");

    assertThat(secret).hasContent("mine");
    assertThat(root.resolve("a.txt")).hasContent("x").isRegularFile();
    assertThat(Files.isSymbolicLink(root.resolve("a.txt"))).isFalse();
  }

  @Test
  void aFolderIsNeverReplaced() throws Exception {
    save(false, "a/b.txt", "x");

    assertThatThrownBy(() -> save(true, "a", "y"))
        .isInstanceOf(ArtifactFolder.NotSavedException.class)
        .hasMessageContaining("is a folder");
  }

  @Test
  void whatCouldNotBeWrittenLeavesNothing() {
    ArtifactFolder folder = new ArtifactFolder(root, false);

    assertThatThrownBy(
            () ->
                folder.<RuntimeException>save(
                    "a.txt",
                    out -> {
                      out.write(1);
                      throw new IOException("broke");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(root).isEmptyDirectory();
  }
}
