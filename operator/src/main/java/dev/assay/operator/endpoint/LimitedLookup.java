package dev.assay.operator.endpoint;

import dev.assay.operator.endpoint.StoredBytesHandler.Lookup;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many look something up at a time, where each takes many times the memory of what it
 * returns: callers of the front end decide how many ask at once.
 */
final class LimitedLookup implements Lookup {
  private final Lookup lookup;
  private final Semaphore permits;
  private final Duration patience;

  /**
   * A lookup that is limited.
   *
   * @param atOnce how many at a time
   * @param patience how long others wait
   */
  LimitedLookup(Lookup lookup, int atOnce, Duration patience) {
    this.lookup = lookup;
    this.permits = new Semaphore(atOnce, /* fair= */ true);
    this.patience = patience;
  }

  /** Too many look something up now. */
  static final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("too many ask at once");
    }
  }

  @Override
  public Optional<byte[]> find(String namespace, String name) throws IOException {
    acquire();
    try {
      return lookup.find(namespace, name);
    } finally {
      permits.release();
    }
  }

  private void acquire() throws BusyException {
    try {
      if (permits.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new BusyException();
  }
}
