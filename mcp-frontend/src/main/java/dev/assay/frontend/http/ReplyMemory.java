package dev.assay.frontend.http;

import dev.assay.frontend.call.ReplySize;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;
import dev.assay.frontend.watch.Stopwatch;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * The memory that long replies may take all together, and those of one caller, from the time that
 * they are read until they have been sent. A run has ended by then, so that a reply is not refused:
 * it waits for others to be sent.
 */
public final class ReplyMemory {
  private static final int PART_OF_HEAP = 4;

  private final SharedQuota<Identity> quota;
  private final Duration patience;

  /**
   * A budget in bytes.
   *
   * @param bytesPerCaller of these, those of one caller
   * @param patience how long a reply waits for others
   */
  public ReplyMemory(long bytes, long bytesPerCaller, Duration patience) {
    this.quota = new SharedQuota<>(bytes, bytesPerCaller);
    this.patience = patience;
  }

  /**
   * A part of this process' heap, half of which one caller may take where callers are
   * distinguished.
   *
   * @param heapPerReply what the longest reply takes; there is always enough for two of them
   */
  public static ReplyMemory ofHeap(FrontEndConfig config, long heapPerReply) {
    long all = Math.max(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, 2 * heapPerReply);
    return new ReplyMemory(all, config.tellsCallersApart() ? all / 2 : all, Duration.ofSeconds(60));
  }

  /** The part of one reply, with nothing in it yet. */
  Share share(Identity caller) {
    return new Share(caller.asCaller());
  }

  /** Builds and sends a reply. */
  @FunctionalInterface
  interface Reply {
    void send() throws IOException, InterruptedException;
  }

  /**
   * Sends the reply to a quick request, in the memory of one. Such a request takes no slot, so a
   * client can send many of them and read none of the replies.
   *
   * @return why it was not sent; empty if it was
   */
  Optional<String> sendQuick(Identity caller, Reply reply) throws IOException {
    try (Share share = share(caller)) {
      if (!share.reserve(ReplySize.ofList())) {
        return Optional.of("No memory for the reply: read the replies to other calls");
      }
      reply.send();
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("The server is shutting down");
    }
  }

  /** What one reply takes. Of one thread. */
  final class Share implements AutoCloseable {
    private final Identity caller;
    private long held;

    private Share(Identity caller) {
      this.caller = caller;
    }

    /** Waits for memory; false where none came free in time. */
    boolean reserve(long bytes) throws InterruptedException {
      Stopwatch watch = new Stopwatch();
      synchronized (quota) {
        while (quota.take(caller, bytes) != SharedQuota.Decision.GRANTED) {
          long left = watch.left(patience).toMillis();
          if (left <= 0) {
            return false;
          }
          quota.wait(left);
        }
      }
      held += bytes;
      return true;
    }

    @Override
    public void close() {
      synchronized (quota) {
        quota.give(caller, held);
        quota.notifyAll();
      }
      held = 0;
    }
  }
}
