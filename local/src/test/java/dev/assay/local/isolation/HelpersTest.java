package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HelpersTest {
  @Test
  void everyFileOfTheHelperIsTakenAlong() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/python/assay_container"))) {
      assertThat(
              files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".py")))
          .containsExactlyInAnyOrderElementsOf(Helpers.FILES);
    }
  }
}
