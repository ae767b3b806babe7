package dev.assay.operator.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileOutputStoreTest {
  private static final String NAMESPACE = "team-a";
  @TempDir private Path directory;

  @Test
  void outputIsKeptInItsOrder() throws IOException {
    OutputStore store = store(10, 1000);
    append(store, "run-1", 0, "hello ");
    append(store, "run-1", 6, "world");
    assertThat(read(store, "run-1", 0)).isEqualTo("hello world");
    assertThat(store.size(NAMESPACE, "run-1")).isEqualTo(11);
  }

  @Test
  void whatComesAgainChangesNothing() throws IOException {
    OutputStore store = store(10, 1000);
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "two");
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "two");
    assertThat(read(store, "run-1", 0)).isEqualTo("onetwo");
  }

  @Test
  void aGapIsRefusedAndNothingIsWritten() throws IOException {
    OutputStore store = store(10, 1000);
    append(store, "run-1", 0, "one");
    assertThatThrownBy(() -> append(store, "run-1", 4, "far"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("gap");
    assertThatThrownBy(() -> append(store, "run-2", 1, "far")).isInstanceOf(IOException.class);
    assertThat(read(store, "run-1", 0)).isEqualTo("one");
    assertThat(store.size(NAMESPACE, "run-2")).isZero();
  }

  @Test
  void aStoreThatIsOpenedAgainGoesOn() throws IOException {
    append(store(10, 1000), "run-1", 0, "one");
    OutputStore again = store(10, 1000);
    append(again, "run-1", 3, "two");
    assertThat(read(again, "run-1", 0)).isEqualTo("onetwo");
  }

  @Test
  void readingBeginsAtAnOffsetAndIsEmptyPastTheEnd() throws IOException {
    OutputStore store = store(10, 1000);
    append(store, "run-1", 0, "hello");
    assertThat(read(store, "run-1", 3)).isEqualTo("lo");
    assertThat(read(store, "run-1", 5)).isEmpty();
    assertThat(read(store, "run-1", 5000)).isEmpty();
  }

  @Test
  void anUnknownRunHasNoOutput() throws IOException {
    OutputStore store = store(10, 1000);
    assertThat(store.read(NAMESPACE, "run-1", 0)).isEmpty();
    assertThat(store.size(NAMESPACE, "run-1")).isZero();
  }

  @Test
  void aForgottenRunIsGoneAndMayBeForgottenAgain() throws IOException {
    OutputStore store = store(10, 1000);
    append(store, "run-1", 0, "hello");
    store.delete(NAMESPACE, "run-1");
    store.delete(NAMESPACE, "run-1");
    assertThat(store.read(NAMESPACE, "run-1", 0)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"..", ".", "", "../x", "a/b", "A", "a.b", "-a", "a-", "/etc", "a\u0000", "a\n"})
  void nothingLeadsOutOfTheDirectory(String name) throws IOException {
    OutputStore store = store(10, 1000);
    assertThatThrownBy(() -> store.append(name, "run-1", 0, new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.append(NAMESPACE, name, 0, new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.read(NAMESPACE, name, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.delete(name, "run-1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theOldestRunsGoWhenThereAreTooMany() throws IOException {
    OutputStore store = store(2, 1_000_000);
    for (int i = 1; i <= 4; i++) {
      append(store, "run-" + i, 0, "x");
      store.complete(NAMESPACE, "run-" + i);
      old("run-" + i, i);
    }
    assertThat(kept()).as("storing waits for no removal").hasSize(4);
    store.prune(NAMESPACE);
    assertThat(kept()).containsExactlyInAnyOrder("run-3", "run-4");
  }

  @Test
  void theOldestRunsGoWhenTheyTakeTooMuch() throws IOException {
    OutputStore store = store(100, 10);
    append(store, "run-1", 0, "x".repeat(6));
    store.complete(NAMESPACE, "run-1");
    old("run-1", 1);
    append(store, "run-2", 0, "x".repeat(4));
    store.complete(NAMESPACE, "run-2");
    old("run-2", 2);
    store.prune(NAMESPACE);
    assertThat(kept()).containsExactlyInAnyOrder("run-1", "run-2");
    append(store, "run-3", 0, "x");
    store.prune(NAMESPACE);
    assertThat(kept()).containsExactlyInAnyOrder("run-2", "run-3");
  }

  @Test
  void oneNamespaceDoesNotPushOutAnother() throws IOException {
    OutputStore store = store(1, 1_000_000);
    append(store, "run-1", 0, "mine");
    store.append("team-b", "run-2", 0, "theirs".getBytes(UTF_8));
    store.append("team-b", "run-3", 0, "theirs".getBytes(UTF_8));
    store.prune("team-b");
    store.prune(NAMESPACE);
    assertThat(read(store, "run-1", 0)).isEqualTo("mine");
  }

  @Test
  void aNamespaceThatNothingWasStoredInSinceIsNotReadAgain() throws IOException {
    OutputStore store = store(1, 1_000_000);
    append(store, "run-1", 0, "x");
    store.complete(NAMESPACE, "run-1");
    store.prune(NAMESPACE);
    Files.writeString(directory.resolve(NAMESPACE).resolve("not-of-this-process"), "x");
    store.prune(NAMESPACE);
    assertThat(kept()).hasSize(2);
    append(store, "run-2", 0, "x");
    store.complete(NAMESPACE, "run-2");
    store.prune(NAMESPACE);
    assertThat(kept()).hasSize(1);
  }

  @Test
  void whatAnEarlierOperatorStoredIsPrunedToo() throws IOException {
    append(store(1, 1000), "run-1", 0, "x");
    append(store(1, 1000), "run-2", 0, "x");
    store(1, 1000).prune(NAMESPACE);
    assertThat(kept()).hasSize(1);
  }

  @Test
  void theRunsThatHaveWrittenAreTold() throws IOException {
    OutputStore store = store(10, 1000);
    assertThat(store.storedRuns(NAMESPACE)).isEmpty();
    store.prune(NAMESPACE);
    append(store, "run-1", 0, "x");
    append(store, "run-2", 0, "x");
    store.complete(NAMESPACE, "run-1");
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("run-1");
    assertThat(store(10, 1000).storedRuns(NAMESPACE)).containsExactlyInAnyOrder("run-1", "run-2");
  }

  @Test
  void filesThatAreNotOutputAreLeftAlone() throws IOException {
    OutputStore store = store(10, 1000);
    append(store, "run-1", 0, "x");
    store.complete(NAMESPACE, "run-1");
    Files.writeString(directory.resolve(NAMESPACE).resolve(".nfs000123"), "y");
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("run-1");
  }

  private OutputStore store(int maxRuns, long maxBytes) throws IOException {
    return new FileOutputStore(new OutputStoreConfig(directory.toString(), maxRuns, maxBytes));
  }

  private static void append(OutputStore store, String run, long offset, String text)
      throws IOException {
    store.append(NAMESPACE, run, offset, text.getBytes(UTF_8));
  }

  private static String read(OutputStore store, String run, long offset) throws IOException {
    try (InputStream output = store.read(NAMESPACE, run, offset).orElseThrow()) {
      return new String(output.readAllBytes(), UTF_8);
    }
  }

  /** Sets ages, because the timestamps of two writes may be equal. */
  private void old(String run, int second) throws IOException {
    Files.setLastModifiedTime(
        directory.resolve(NAMESPACE).resolve(run), FileTime.fromMillis(second * 1000L));
  }

  private java.util.List<String> kept() throws IOException {
    try (var files = Files.list(directory.resolve(NAMESPACE))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void aRunThatStillWritesIsNotPushedOut() throws IOException {
    OutputStore store = store(1, 1_000_000);
    append(store, "run-1", 0, "one");
    old("run-1", 1);
    append(store, "run-2", 0, "x");
    store.prune(NAMESPACE);
    append(store, "run-1", 3, "two");
    assertThat(read(store, "run-1", 0)).isEqualTo("onetwo");
  }
}
