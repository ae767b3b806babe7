package dev.assay.operator;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that is advanced manually. Starts when the objects of {@link Samples} were created. */
public final class ManualClock extends Clock {
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse(Samples.CREATED));

  private volatile Runnable afterRead = () -> {};

  /** Calls this after each reading, on the thread that reads. */
  public void onRead(Runnable action) {
    afterRead = action;
  }

  public void advance(Duration by) {
    now.updateAndGet(instant -> instant.plus(by));
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }

  @Override
  public Instant instant() {
    Instant read = now.get();
    afterRead.run();
    return read;
  }
}
