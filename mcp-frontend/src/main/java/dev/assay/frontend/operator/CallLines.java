package dev.assay.frontend.operator;

import dev.assay.frontend.run.OutputStore.Calls;
import dev.assay.frontend.run.ToolCallPage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Takes a page of records of calls, each a line of JSON, and cancels the rest. */
final class CallLines implements BodySubscriber<Calls> {
  /** Of the arguments, which are the longest part, at most 16 KiB are recorded. */
  private static final int MAX_LINE_BYTES = 256 * 1024;

  private final ToolCallPage page;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final CompletableFuture<Calls> body = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;

  CallLines(ToolCallPage page) {
    this.page = page;
  }

  @Override
  public CompletionStage<Calls> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription made) {
    subscription = made;
    made.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    try {
      for (ByteBuffer buffer : buffers) {
        while (buffer.hasRemaining() && !body.isDone()) {
          take(buffer.get());
        }
      }
    } catch (IOException | JacksonException e) {
      end(() -> body.completeExceptionally(e));
    }
  }

  private void take(byte next) throws IOException {
    if (next != '\n') {
      if (line.size() == MAX_LINE_BYTES) {
        throw new IOException("a record of a call has more than " + MAX_LINE_BYTES + " bytes");
      }
      line.write(next);
      return;
    }
    byte[] json = line.toByteArray();
    line.reset();
    if (!page.add(json)) {
      end(() -> body.complete(page.calls()));
    }
  }

  private void end(Runnable completion) {
    completion.run();
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(page.calls());
  }
}
