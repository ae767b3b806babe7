package dev.assay.frontend.operator;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Takes the first bytes of a body and cancels the rest. */
final class FirstBytes implements BodySubscriber<byte[]> {
  private final int limit;
  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;

  FirstBytes(int limit) {
    this.limit = limit;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription made) {
    subscription = made;
    made.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      byte[] bytes = new byte[Math.min(buffer.remaining(), limit - taken.size())];
      buffer.get(bytes);
      taken.writeBytes(bytes);
    }
    if (taken.size() >= limit && !body.isDone()) {
      body.complete(taken.toByteArray());
      if (subscription != null) {
        subscription.cancel();
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(taken.toByteArray());
  }
}
