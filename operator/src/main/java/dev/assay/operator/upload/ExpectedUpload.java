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

/** One upload that a Pod waits for. The bytes are sent once. */
public final class ExpectedUpload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExpectedUpload.class);

  private static final String NOT_WHOLE = "The upload was incomplete; upload it again";

  /** The runner's error code for a disk that is full or not writable. */
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

  /** Sends the bytes to their Pod; returns when it has stored them. */
  @FunctionalInterface
  public interface Target {
    Job.Upload take(InputStream body) throws IOException, RunnerRefusedException;
  }

  /** The result. */
  public sealed interface Ending {}

  /** The Pod has received all bytes. */
  public record Taken(Job.Upload upload) implements Ending {}

  /**
   * The Pod has not received all bytes.
   *
   * @param why a message for the caller
   */
  public record Failed(String why) implements Ending {}

  /** Whether the transfer has started. */
  public boolean hasStarted() {
    return begun.get();
  }

  /** How many bytes have been received so far. */
  public long received() {
    return received.get();
  }

  /** The result; empty while the transfer has not ended. */
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
      // In any case, because a Pod waits for it.
      ending.set(Optional.of(end));
      changed.run();
    }
    return end instanceof Taken ? Uploads.Delivery.TAKEN : Uploads.Delivery.FAILED;
  }

  private Ending carry(InputStream body) {
    try {
      return new Taken(target.take(new CountedBody(body)));
    } catch (RunnerRefusedException e) {
      LOG.warn("A Pod refused an upload: {}", e.getMessage());
      return new Failed(
          NOT_WRITTEN.equals(e.code())
              ? "The upload could not be stored: the snapshot volume is full or not writable"
              : "The Pod refused the upload; upload it again");
    } catch (IOException e) {
      LOG.info("An upload was interrupted: {}", e.toString());
      return new Failed("The upload was interrupted; upload it again");
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

  /** From now on no sender can deliver it. */
  @Override
  public void close() {
    closed.accept(this);
  }
}
