package dev.assay.operator.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
  @TempDir private Path directory;
  private Path file;
  private TokenFile token;

  @BeforeEach
  void create() {
    file = directory.resolve("token");
    token = new TokenFile(file, nanos::get);
  }

  @Test
  void aTokenThatIsReplacedIsUsedSecondsLater() throws Exception {
    Files.writeString(file, "first\n");
    assertThat(token.read()).isEqualTo("first");
    Files.writeString(file, "second\n");
    nanos.addAndGet(TokenFile.MAX_AGE.toNanos() - 1);
    assertThat(token.read()).isEqualTo("first");
    nanos.incrementAndGet();
    assertThat(token.read()).isEqualTo("second");
  }

  @Test
  void aFileThatIsMissingIsReadAgainAtOnce() throws Exception {
    assertThatThrownBy(token::read).isInstanceOf(NoSuchFileException.class);
    Files.writeString(file, "first");
    assertThat(token.read()).isEqualTo("first");
  }
}
