package dev.assay.api.kubernetes;

import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One WebSocket that is pinged. Silence is reported to its listener as an error. */
final class PingedListener implements WebSocket.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(PingedListener.class);

  private final WebSocket.Listener listener;
  private final Pings pings;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile long heardAt;
  private volatile @Nullable Future<?> checks;

  PingedListener(WebSocket.Listener listener, Pings pings) {
    this.listener = listener;
    this.pings = pings;
  }

  @Override
  public void onOpen(WebSocket webSocket) {
    heardAt = pings.now();
    checks = pings.repeat(() -> check(webSocket));
    listener.onOpen(webSocket);
  }

  private void check(WebSocket webSocket) {
    if (webSocket.isInputClosed()) {
      end();
    } else if (!pings.isDead(heardAt)) {
      // A ping that cannot be sent gets no pong either.
      var unused = webSocket.sendPing(ByteBuffer.allocate(0));
    } else if (end()) {
      String silence = "A watch received nothing for " + pings.maxSilence().toSeconds() + " s";
      LOG.warn("{}; reconnecting", silence);
      webSocket.abort();
      listener.onError(webSocket, new IOException(silence));
    }
  }

  /** Whether this was the first call. */
  private boolean end() {
    Future<?> scheduled = checks;
    if (scheduled != null) {
      scheduled.cancel(false);
    }
    return ended.compareAndSet(false, true);
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
    heardAt = pings.now();
    return listener.onText(webSocket, data, last);
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
    heardAt = pings.now();
    return listener.onBinary(webSocket, data, last);
  }

  @Override
  public @Nullable CompletionStage<?> onPing(WebSocket webSocket, ByteBuffer message) {
    heardAt = pings.now();
    return listener.onPing(webSocket, message);
  }

  @Override
  public @Nullable CompletionStage<?> onPong(WebSocket webSocket, ByteBuffer message) {
    heardAt = pings.now();
    pings.pongReceived();
    return listener.onPong(webSocket, message);
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int status, String reason) {
    return end() ? listener.onClose(webSocket, status, reason) : null;
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    if (end()) {
      listener.onError(webSocket, error);
    }
  }
}
