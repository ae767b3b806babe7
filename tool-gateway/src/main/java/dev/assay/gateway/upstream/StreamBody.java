package dev.assay.gateway.upstream;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events: each is limited, its memory is held while it is read, the end is reported.
 */
final class StreamBody<T> extends HeldBody<T> {
  /** Of an event, where no reply is awaited on the stream. */
  static final long MIN_LIMIT_BYTES = 64 << 10;

  private final ReplyMemory.Share memory;
  private final LongSupplier maxEventBytes;
  private final Set<Flow.Subscription> streams;
  private final Runnable onEnd;
  private long bytes;
  private long structures;
  private long commentBytes;
  private boolean isLineEmpty = true;
  private boolean isAfterReturn;

  /**
   * A stream that was not read yet.
   *
   * @param maxEventBytes at least {@link #MIN_LIMIT_BYTES}
   * @param streams which the stream is among until it has ended
   */
  StreamBody(
      BodySubscriber<T> body,
      ReplyMemory.Share memory,
      LongSupplier maxEventBytes,
      Set<Flow.Subscription> streams,
      Runnable onEnd) {
    super(body);
    this.memory = memory;
    this.maxEventBytes = maxEventBytes;
    this.streams = streams;
    this.onEnd = onEnd;
  }

  @Override
  void begin(Flow.Subscription begun) {
    streams.add(begun);
  }

  @Override
  boolean exceeds(List<ByteBuffer> buffers) {
    long longest = 0;
    for (ByteBuffer buffer : buffers) {
      for (int at = buffer.position(); at < buffer.limit(); at++) {
        read(buffer.get(at));
        longest = Math.max(longest, bytes);
      }
    }
    return longest > MIN_LIMIT_BYTES && longest > maxEventBytes.getAsLong();
  }

  /** Ends lines where the SDK does, which has a line in memory until it ends. */
  private void read(byte character) {
    boolean isRestOfEnd = isAfterReturn && character == '\n';
    isAfterReturn = character == '\r';
    if (isRestOfEnd) {
      return;
    }
    if (character == '\r' || character == '\n') {
      endLine();
      return;
    }
    boolean isComment = commentBytes > 0 || (isLineEmpty && character == ':');
    isLineEmpty = false;
    bytes++;
    if (isComment) {
      commentBytes++;
    } else {
      structures += isStructure(character) ? 1 : 0;
    }
  }

  /** An empty line ends an event; a comment, which keeps the connection open, is no part of it. */
  private void endLine() {
    if (isLineEmpty) {
      bytes = 0;
      structures = 0;
    }
    bytes -= commentBytes;
    commentBytes = 0;
    isLineEmpty = true;
  }

  @Override
  boolean hold() throws InterruptedException {
    return memory.hold(bytes, structures, MEMORY_WAIT_MILLIS);
  }

  @Override
  void passed() {
    if (bytes == 0) {
      memory.release();
    }
  }

  @Override
  void end(Flow.@Nullable Subscription ended) {
    memory.close();
    if (ended != null) {
      streams.remove(ended);
    }
    onEnd.run();
  }
}
