package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.run.OutputStore;
import dev.assay.operator.output.FileOutputStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalOutputsTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @TempDir private Path folder;

  @Test
  void definitionsOfToolsAreThoseThatTheOperatorHasStored() throws IOException {
    FileOutputStore stored = new FileOutputStore(folder);
    stored.putDefinitions("local", Map.of(DIGEST, "{}".getBytes(UTF_8)));
    LocalOutputs outputs = new LocalOutputs(stored);

    assertThat(outputs.readDefinition("local", DIGEST))
        .isInstanceOfSatisfying(
            OutputStore.Bytes.class, read -> assertThat(read.bytes()).asString().isEqualTo("{}"));
    assertThat(outputs.readDefinition("local", "f".repeat(64)))
        .isInstanceOf(OutputStore.Absent.class);
  }

  @Test
  void recordsOfCallsAreThoseThatTheOperatorHasStored() throws IOException {
    FileOutputStore stored = new FileOutputStore(folder);
    for (int call = 1; call <= 3; call++) {
      stored.appendCalls(
          "local",
          "0a",
          """
          {"type": "end", "call": %1$d, "group": %1$d, "subject": {"server": "crm", "tool": "find", \
          "digest": "d", "argumentBytes": 2, "argumentSha256": "a"}, "code": "ACCESS_DENIED", \
          "sent": "no", "resultBytes": 2, "resultSha256": "r", "at": "2026-01-02T03:04:05Z"}
          """
              .formatted(call)
              .getBytes(UTF_8),
          false);
    }
    LocalOutputs outputs = new LocalOutputs(stored);

    assertThat(outputs.readCalls("local", "0a", 1, 1))
        .isInstanceOfSatisfying(
            OutputStore.Calls.class,
            calls -> {
              assertThat(calls.hasMore()).isTrue();
              assertThat(calls.records())
                  .singleElement()
                  .satisfies(
                      record -> {
                        assertThat(record.call()).isEqualTo(2);
                        assertThat(record.outcome()).isEqualTo("ACCESS_DENIED");
                        assertThat(record.sent()).isEqualTo("no");
                      });
            });
    assertThat(outputs.readCalls("local", "0b", 0, 1)).isInstanceOf(OutputStore.Absent.class);
  }
}
