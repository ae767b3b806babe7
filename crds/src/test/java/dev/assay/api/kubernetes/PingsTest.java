package dev.assay.api.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PingsTest {
  private static final Duration MAX_SILENCE = Duration.ofSeconds(30);

  private final AtomicLong now = new AtomicLong();
  private final List<Runnable> looks = new ArrayList<>();
  private final List<Throwable> errors = new ArrayList<>();
  private final FakeWebSocket socket = new FakeWebSocket();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable look, long initialDelay, long delay, TimeUnit unit) {
          looks.add(look);
          return super.scheduleWithFixedDelay(() -> {}, 1, 1, TimeUnit.DAYS);
        }
      };
  private final Pings pings = new Pings(timer, now::get, Duration.ofSeconds(10), MAX_SILENCE);
  private final WebSocket.Listener listener =
      pings.watching(
          new WebSocket.Listener() {
            @Override
            public void onError(WebSocket webSocket, Throwable error) {
              errors.add(error);
            }
          });

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  @Test
  void aWatchThatAnswersLives() {
    listener.onOpen(socket);
    for (int i = 0; i < 10; i++) {
      advance(MAX_SILENCE);
      look();
      listener.onPong(socket, ByteBuffer.allocate(0));
    }
    assertThat(socket.pings).isEqualTo(10);
    assertThat(errors).isEmpty();
  }

  @Test
  void aWatchThatIsSilentEndsOnce() {
    listener.onOpen(socket);
    listener.onPong(socket, ByteBuffer.allocate(0));
    advance(MAX_SILENCE.plusNanos(1));
    look();
    look();
    assertThat(socket.aborted).isTrue();
    assertThat(errors).singleElement().asString().contains("30 s");
  }

  @Test
  void eventsAreAnswersToo() {
    listener.onOpen(socket);
    listener.onPong(socket, ByteBuffer.allocate(0));
    advance(MAX_SILENCE);
    listener.onText(socket, "{}", true);
    advance(MAX_SILENCE);
    look();
    assertThat(errors).isEmpty();
  }

  @Test
  void aServerThatAnswersNoPingsIsNotJudgedByThem() {
    listener.onOpen(socket);
    advance(MAX_SILENCE.multipliedBy(10));
    look();
    assertThat(errors).isEmpty();
  }

  @Test
  void aWatchThatHasEndedIsNotPinged() {
    listener.onOpen(socket);
    socket.aborted = true;
    look();
    assertThat(socket.pings).isZero();
  }

  private void advance(Duration by) {
    now.addAndGet(by.toNanos());
  }

  private void look() {
    looks.forEach(Runnable::run);
  }

  private static final class FakeWebSocket implements WebSocket {
    int pings;
    boolean aborted;

    @Override
    public CompletableFuture<WebSocket> sendText(CharSequence data, boolean last) {
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public CompletableFuture<WebSocket> sendBinary(ByteBuffer data, boolean last) {
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public CompletableFuture<WebSocket> sendPing(ByteBuffer message) {
      pings++;
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public CompletableFuture<WebSocket> sendPong(ByteBuffer message) {
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public CompletableFuture<WebSocket> sendClose(int statusCode, String reason) {
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public void request(long n) {}

    @Override
    public @Nullable String getSubprotocol() {
      return "";
    }

    @Override
    public boolean isOutputClosed() {
      return aborted;
    }

    @Override
    public boolean isInputClosed() {
      return aborted;
    }

    @Override
    public void abort() {
      aborted = true;
    }
  }
}
