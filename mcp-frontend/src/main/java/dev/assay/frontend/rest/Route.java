package dev.assay.frontend.rest;

import java.util.List;

/**
 * One thing that can be asked for.
 *
 * @param method of HTTP
 * @param template its path; {@code {name}} stands for any one part
 * @param parameters that its query may have
 * @param requirements of a request
 * @param handler what does it
 */
public record Route(
    String method,
    String template,
    List<String> parameters,
    Requirements requirements,
    Handler handler) {
  static final String NAME = "{name}";

  /**
   * What a request needs.
   *
   * @param key whether a caller has to be known
   * @param body what body it has
   * @param slot what it takes while it lasts
   * @param heapBytes memory for its answer
   */
  public record Requirements(boolean key, Body body, Slot slot, long heapBytes) {
    static final Requirements NOTHING = new Requirements(false, Body.NONE, Slot.NONE, 0);
    static final Requirements KEY = new Requirements(true, Body.NONE, Slot.NONE, 0);
    static final Requirements BODY = new Requirements(true, Body.JSON, Slot.NONE, 0);
  }

  /** What there are only so many of at a time. */
  public enum Slot {
    /** Nothing: its answer takes no longer than reading it does. */
    NONE,
    /** An output that is read, perhaps as it comes. */
    OUTPUT,
    /** A dataset that is loaded or uploaded. */
    LOAD
  }

  /** A request's body. */
  public enum Body {
    /** None, or none that is looked at. */
    NONE,
    /** A JSON object. */
    JSON,
    /** Bytes that are passed on as they come. */
    RAW
  }

  /** Does what is asked for. */
  @FunctionalInterface
  public interface Handler {
    /**
     * The answer.
     *
     * @throws RestException where there is none
     */
    Answer answer(RestRequest request) throws InterruptedException;
  }
}
