package dev.assay.operator.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArtifactFileTest {
  private static final List<ArtifactFile.Link> WITHOUT_LINKS =
      List.of(
          (name, existing) -> {
            throw new UnsupportedOperationException();
          },
          (name, existing) -> {
            throw new FileSystemException("", "", "Operation not permitted");
          });

  @TempDir private Path directory;

  @Test
  void whatAnotherWriterFinishesJustBeforeTheFileGetsItsNameStays() throws IOException {
    ArtifactFile.Link afterAnother =
        (name, existing) -> {
          store("other", Files::createLink);
          Files.createLink(name, existing);
        };
    assertThat(store("own", afterAnother)).isEqualTo("other");
    assertThat(stored()).isEqualTo("other");
    assertThat(directory.toFile().list()).containsExactly("run-1.files");
  }

  @Test
  void artifactsAreStoredOnceWhereThereAreNoLinks() throws IOException {
    for (ArtifactFile.Link link : WITHOUT_LINKS) {
      assertThat(store("first", link)).isEqualTo("first");
      assertThat(store("second", link)).isEqualTo("first");
      assertThat(stored()).isEqualTo("first");
      Files.delete(directory.resolve("run-1.files"));
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aListOfANewerVersionIsReadWithoutWhatIsNotKnown() throws IOException {
    assertThat(store("first", Files::createLink)).isEqualTo("first");
    Path file = directory.resolve("run-1.files");
    ByteBuffer stored = ByteBuffer.wrap(Files.readAllBytes(file));
    int length = (int) stored.getLong(stored.limit() - Long.BYTES);
    int begin = stored.limit() - Long.BYTES - length;
    String list = new String(stored.array(), begin, length, UTF_8);
    byte[] newer = list.replace("{\"path\"", "{\"new\":1,\"path\"").getBytes(UTF_8);
    Files.write(
        file,
        ByteBuffer.allocate(begin + newer.length + Long.BYTES)
            .put(stored.array(), 0, begin)
            .put(newer)
            .putLong(newer.length)
            .array());

    assertThat(newer.length).isGreaterThan(length);
    assertThat(stored()).isEqualTo("first");
  }

  /** Returns the path of what is stored afterwards. */
  private String store(String path, ArtifactFile.Link link) throws IOException {
    Path file = directory.resolve("run-1.files");
    Path temporary = directory.resolve(path + ".tmp");
    try (ArtifactWriter writer = new ArtifactFile(file, temporary, link).write()) {
      byte[] bytes = path.getBytes(UTF_8);
      writer.add(path, bytes.length, new ByteArrayInputStream(bytes));
      return writer.finish(null).artifacts().getFirst().path();
    }
  }

  private String stored() throws IOException {
    ArtifactFile file =
        new ArtifactFile(directory.resolve("run-1.files"), directory.resolve("unused"));
    return new String(
        file.open(1, 0, Long.MAX_VALUE).orElseThrow().content().readAllBytes(), UTF_8);
  }
}
