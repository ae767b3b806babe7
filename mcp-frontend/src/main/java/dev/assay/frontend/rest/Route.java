package dev.assay.frontend.rest;

import dev.assay.frontend.call.MethodKind;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * One thing that can be asked for.
 *
 * @param method of HTTP
 * @param template its path; {@code {name}} stands for any one part, {@code {path}} at its end for
 *     one or more
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
  static final String PATH = "{path}";

  /** Whether it creates runs. */
  public boolean createsRuns() {
    return "POST".equals(method)
        && (template.equals(RunsResource.PATH) || template.equals(CodeResource.EXECUTION));
  }

  /**
   * What a request needs.
   *
   * @param key whether a caller has to be known
   * @param body what body it has
   * @param kind how long its answer takes, by the fields of its body
   * @param heapBytes memory for its answer
   */
  public record Requirements(
      boolean key, Body body, Function<Map<String, Object>, MethodKind> kind, long heapBytes) {
    static final Requirements NOTHING = new Requirements(false, Body.NONE, MethodKind.QUICK);
    static final Requirements KEY = new Requirements(true, Body.NONE, MethodKind.QUICK);

    private Requirements(boolean key, Body body, MethodKind kind) {
      this(key, body, kind, 0);
    }

    Requirements(boolean key, Body body, MethodKind kind, long heapBytes) {
      this(key, body, fields -> kind, heapBytes);
    }
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
