package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.stdio.StdioSession.DuplicateIdException;
import dev.assay.cli.stdio.StdioSession.EndedException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
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

  @Test
  void aRequestWithAnIdThatIsInUseIsRefusedAndTheFirstGetsItsReply() throws Exception {
    // Says what it is told: a request is no reply to one, and a response is.
    Process program = new ProcessBuilder("cat").start();
    try (StdioSession session = StdioSession.of("test", program, why -> {})) {
      CompletableFuture<Optional<RpcMessage>> first = session.ask(REQUEST);
      assertThatThrownBy(() -> session.ask(REQUEST))
          .isInstanceOf(DuplicateIdException.class)
          .hasMessage("A request with the id 1 is in progress in this session");

      session.tell(RpcMessage.read("{\"id\":1,\"result\":{}}".getBytes(UTF_8)).orElseThrow());
      assertThat(first.get()).isPresent();
      assertThat(session.ask(REQUEST)).isNotDone();
    }
  }

  @Tag("slow")
  @Test
  void aProgramThatHadToBeKilledHasEndedOnceItsSessionIsClosed() throws Exception {
    FakeHandle program = new FakeHandle(false);
    StdioSession session = StdioSession.of("test", new FakeProcess(program), why -> {});

    session.close();
    assertThat(program.exit).isCompleted();
  }

  @Tag("slow")
  @Test
  void whatAProgramStartsWhileItIsBeingEndedIsEndedToo() throws Exception {
    FakeHandle program = new FakeHandle(true);
    FakeHandle late = new FakeHandle(false);
    FakeProcess process = new FakeProcess(program);
    process.startedAtTheEndOfInput = List.of(late);
    StdioSession session = StdioSession.of("test", process, why -> {});

    session.close();
    assertThat(program.exit).isCompleted();
    assertThat(late.exit).isCompleted();
  }

  /** A process that does not end with its input. */
  private static final class FakeHandle implements ProcessHandle {
    private static final long MILLIS_TO_END = 300;

    private final boolean endsBySignal;
    private final CompletableFuture<ProcessHandle> exit = new CompletableFuture<>();
    private volatile List<ProcessHandle> started = List.of();

    /**
     * A process.
     *
     * @param endsBySignal whether it needs not be killed
     */
    FakeHandle(boolean endsBySignal) {
      this.endsBySignal = endsBySignal;
    }

    @Override
    public boolean destroy() {
      if (endsBySignal) {
        exit.complete(this);
      }
      return true;
    }

    @Override
    public boolean destroyForcibly() {
      var unused = exit.completeOnTimeout(this, MILLIS_TO_END, TimeUnit.MILLISECONDS);
      return true;
    }

    @Override
    public CompletableFuture<ProcessHandle> onExit() {
      return exit;
    }

    @Override
    public boolean isAlive() {
      return !exit.isDone();
    }

    @Override
    public Stream<ProcessHandle> descendants() {
      return started.stream();
    }

    @Override
    public Stream<ProcessHandle> children() {
      return descendants();
    }

    @Override
    public Optional<ProcessHandle> parent() {
      return Optional.empty();
    }

    @Override
    public boolean supportsNormalTermination() {
      return true;
    }

    @Override
    public Info info() {
      return ProcessHandle.current().info();
    }

    @Override
    public long pid() {
      return 0;
    }

    @Override
    public int compareTo(ProcessHandle other) {
      return Integer.compare(System.identityHashCode(this), System.identityHashCode(other));
    }
  }

  /** A program with what its tests change; the rest is that of a process. */
  private static class ChangedProcess extends Process {
    private final Process program;

    ChangedProcess(Process program) {
      this.program = program;
    }

    @Override
    public OutputStream getOutputStream() {
      return program.getOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return program.getInputStream();
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

  /** A program whose process is another one than that of its streams. */
  private static final class FakeProcess extends ChangedProcess {
    private final FakeHandle handle;
    private volatile List<ProcessHandle> startedAtTheEndOfInput = List.of();

    FakeProcess(FakeHandle handle) throws IOException {
      super(new ProcessBuilder("cat").start());
      this.handle = handle;
    }

    @Override
    public OutputStream getOutputStream() {
      return new FilterOutputStream(super.getOutputStream()) {
        @Override
        public void close() throws IOException {
          handle.started = startedAtTheEndOfInput;
          super.close();
        }
      };
    }

    @Override
    public ProcessHandle toHandle() {
      return handle;
    }
  }

  /** A program with a line for which the JVM has no room, as soon as it is asked. */
  private static final class OutputWithoutMemory extends ChangedProcess {
    private final CountDownLatch asked = new CountDownLatch(1);

    OutputWithoutMemory(Process program) {
      super(program);
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
  }
}
