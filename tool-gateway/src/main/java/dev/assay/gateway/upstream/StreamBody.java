package dev.assay.gateway.upstream;

import dev.assay.gateway.upstream.UpstreamHttpClient.StalledException;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooLongException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events: each is limited, its memory is held while it is read, the end is reported.
 */
final class StreamBody<T> extends HeldBody<T> {
  /** Of an event, where no reply is awaited on the stream. */
  static final long MIN_LIMIT_BYTES = 64 << 10;

  private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

  /** The stream whose messages a thread receives; the transport parses them on the same one. */
  private static final ScopedValue<StreamBody<?>> DELIVERING = ScopedValue.newInstance();

  private final ReplyMemory.Share memory;
  private final LongSupplier maxEventBytes;
  private final Set<StreamBody<?>> streams;
  private final Runnable onEnd;
  private final Duration maxUnfinished;
  private Flow.@Nullable Subscription subscription;
  private boolean isWatched;
  private long bytes;
  private long structures;
  private long commentBytes;

  /** How many events and comments have ended. */
  private long events;

  private boolean isLineEmpty = true;
  private boolean isAfterReturn;

  /**
   * A stream that was not read yet.
   *
   * @param maxEventBytes at least {@link #MIN_LIMIT_BYTES}
   * @param maxUnfinished how long an event that holds memory may take
   * @param streams which the stream is among until it has ended
   */
  StreamBody(
      BodySubscriber<T> body,
      ReplyMemory.Share memory,
      LongSupplier maxEventBytes,
      Duration maxUnfinished,
      Set<StreamBody<?>> streams,
      Runnable onEnd) {
    super(body);
    this.memory = memory;
    this.maxEventBytes = maxEventBytes;
    this.maxUnfinished = maxUnfinished;
    this.streams = streams;
    this.onEnd = onEnd;
  }

  @Override
  void begin(Flow.Subscription begun) {
    subscription = begun;
    streams.add(this);
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
    return isTooLong(longest);
  }

  private boolean isTooLong(long eventBytes) {
    return eventBytes > MIN_LIMIT_BYTES && eventBytes > maxEventBytes.getAsLong();
  }

  /** Ends it, if the event that is being read has become too long for who waits for one. */
  void checkLimit() {
    endIf(() -> isTooLong(bytes), new TooLongException());
  }

  /** Ends it, without a word to the transport. */
  void cancel() {
    Flow.Subscription begun = subscription;
    if (begun != null) {
      begun.cancel();
    }
    memory.close();
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
    events += bytes == 0 ? 1 : 0;
    isLineEmpty = true;
  }

  @Override
  ReplyMemory.Share memory() {
    return memory;
  }

  @Override
  boolean hold() throws InterruptedException {
    return memory.hold(bytes, structures, MEMORY_WAIT_MILLIS);
  }

  @Override
  void deliver(BodySubscriber<T> to, List<ByteBuffer> buffers) {
    ScopedValue.where(DELIVERING, this).run(() -> to.onNext(buffers));
  }

  /**
   * Has a reply hold the memory of the event that it has just arrived in, which the stream gives
   * back once the event has ended: a server could send replies faster than they are dealt with.
   * Does nothing for a reply that has arrived in no stream.
   */
  static void handOver(ReplyMemory.Share reply) {
    if (DELIVERING.isBound()) {
      DELIVERING.get().memory.moveTo(reply);
    }
  }

  @Override
  void passed() {
    memory.shrink(bytes, structures);
    watch();
  }

  /** Ends it, if it has the same event for too long: a server that stalls would keep its memory. */
  private synchronized void watch() {
    if (isWatched || !memory.isHolding()) {
      return;
    }
    isWatched = true;
    long watched = events;
    CompletableFuture.delayedExecutor(maxUnfinished.toMillis(), TimeUnit.MILLISECONDS, THREADS)
        .execute(
            () -> {
              endIf(() -> events == watched && memory.isHolding(), new StalledException());
              isWatchedNoMore();
            });
  }

  private synchronized void isWatchedNoMore() {
    isWatched = false;
    watch();
  }

  @Override
  void end() {
    memory.close();
    streams.remove(this);
    onEnd.run();
  }
}
