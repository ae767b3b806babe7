package dev.assay.gateway.upstream;

import dev.assay.gateway.upstream.UpstreamHttpClient.NoMemoryException;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooHeavyException;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooLongException;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A body that is read while it is within its limit and there is memory for it. */
abstract class HeldBody<T> implements BodySubscriber<T> {
  static final long MEMORY_WAIT_MILLIS = 30_000;

  private final BodySubscriber<T> body;
  private boolean over;
  private Flow.@Nullable Subscription subscription;

  HeldBody(BodySubscriber<T> body) {
    this.body = body;
  }

  /** Called before the first bytes. */
  abstract void begin(Flow.Subscription begun);

  /** Counts further bytes; returns whether there are more than may be. */
  abstract boolean exceeds(List<ByteBuffer> buffers);

  /** The memory of what was counted. */
  abstract ReplyMemory.Share memory();

  /** Waits for that memory; returns whether there is any. */
  abstract boolean hold() throws InterruptedException;

  /** Has the body receive the bytes that were counted. */
  void deliver(BodySubscriber<T> to, List<ByteBuffer> buffers) {
    to.onNext(buffers);
  }

  /** Called when the body has received the bytes that were counted. */
  void passed() {}

  /** Called when the body has ended, whatever the reason. */
  void end() {}

  /** Whether a byte may begin a value of JSON, or end one. */
  static boolean isStructure(byte character) {
    return switch (character) {
      case '[', '{', ',', ':' -> true;
      default -> false;
    };
  }

  @Override
  public final CompletionStage<T> getBody() {
    return body.getBody();
  }

  @Override
  public final void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    begin(begun);
    body.onSubscribe(begun);
  }

  @Override
  public final synchronized void onNext(List<ByteBuffer> buffers) {
    if (over) {
      return;
    }
    boolean exceeds = exceeds(buffers);
    try {
      if (exceeds) {
        fail(new TooLongException());
      } else if (!hold()) {
        fail(memory().isTooHeavy() ? new TooHeavyException() : new NoMemoryException());
      } else if (use(() -> deliver(body, buffers))) {
        passed();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(new IOException("interrupted", e));
    }
  }

  /** Runs what may parse what was read; false if nobody waits for it anymore. */
  private boolean use(Runnable parsing) {
    ReplyMemory.Share memory = memory();
    if (!memory.beginUse()) {
      fail(new IOException("the call is over"));
      return false;
    }
    try {
      parsing.run();
      return true;
    } finally {
      memory.endUse();
    }
  }

  /** Reads no further, if that is no longer to be; waits for what is being read. */
  final synchronized void endIf(BooleanSupplier condition, IOException why) {
    if (!over && condition.getAsBoolean()) {
      fail(why);
    }
  }

  private void fail(IOException why) {
    over = true;
    if (subscription != null) {
      subscription.cancel();
    }
    body.onError(why);
    end();
  }

  @Override
  public final synchronized void onError(Throwable error) {
    if (!over) {
      over = true;
      body.onError(error);
      end();
    }
  }

  @Override
  public synchronized void onComplete() {
    if (!over && use(body::onComplete)) {
      over = true;
      end();
    }
  }
}
