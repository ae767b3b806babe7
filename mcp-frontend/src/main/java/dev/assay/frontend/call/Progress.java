package dev.assay.frontend.call;

/** Tells a caller who asked for it how far a call is. */
@FunctionalInterface
public interface Progress {
  /** Nobody asked. */
  Progress NONE = message -> {};

  /** Tells it in one line. Never throws: a client that is gone cancels the call instead. */
  void report(String message);
}
