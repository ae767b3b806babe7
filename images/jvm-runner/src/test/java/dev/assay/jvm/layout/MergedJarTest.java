package dev.assay.jvm.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergedJarTest {
  @TempDir private Path directory;

  @Test
  void theSameSourcesGiveTheSameBytes() throws Exception {
    Path classes = Files.createDirectories(directory.resolve("classes"));
    Files.writeString(classes.resolve("A.class"), "a");
    Path target = directory.resolve("merged.jar");
    MergedJar.write(target, "dev.assay.Main", List.of(classes));

    try (JarFile jar = new JarFile(target.toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
          .isEqualTo("dev.assay.Main");
      assertThat(jar.stream().map(ZipEntry::getName))
          .containsExactly(JarFile.MANIFEST_NAME, "A.class");
      assertThat(jar.stream().map(ZipEntry::getTime).distinct()).hasSize(1);
    }
  }
}
