package dev.assay.jvm.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Interrupts the engine when the job is to stop. */
public final class Cancellation {
  private static final long PAUSE_MS = 10;

  private final Statement interrupter;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean requested;

  Cancellation(Connection connection) throws SQLException {
    // The driver interrupts the whole connection, whichever of its statements is cancelled.
    this.interrupter = connection.createStatement();
  }

  /** Whether the job is to stop. */
  public boolean isRequested() {
    return requested;
  }

  /** Interrupts queries until the job has ended: one that has yet to begin cannot be. */
  public void request() throws InterruptedException, SQLException {
    requested = true;
    do {
      interrupter.cancel();
    } while (!ended.await(PAUSE_MS, TimeUnit.MILLISECONDS));
  }

  /** Lets queries run again, which only read what is there. */
  public void end() {
    ended.countDown();
  }
}
