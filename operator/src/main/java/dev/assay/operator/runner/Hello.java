package dev.assay.operator.runner;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the runner at an address.
 *
 * @param protocol version of the runner protocol
 * @param podUid UID of the runner's Pod
 * @param nonce of the runner process
 * @param state Idle, Staged, Started, Finished or Refused
 * @param runUid the run that it was assigned, if any
 * @param snapshots which snapshots the supervisor opens for that run's job, as a digest; null for
 *     none, and where it does not say
 * @param keyIds the keys that it trusts
 * @param features what it supports beyond the base of its version
 */
public record Hello(
    @JsonProperty(required = true) int protocol,
    @JsonProperty(required = true) String podUid,
    @JsonProperty(required = true) String nonce,
    @JsonProperty(required = true) String state,
    @Nullable String runUid,
    @Nullable String snapshots,
    @Nullable List<String> keyIds,
    @Nullable List<String> features) {
  private static final String IDLE = "Idle";
  private static final String STAGED = "Staged";
  private static final String REFUSED = "Refused";

  /** Formats beyond CSV, JSON and Parquet, and options, compression and limits of a source. */
  public static final String SOURCES = "sources";

  /** Uploaded sources. */
  public static final String UPLOADS = "uploads";

  /** The names and the order of a run's datasets in its job. */
  public static final String DATASETS = "datasets";

  /** Sources without a frame, and folders of Parquet files. */
  public static final String TABLES = "tables";

  /** Datasets that the supervisor opens for a Pod that was made before its run. */
  public static final String SNAPSHOTS = "snapshots";

  /** Jobs of kind {@code polars}. */
  public static final String POLARS = "polars";

  /** Jobs of kind {@code sql}. */
  public static final String SQL = "sql";

  /** Jobs of kind {@code builtin}. */
  public static final String BUILTIN = "builtin";

  /** Jobs of kind {@code javascript}. */
  public static final String JAVASCRIPT = "javascript";

  /** A value of Python, and its input. */
  public static final String REPLY = "reply";

  /** The directory {@code /workspace}, and the display names of datasets. */
  public static final String WORKSPACE = "workspace";

  /** The files that a run leaves: the member {@code collect}, and the event {@code artifact}. */
  public static final String ARTIFACTS = "artifacts";

  /** Several artifacts in response to one request. */
  public static final String ARTIFACT_STREAM = "artifactStream";

  /** Files that a run leaves outside of the folders for them: the member {@code anywhere}. */
  public static final String ANYWHERE = "anywhere";

  /** Texts that a run finds as files. */
  public static final String FILES = "files";

  /** Artifacts of earlier runs that a run reads. */
  public static final String INPUTS = "inputs";

  /** Frames that a run leaves for later ones. */
  public static final String KEEP = "keep";

  /** Code with the analytics library, and the guard that checks it before it is started. */
  public static final String CODE = "code";

  /** Charts of the rows of a reply. */
  public static final String CHARTS = "charts";

  /** The time zone of a query in SQL. */
  public static final String TIME_ZONE = "timeZone";

  /** Jobs of kind {@code builtin} with the name {@code export}. */
  public static final String EXPORT = "export";

  /** Calls of tools: the member {@code tools}, and the event {@code tool_call}. */
  public static final String TOOLS = "tools";

  /** An attempt to connect, which the network of the Pod is to refuse. */
  public static final String EGRESS = "egress";

  /** A Pod that can be told to start nothing any more. */
  public static final String REFUSE = "refuse";

  /** Whether it has no job and has never had one. */
  public boolean isIdle() {
    return IDLE.equals(state);
  }

  /** Whether it has a job that was not started. */
  public boolean isStaged() {
    return STAGED.equals(state);
  }

  /** Whether it was {@linkplain Retirement retired}: it starts nothing any more. */
  public boolean isRetired() {
    return REFUSED.equals(state);
  }

  /** Whether it supports an optional feature. */
  public boolean supports(String feature) {
    return features != null && features.contains(feature);
  }
}
