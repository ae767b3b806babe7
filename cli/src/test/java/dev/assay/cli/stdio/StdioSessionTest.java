package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.stdio.StdioSession.EndedException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class StdioSessionTest {
  private static final RpcMessage REQUEST =
      RpcMessage.read("{\"id\":1,\"method\":\"echo\"}".getBytes(UTF_8)).orElseThrow();

  @Test
  void aReplyThatThereIsNoMemoryForEndsTheSession() throws Exception {
    CompletableFuture<String> reported = new CompletableFuture<>();
    Process program = new ProcessBuilder("cat").start();
    OutputWithoutMemory process = new OutputWithoutMemory(program);
    StdioSession session = StdioSession.of("test", process, reported::complete);
    CompletableFuture<Optional<RpcMessage>> reply = session.ask(REQUEST);
    assertThat(session.isAlive()).isTrue();

    process.asked.countDown();
    String why = "its standard output cannot be read";
    assertThatThrownBy(reply::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(EndedException.class)
        .hasMessageContaining(why);
    assertThat(reported.get()).isEqualTo("it has ended (" + why + ")");
    assertThat(session.isAlive()).isFalse();
    assertThat(program.waitFor()).isZero();
  }

  /** A program with a line for which the JVM has no room, as soon as it is asked. */
  private static final class OutputWithoutMemory extends Process {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final Process program;

    OutputWithoutMemory(Process program) {
      this.program = program;
    }

    @Override
    public InputStream getInputStream() {
      return new InputStream() {
        @Override
        public int read() {
          try {
            asked.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          throw new OutOfMemoryError("as the test wants it");
        }
      };
    }

    @Override
    public OutputStream getOutputStream() {
      return program.getOutputStream();
    }

    @Override
    public InputStream getErrorStream() {
      return program.getErrorStream();
    }

    @Override
    public ProcessHandle toHandle() {
      return program.toHandle();
    }

    @Override
    public Stream<ProcessHandle> descendants() {
      return program.descendants();
    }

    @Override
    public int waitFor() throws InterruptedException {
      return program.waitFor();
    }

    @Override
    public int exitValue() {
      return program.exitValue();
    }

    @Override
    public void destroy() {
      program.destroy();
    }
  }
}
