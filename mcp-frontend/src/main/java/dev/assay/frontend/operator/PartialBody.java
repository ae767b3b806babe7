package dev.assay.frontend.operator;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Reads a body until it has what it needs, and cancels the rest. */
abstract class PartialBody<T> implements BodySubscriber<T> {
  private final CompletableFuture<T> body = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;

  /**
   * Takes the next bytes. Calls {@link #enough} once it needs no more; what follows is ignored.
   *
   * @throws IOException if the body is not what it has to be
   */
  abstract void take(ByteBuffer buffer) throws IOException;

  /** What was read so far. */
  abstract T taken();

  /** Completes the body with what was read. */
  final void enough() {
    body.complete(taken());
    cancel();
  }

  final boolean isDone() {
    return body.isDone();
  }

  private void cancel() {
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public final CompletionStage<T> getBody() {
    return body;
  }

  @Override
  public final void onSubscribe(Flow.Subscription made) {
    subscription = made;
    made.request(Long.MAX_VALUE);
  }

  @Override
  public final void onNext(List<ByteBuffer> buffers) {
    try {
      for (ByteBuffer buffer : buffers) {
        if (!isDone()) {
          take(buffer);
        }
      }
    } catch (IOException | JacksonException e) {
      body.completeExceptionally(e);
      cancel();
    }
  }

  @Override
  public final void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public final void onComplete() {
    body.complete(taken());
  }
}
