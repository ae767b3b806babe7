package dev.assay.frontend.operator;

import dev.assay.frontend.run.OutputStore.Calls;
import dev.assay.frontend.run.ToolCallRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Takes some of the records of calls, each a line of JSON, and cancels the rest. However many there
 * are, a page of them is in memory.
 */
final class CallLines implements BodySubscriber<Calls> {
  /** Of the arguments, which are the longest part, at most 16 KiB are recorded. */
  private static final int MAX_LINE_BYTES = 256 * 1024;

  private static final ObjectReader RECORD = JsonMapper.shared().readerFor(ToolCallRecord.class);

  private final int after;
  private final int limit;
  private final int maxBytes;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final List<ToolCallRecord> records = new ArrayList<>();
  private final CompletableFuture<Calls> body = new CompletableFuture<>();
  private int bytes;
  private Flow.@Nullable Subscription subscription;

  /**
   * A page.
   *
   * @param after the number of the last call of the page before
   * @param limit how many records at most
   * @param maxBytes of their lines; the first is taken in any case
   */
  CallLines(int after, int limit, int maxBytes) {
    this.after = after;
    this.limit = limit;
    this.maxBytes = maxBytes;
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
    ToolCallRecord read = RECORD.readValue(json);
    if (read.call() <= after) {
      return;
    }
    bytes += json.length;
    if (records.size() == limit || (bytes > maxBytes && !records.isEmpty())) {
      end(() -> body.complete(new Calls(records, true)));
    } else {
      records.add(read);
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
    body.complete(new Calls(records, false));
  }
}
