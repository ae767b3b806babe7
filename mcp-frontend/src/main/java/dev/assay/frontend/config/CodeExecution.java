package dev.assay.frontend.config;

import dev.assay.api.v1alpha1.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * Scripts in JavaScript and TypeScript, by {@code code_execution} and REST. What a call says comes
 * first, then this, then what is built in.
 *
 * @param enabled whether there are any; not by default
 * @param runClass the RunClass of their runs
 * @param timeoutMs run time where a call names none, in milliseconds
 * @param maxToolCalls of a script that names no number; 0 for any number
 * @param maxParallel calls of one batch that are under way at a time, where a call names no number
 */
public record CodeExecution(
    @Nullable Boolean enabled,
    @Nullable String runClass,
    @Nullable Integer timeoutMs,
    @Nullable Integer maxToolCalls,
    @Nullable Integer maxParallel) {
  /** Most milliseconds that a call may name. */
  public static final int MAX_TIMEOUT_MS = 1_000 * Bounds.MAX_TIMEOUT_SECONDS;

  /** Most calls of one batch at a time. */
  public static final int MAX_PARALLEL = Bounds.MAX_PARALLEL_TOOL_CALLS;

  /** No scripts. */
  public static final CodeExecution OFF = new CodeExecution(null, null, null, null, null);

  private static final int DEFAULT_TIMEOUT_MS = 120_000;

  public CodeExecution {
    enabled = enabled == null ? Boolean.FALSE : enabled;
    runClass = runClass == null ? "javascript" : runClass;
    timeoutMs = timeoutMs == null ? DEFAULT_TIMEOUT_MS : timeoutMs;
    maxToolCalls = maxToolCalls == null ? 0 : maxToolCalls;
    maxParallel = maxParallel == null ? Bounds.DEFAULT_PARALLEL_TOOL_CALLS : maxParallel;
    Checks.requireBetween("codeExecution.timeoutMs", timeoutMs, 1, MAX_TIMEOUT_MS);
    Checks.requireBetween("codeExecution.maxToolCalls", maxToolCalls, 0, Bounds.MAX_RUN_TOOL_CALLS);
    Checks.requireBetween("codeExecution.maxParallel", maxParallel, 1, MAX_PARALLEL);
  }

  /** Scripts with the usual settings. */
  public static CodeExecution on() {
    return new CodeExecution(true, null, null, null, null);
  }

  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  public String runClassName() {
    return orFail(runClass);
  }

  public int timeout() {
    return orFail(timeoutMs);
  }

  public int toolCalls() {
    return orFail(maxToolCalls);
  }

  public int parallel() {
    return orFail(maxParallel);
  }

  private static <T> T orFail(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("the constructor sets it");
    }
    return value;
  }
}
