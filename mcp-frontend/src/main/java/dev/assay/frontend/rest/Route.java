package dev.assay.frontend.rest;

import java.util.List;

/**
 * One thing that can be asked for.
 *
 * @param method of HTTP
 * @param template its path; {@code {name}} stands for any one part
 * @param parameters that its query may have
 * @param takes what it needs
 * @param handler what does it
 */
public record Route(
    String method, String template, List<String> parameters, Takes takes, Handler handler) {
  static final String NAME = "{name}";

  /**
   * What a request needs.
   *
   * @param key whether a caller has to be known
   * @param body whether it has a JSON body
   * @param time whether its answer can take longer than reading it does
   * @param heapBytes memory for its answer
   */
  public record Takes(boolean key, boolean body, boolean time, long heapBytes) {
    static final Takes NOTHING = new Takes(false, false, false, 0);
    static final Takes KEY = new Takes(true, false, false, 0);
    static final Takes BODY = new Takes(true, true, false, 0);
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
