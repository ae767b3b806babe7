package dev.assay.gateway.upstream;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;

/** The body of the response to an exchange. */
final class ReplyBody<T> extends HeldBody<T> {
  private final Exchange exchange;
  private long bytes;
  private long structures;

  ReplyBody(BodySubscriber<T> body, Exchange exchange) {
    super(body);
    this.exchange = exchange;
  }

  @Override
  void begin(Flow.Subscription begun) {
    exchange.reads(begun);
  }

  @Override
  boolean exceeds(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      bytes += buffer.remaining();
      for (int at = buffer.position(); at < buffer.limit(); at++) {
        structures += isStructure(buffer.get(at)) ? 1 : 0;
      }
    }
    return bytes > exchange.maxBytes();
  }

  @Override
  ReplyMemory.Share memory() {
    return exchange.memory();
  }

  @Override
  boolean hold() throws InterruptedException {
    return memory().hold(bytes, structures, MEMORY_WAIT_MILLIS);
  }

  @Override
  public synchronized void onComplete() {
    exchange.completed();
    super.onComplete();
    exchange.delivered();
  }
}
