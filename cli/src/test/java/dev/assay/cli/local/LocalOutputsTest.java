package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.run.OutputStore;
import dev.assay.operator.output.FileOutputStore;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalOutputsTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @TempDir private Path folder;

  @Test
  void definitionsOfToolsAreThoseThatTheOperatorHasStored() throws IOException {
    FileOutputStore stored = new FileOutputStore(folder);
    stored.putDefinition("local", DIGEST, "{}".getBytes(UTF_8));
    LocalOutputs outputs = new LocalOutputs(stored);

    assertThat(outputs.readDefinition("local", DIGEST))
        .isInstanceOfSatisfying(
            OutputStore.Bytes.class, read -> assertThat(read.bytes()).asString().isEqualTo("{}"));
    assertThat(outputs.readDefinition("local", "f".repeat(64)))
        .isInstanceOf(OutputStore.Absent.class);
  }
}
