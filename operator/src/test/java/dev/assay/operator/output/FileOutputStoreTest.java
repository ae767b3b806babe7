package dev.assay.operator.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileOutputStoreTest extends OutputStoreContract {
  @TempDir private Path directory;

  @Override
  OutputStore open() throws IOException {
    return new FileOutputStore(directory);
  }

  @Override
  OutputStore open(DefinitionLimit definitionLimit) throws IOException {
    return new FileOutputStore(directory, definitionLimit);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"..", ".", "", "../x", "a/b", "A", "a.b", "-a", "a-", "/etc", "a\u0000", "a\n"})
  void nothingLeadsOutOfTheDirectory(String name) throws IOException {
    OutputStore store = open();
    assertThatThrownBy(() -> store.append(name, "run-1", 0, new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.append(NAMESPACE, name, 0, new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.read(NAMESPACE, name, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.finish(NAMESPACE, name, manifest("")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.manifest(name, "run-1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.delete(name, "run-1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.list(name)).isInstanceOf(IllegalArgumentException.class);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aGapIsRefusedAndNothingIsWritten() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    for (String run : new String[] {"run-1", "run-2"}) {
      assertThatThrownBy(() -> append(store, run, 4, "far"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("gap");
    }
    assertThat(read(store, "run-1", 0)).isEqualTo("one");
    assertThat(files()).containsExactly("run-1");
  }

  @Test
  void aPartThatACrashCutShortIsCompletedByItsRepeat() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "tw");
    append(store, "run-1", 3, "two");
    assertThat(read(store, "run-1", 0)).isEqualTo("onetwo");
    assertThatThrownBy(() -> append(store, "run-1", 5, "xy"))
        .isInstanceOf(OutputConflictException.class);
    assertThat(read(store, "run-1", 0)).isEqualTo("onetwo");
  }

  @Test
  void outputOfAnEarlierVersionIsReadAndListedAndContinued() throws IOException {
    Files.createDirectory(directory.resolve(NAMESPACE));
    Files.writeString(file("run-1"), "one");
    OutputStore store = open();
    assertThat(read(store, "run-1", 0)).isEqualTo("one");
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    assertThat(store.list(NAMESPACE)).extracting(OutputEntry::bytes).containsExactly(3L);
    append(store, "run-1", 0, "one");
    append(store, "run-1", 3, "two");
    store.finish(NAMESPACE, "run-1", manifest("onetwo"));
    assertThat(Files.readString(file("run-1"))).isEqualTo("onetwo");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "{\"length\": 3}", "\u0000"})
  void aManifestThatIsMalformedCountsAsNoneAndIsReplaced(String malformed) throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    Files.writeString(file("run-1.manifest.json"), malformed);
    assertThat(store.manifest(NAMESPACE, "run-1")).isEmpty();
    store.finish(NAMESPACE, "run-1", manifest("one"));
    assertThat(store.manifest(NAMESPACE, "run-1")).contains(manifest("one"));
  }

  @Test
  void aManifestIsReadableAndMayHaveFieldsOfALaterVersion() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    Path file = file("run-1.manifest.json");
    assertThat(file)
        .hasContent(
            "{\"length\":3,\"truncated\":false,\"sha256\":\"%s\",\"ended\":\"2026-01-01T00:00:00Z\"}"
                .formatted(manifest("one").sha256()));
    Files.writeString(file, Files.readString(file).replace("{", "{\"artifacts\":[],"));
    assertThat(store.manifest(NAMESPACE, "run-1")).contains(manifest("one"));
  }

  @Test
  void outputIsAsOldAsItsLastPart() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    Instant written = Instant.parse("2026-01-01T00:00:00Z");
    Files.setLastModifiedTime(file("run-1"), FileTime.from(written));
    assertThat(store.list(NAMESPACE))
        .containsExactly(new OutputEntry("run-1", 3, 0, 0, 0, written));
  }

  @Test
  void filesThatAreNotOutputAreLeftAlone() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    Files.writeString(file(".nfs000123"), "y");
    assertThat(store.list(NAMESPACE)).extracting(OutputEntry::runUid).containsExactly("run-1");
    assertThat(files()).contains(".nfs000123");
  }

  @Test
  void whatACrashLeftBehindIsRemoved() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    store.finish(NAMESPACE, "run-1", manifest("one"));
    Files.writeString(file("run-1.0b6c.tmp"), "{");
    Files.writeString(file("run-2.manifest.json"), "{");
    assertThat(store.list(NAMESPACE))
        .extracting(OutputEntry::runUid)
        .as("a manifest without output is removed with its run")
        .containsExactlyInAnyOrder("run-1", "run-2");
    store.delete(NAMESPACE, "run-2");
    assertThat(files()).containsExactlyInAnyOrder("run-1", "run-1.manifest.json");
  }

  @Test
  void aManifestThatCannotBeWrittenLeavesNothingBehind() throws IOException {
    OutputStore store = open();
    append(store, "run-1", 0, "one");
    Files.createDirectory(file("run-1.manifest.json"));
    Files.createFile(file("run-1.manifest.json").resolve("x"));
    assertThatThrownBy(() -> store.finish(NAMESPACE, "run-1", manifest("one")))
        .isInstanceOf(IOException.class);
    assertThat(files()).containsExactlyInAnyOrder("run-1", "run-1.manifest.json");
  }

  @Test
  void whatACrashLeftOfArtifactsIsRemoved() throws IOException {
    OutputStore store = open();
    put(store, "run-1", "first");
    Files.writeString(file("run-2.files.0b6c.tmp"), "half");
    assertThat(store.list(NAMESPACE)).extracting(OutputEntry::runUid).containsExactly("run-1");
    assertThat(files()).containsExactly("run-1.files");
    store.delete(NAMESPACE, "run-1");
    assertThat(files()).isEmpty();
  }

  @Test
  void artifactsThatAreNotFinishedLeaveNothingBehind() throws IOException {
    OutputStore store = open();
    try (ArtifactWriter writer = store.writeArtifacts(NAMESPACE, "run-1")) {
      writer.add("a", 1, new ByteArrayInputStream(new byte[1]));
      assertThat(store.list(NAMESPACE)).isEmpty();
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void damagedArtifactsAreNotServed() throws IOException {
    OutputStore store = open();
    put(store, "run-1", "first");
    byte[] whole = Files.readAllBytes(file("run-1.files"));
    for (int length : new int[] {0, 7, whole.length - 1}) {
      Files.write(file("run-1.files"), Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> store.artifacts(NAMESPACE, "run-1")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> store.artifact(NAMESPACE, "run-1", 1, 0, 1))
          .isInstanceOf(IOException.class);
    }
    Files.write(file("run-1.files"), Arrays.copyOfRange(whole, 1, whole.length));
    assertThatThrownBy(() -> store.artifacts(NAMESPACE, "run-1"))
        .hasMessageContaining("not as long as their list says");
  }

  @Test
  void theRoomIsThatOfTheVolume() throws IOException {
    OutputSpace space = open().space();
    assertThat(space.totalBytes()).isEqualTo(Files.getFileStore(directory).getTotalSpace());
    assertThat(space.usableBytes()).isBetween(0L, space.totalBytes());
  }

  private Path file(String name) {
    return directory.resolve(NAMESPACE).resolve(name);
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(directory.resolve(NAMESPACE))) {
      return files.map(file -> Objects.requireNonNull(file.getFileName()).toString()).toList();
    }
  }
}
