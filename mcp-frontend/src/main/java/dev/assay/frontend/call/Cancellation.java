package dev.assay.frontend.call;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a call is still wanted, and whether anybody waits for its answer. Once cancelled or
 * abandoned it stays so.
 */
public final class Cancellation {
  /** Why a call is not wanted any more. */
  public enum Cause {
    /** The client said so. */
    REQUESTED,
    /** The client's connection is gone, and what it asked for with it. */
    DISCONNECTED
  }

  private final List<Runnable> actions = new ArrayList<>();
  private @Nullable Cause cause;
  private boolean abandoned;

  /** Cancels; the first cause is kept. */
  public void cancel(Cause because) {
    List<Runnable> due;
    synchronized (actions) {
      if (cause != null) {
        return;
      }
      cause = because;
      due = List.copyOf(actions);
    }
    due.forEach(Runnable::run);
  }

  /** Nobody waits for the answer any more, but what was asked for is still wanted. */
  public void abandon() {
    List<Runnable> due;
    synchronized (actions) {
      abandoned = true;
      due = List.copyOf(actions);
    }
    due.forEach(Runnable::run);
  }

  /** Runs an action when the call is cancelled and when it is abandoned; at once if it is. */
  public void onChange(Runnable action) {
    synchronized (actions) {
      actions.add(action);
    }
    if (isUnattended()) {
      action.run();
    }
  }

  /** Whether nobody waits for the answer, be the call cancelled or only abandoned. */
  public boolean isUnattended() {
    synchronized (actions) {
      return abandoned || cause != null;
    }
  }

  public boolean isCancelled() {
    return cause() != null;
  }

  /** Why, if it is cancelled. */
  public @Nullable Cause cause() {
    synchronized (actions) {
      return cause;
    }
  }
}
