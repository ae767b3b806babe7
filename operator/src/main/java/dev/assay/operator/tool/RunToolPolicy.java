package dev.assay.operator.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.ToolLimits;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which tools the code of a run may call, and how often: what the run, the API key of its caller
 * and its class all allow.
 *
 * @param allowed the tool servers that the run itself allows
 * @param granted those that the key grants
 * @param offered those that the class offers
 * @param permissions the permissions of tools that key and class allow; null for all
 * @param maxCalls how many calls may be sent; 0 for as many as {@code classMaxCalls}
 * @param classMaxCalls how many calls the code may make, those that are refused included
 * @param maxParallel how many calls of a batch are in flight at once at most
 * @param resultBytes of the result of a call
 */
public record RunToolPolicy(
    ServerNames allowed,
    ServerNames granted,
    ServerNames offered,
    @Nullable List<ToolPermission> permissions,
    int maxCalls,
    int classMaxCalls,
    int maxParallel,
    int resultBytes) {
  private static final int MIN_OUTCOME_BYTES = 64 * 1024;

  /** The outcome has the result twice: as code reads it, and as the server sent it. */
  private static final int OUTCOME_BYTES_PER_RESULT_BYTE = 3;

  /** Each call is refused. */
  public static final RunToolPolicy NOTHING =
      new RunToolPolicy(
          ServerNames.ALL,
          ServerNames.ALL,
          ServerNames.NONE,
          null,
          0,
          Bounds.MAX_RUN_TOOL_CALLS,
          Bounds.MAX_PARALLEL_TOOL_CALLS,
          Bounds.MAX_TOOL_RESULT_BYTES);

  /** What applies to a run. */
  public static RunToolPolicy of(AnalyticsRunSpec spec, RunClassSpec runClass) {
    RunTools tools = spec.tools();
    ToolGrants granted = tools == null ? null : tools.granted();
    List<String> allowed = tools == null ? null : tools.allowedServers();
    ClassTools classTools = runClass.tools();
    ToolLimits limits = runClass.toolLimits();
    return new RunToolPolicy(
        // Empty means all here, as in the option that it comes from.
        allowed == null || allowed.isEmpty() ? ServerNames.ALL : ServerNames.of(allowed),
        ServerNames.of(granted == null ? null : granted.servers()),
        runClass.offersToolsTo(spec.language())
            ? ServerNames.of(classTools == null ? null : classTools.servers())
            : ServerNames.NONE,
        both(
            granted == null ? null : granted.permissions(),
            classTools == null ? null : classTools.permissions()),
        tools == null || tools.maxCalls() == null ? 0 : tools.maxCalls(),
        limits.maxCalls(),
        tools == null || tools.maxParallel() == null
            ? Bounds.MAX_PARALLEL_TOOL_CALLS
            : tools.maxParallel(),
        limits.resultBytes());
  }

  /** Whether a run asks for tools: what its key grants narrows them, and asks for none. */
  public static boolean asksForTools(AnalyticsRunSpec spec) {
    RunTools tools = spec.tools();
    return tools != null
        && (tools.allowedServers() != null
            || tools.maxCalls() != null
            || tools.maxParallel() != null);
  }

  /**
   * Why a run that asks for tools cannot have any in its class; empty if it can, or asks for none.
   *
   * @param className of the class
   */
  public static Optional<String> refusal(
      AnalyticsRunSpec spec, RunClassSpec runClass, String className) {
    return !asksForTools(spec) || runClass.offersToolsTo(spec.language())
        ? Optional.empty()
        : Optional.of(
            "spec.tools requires a class that offers tools to %s: class '%s' has no tools.servers"
                .formatted(spec.language().wireName(), className));
  }

  private static @Nullable List<ToolPermission> both(
      @Nullable List<ToolPermission> one, @Nullable List<ToolPermission> other) {
    if (one == null && other == null) {
      return null;
    }
    // What a newer version grants beyond these is not known to the gateway either.
    return KnownValues.of(ToolPermission.class).stream()
        .filter(permission -> one == null || one.contains(permission))
        .filter(permission -> other == null || other.contains(permission))
        .toList();
  }

  /** The maximum length of the outcome of a call, as a job has it. */
  public int outcomeBytes() {
    long wanted = (long) OUTCOME_BYTES_PER_RESULT_BYTE * resultBytes;
    return Math.clamp(wanted, MIN_OUTCOME_BYTES, Bounds.MAX_TOOL_RESULT_BYTES);
  }
}
