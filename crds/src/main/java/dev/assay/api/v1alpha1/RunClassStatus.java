package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a class. Written by the operator only.
 *
 * @param image the image that {@code imageID} is of
 * @param imageID the digest that the image had in the newest Pod
 * @param imageIDSeen when it was first seen, RFC 3339
 * @param warmPool its warm pools, some seconds old; absent if it has none
 * @param conditions the condition NetworkPolicyEnforced, of classes of purpose Run
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunClassStatus(
    @Size(max = Bounds.MAX_IMAGE) @Nullable String image,
    @Size(max = Bounds.MAX_IMAGE_ID) @Nullable String imageID,
    @Size(max = 40) @Nullable String imageIDSeen,
    @Nullable WarmPoolStatus warmPool,
    @Size(max = 8) @Nullable List<Condition> conditions)
    implements RunClassStatusBuilder.With {
  /** A class of which nothing is known. */
  public static final RunClassStatus EMPTY = new RunClassStatus(null, null, null, null, null);

  /**
   * The warm pools of a class, all together.
   *
   * @param ready Pods that wait for a run
   * @param starting Pods that are starting
   * @param hits runs that were assigned a warm Pod at once
   * @param misses eligible runs that found no warm Pod at once, also if they were given one later
   * @param pools the pools one by one, those with the most runs; the sums count the others too
   */
  @RecordBuilder
  public record WarmPoolStatus(
      @Required @Min(0) int ready,
      @Required @Min(0) int starting,
      @Required @Min(0) long hits,
      @Required @Min(0) long misses,
      @Required @Size(max = Bounds.MAX_STATUS_POOLS) List<NamespacePool> pools) {}

  /**
   * The pool of a worker in a namespace.
   *
   * @param namespace the namespace
   * @param worker what executes the code: {@code python} (Python and Polars), {@code jvm} (SQL) or
   *     {@code javascript} (JavaScript and TypeScript)
   * @param ready Pods that wait for a run
   * @param starting Pods that are starting
   * @param hits runs that were assigned a warm Pod at once
   * @param misses eligible runs that found no warm Pod at once, also if they were given one later
   * @param message why some of its Pods are withheld from runs
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record NamespacePool(
      @Required @Size(max = Bounds.MAX_LABEL) String namespace,
      @Required @Size(max = Bounds.MAX_LABEL) String worker,
      @Required @Min(0) int ready,
      @Required @Min(0) int starting,
      @Required @Min(0) long hits,
      @Required @Min(0) long misses,
      @Size(max = Bounds.MAX_POOL_MESSAGE) @Nullable String message) {}
}
