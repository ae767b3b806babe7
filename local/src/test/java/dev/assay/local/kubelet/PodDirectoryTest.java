package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodDirectoryTest {
  private static final Pod POD =
      new PodBuilder()
          .withNewSpec()
          .addNewVolume()
          .withName("scratch")
          .withNewEmptyDir()
          .endEmptyDir()
          .endVolume()
          .endSpec()
          .build();

  @TempDir private Path node;

  @Test
  void aPodGetsNoFilesOfAnEarlierOneThatHadItsAddress() throws IOException {
    Path own = node.resolve("127-64-0-1");
    Files.createDirectories(own.resolve("volumes/scratch"));
    PodDirectory directory = new PodDirectory(own, (namespace, claim) -> Optional.empty());
    assertThatThrownBy(() -> directory.create(POD)).isInstanceOf(FileAlreadyExistsException.class);
    directory.remove();
    directory.create(POD);
    assertThat(own.resolve("volumes/scratch")).isEmptyDirectory();
  }
}
