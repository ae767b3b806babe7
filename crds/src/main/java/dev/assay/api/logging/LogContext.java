package dev.assay.api.logging;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What the log lines of this thread are about until it is closed: a run, its caller, and the trace
 * of the request that it comes from. Each is a key of the MDC.
 */
public final class LogContext implements AutoCloseable {
  private static final String RUN = "run";
  private static final String CALLER = "caller";
  private static final String TRACE = "trace";

  private final List<String> keys = new ArrayList<>(3);

  private LogContext() {}

  /** About nothing yet. */
  public static LogContext open() {
    return new LogContext();
  }

  /** About a run. */
  public LogContext run(String namespace, String name) {
    return put(RUN, namespace + "/" + name);
  }

  /** About what a caller does; null for nobody. */
  public LogContext caller(@Nullable String caller) {
    return put(CALLER, caller);
  }

  /** About a trace; null for none. */
  public LogContext trace(@Nullable String traceId) {
    return put(TRACE, traceId);
  }

  private LogContext put(String key, @Nullable String value) {
    if (value != null) {
      MDC.put(key, value);
      keys.add(key);
    }
    return this;
  }

  @Override
  public void close() {
    keys.forEach(MDC::remove);
  }
}
