package dev.assay.gateway.upstream;

import dev.assay.gateway.upstream.UpstreamHttpClient.NoMemoryException;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooLongException;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
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

  /** Waits for the memory of what was counted; returns whether there is any. */
  abstract boolean hold() throws InterruptedException;

  /** Called when the body has received the bytes that were counted. */
  void passed() {}

  /** Called when the body has ended, whatever the reason. */
  void end(Flow.@Nullable Subscription ended) {}

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
  public final void onNext(List<ByteBuffer> buffers) {
    if (over) {
      return;
    }
    boolean exceeds = exceeds(buffers);
    try {
      if (exceeds) {
        fail(new TooLongException());
      } else if (!hold()) {
        fail(new NoMemoryException());
      } else {
        body.onNext(buffers);
        passed();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(new IOException("interrupted", e));
    }
  }

  private void fail(IOException why) {
    over = true;
    if (subscription != null) {
      subscription.cancel();
    }
    body.onError(why);
    end(subscription);
  }

  @Override
  public final void onError(Throwable error) {
    if (!over) {
      body.onError(error);
      end(subscription);
    }
  }

  @Override
  public void onComplete() {
    if (!over) {
      body.onComplete();
      end(subscription);
    }
  }
}
