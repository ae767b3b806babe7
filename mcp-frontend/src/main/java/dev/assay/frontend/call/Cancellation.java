package dev.assay.frontend.call;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a call is still wanted. Once cancelled it stays so. */
public final class Cancellation {
  /** Why a call is not wanted any more. */
  public enum Cause {
    /** The client said so. */
    REQUESTED,
    /** The client's connection is gone. */
    DISCONNECTED
  }

  private final List<Runnable> actions = new ArrayList<>();
  private @Nullable Cause cause;

  /** Cancels; the first cause is kept. */
  public void cancel(Cause because) {
    List<Runnable> due;
    synchronized (actions) {
      if (cause != null) {
        return;
      }
      cause = because;
      due = List.copyOf(actions);
      actions.clear();
    }
    due.forEach(Runnable::run);
  }

  /** Runs an action on cancellation; at once where that was earlier. */
  public void onCancel(Runnable action) {
    synchronized (actions) {
      if (cause == null) {
        actions.add(action);
        return;
      }
    }
    action.run();
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
