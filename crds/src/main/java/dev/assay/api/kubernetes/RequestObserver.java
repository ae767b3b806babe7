package dev.assay.api.kubernetes;

import java.time.Duration;

/** Is called for each request to the API server that has ended, but not for watches. */
@FunctionalInterface
public interface RequestObserver {
  /** Ignores all of them. */
  RequestObserver NONE = (method, status, took) -> {};

  /**
   * A request has ended. Must not throw.
   *
   * @param method of HTTP
   * @param status of HTTP; 0 if there was no answer
   * @param took from the call until the answer began, with the wait to be sent
   */
  void ended(String method, int status, Duration took);
}
