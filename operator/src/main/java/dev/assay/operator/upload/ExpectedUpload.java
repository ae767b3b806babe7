package dev.assay.operator.upload;

import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.RunnerRefusedException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One upload that a Pod waits for. The bytes come once. */
public final class ExpectedUpload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExpectedUpload.class);

  private static final String NOT_WHOLE = "The upload did not arrive whole; upload it again";

  /** The runner's word for a disk that is full or cannot be written to. */
  private static final String NOT_WRITTEN = "UploadFailed";

  private final long bytes;
  private final Target target;
  private final Runnable changed;
  private final Consumer<ExpectedUpload> closed;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final AtomicLong received = new AtomicLong();
  private final AtomicReference<Optional<Ending>> ending = new AtomicReference<>(Optional.empty());

  ExpectedUpload(long bytes, Target target, Runnable changed, Consumer<ExpectedUpload> closed) {
    this.bytes = bytes;
    this.target = target;
    this.changed = changed;
    this.closed = closed;
  }

  /** Takes bytes to where they go; returns when they are there. */
  @FunctionalInterface
  public interface Target {
    Job.Upload take(InputStream body) throws IOException, RunnerRefusedException;
  }

  /** How it ended. */
  public sealed interface Ending {}

  /** The Pod has all of it. */
  public record Taken(Job.Upload upload) implements Ending {}

  /**
   * The Pod does not have all of it.
   *
   * @param why a sentence for the caller
   */
  public record Failed(String why) implements Ending {}

  /** Whether somebody brings it or has brought it. */
  public boolean hasBegun() {
    return begun.get();
  }

  /** How many bytes have come so far. */
  public long received() {
    return received.get();
  }

  /** How it ended; empty where it has not. */
  public Optional<Ending> ending() {
    return ending.get();
  }

  Uploads.Delivery take(long brought, InputStream body) {
    if (brought != bytes) {
      return Uploads.Delivery.WRONG_LENGTH;
    }
    if (begun.getAndSet(true)) {
      return Uploads.Delivery.UNDER_WAY;
    }
    changed.run();
    Ending end = new Failed(NOT_WHOLE);
    try {
      end = carry(body);
    } finally {
      // Whatever happens: a Pod waits for it.
      ending.set(Optional.of(end));
      changed.run();
    }
    return end instanceof Taken ? Uploads.Delivery.TAKEN : Uploads.Delivery.FAILED;
  }

  private Ending carry(InputStream body) {
    try {
      return new Taken(target.take(new CountedBody(body)));
    } catch (RunnerRefusedException e) {
      LOG.warn("An upload was refused: {}", e.getMessage());
      return new Failed(
          NOT_WRITTEN.equals(e.code())
              ? "The upload could not be stored: the volume of the snapshots is full, or cannot be"
                  + " written to"
              : "The upload was refused by its Pod; upload it again");
    } catch (IOException e) {
      LOG.info("An upload broke off: {}", e.toString());
      return new Failed("The upload broke off before its end; upload it again");
    }
  }

  private final class CountedBody extends FilterInputStream {
    CountedBody(InputStream body) {
      super(body);
    }

    @Override
    public int read() throws IOException {
      int next = super.read();
      if (next >= 0) {
        received.incrementAndGet();
      }
      return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count = super.read(bytes, offset, length);
      if (count > 0) {
        received.addAndGet(count);
      }
      return count;
    }
  }

  /** Nobody can bring it any more. */
  @Override
  public void close() {
    closed.accept(this);
  }
}
