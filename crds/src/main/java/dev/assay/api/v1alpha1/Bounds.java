package dev.assay.api.v1alpha1;

/** Bounds shared by the kinds. Lengths are in characters unless a name says otherwise. */
public final class Bounds {
  /** Maximum bytes of UTF-8 of a run's code; the schema limits its characters. */
  public static final int MAX_CODE_BYTES = 262_144;

  /** Maximum bytes of UTF-8 of a run's input. */
  public static final int MAX_INPUT_BYTES = 262_144;

  /** Maximum number of files that a run brings along. */
  public static final int MAX_FILES = 32;

  /** Maximum bytes of UTF-8 of the texts of a run's files, together. */
  public static final int MAX_FILES_BYTES = 262_144;

  /** Maximum bytes of UTF-8 of a run's code, input and files, together. */
  public static final int MAX_PROGRAM_BYTES = 524_288;

  /** Maximum bytes of UTF-8 of the path of a file below a run's working directory. */
  public static final int MAX_PATH_BYTES = 256;

  /** Longest name of an object of Kubernetes: an RFC 1123 subdomain. */
  public static final int MAX_SUBDOMAIN = 253;

  /** An RFC 1123 subdomain: the name of a run. */
  public static final String SUBDOMAIN_PATTERN =
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

  /** Maximum number of inputs that a run may name. */
  public static final int MAX_INPUTS = 16;

  /** Maximum number of artifacts that a run reads, with all frames that its inputs stand for. */
  public static final int MAX_PINNED_INPUTS = 64;

  /** Maximum number of frames that a run may keep. */
  public static final int MAX_KEPT_FRAMES = 16;

  /** Longest name of a frame that a run keeps. */
  public static final int MAX_FRAME_NAME = 64;

  /** Maximum number of artifacts that any class may allow. */
  public static final int MAX_ARTIFACTS = 128;

  /** Maximum bytes of artifacts of a run that any class may allow. */
  public static final long MAX_ARTIFACT_BYTES = 1L << 34;

  /** Maximum bytes of UTF-8 of the arguments of builtin work. */
  public static final int MAX_ARGUMENTS_BYTES = 16_384;

  /** Rows of a table that a caller gets if the run does not say. */
  public static final int DEFAULT_REPLY_ROWS = 100;

  /** Maximum rows of a table that a run can ask for. */
  public static final int MAX_REPLY_ROWS = 1000;

  /** Longest name of a line of the cache. */
  public static final int MAX_CACHE_NAME = 64;

  /** Longest name of a time zone. */
  public static final int MAX_TIME_ZONE = 64;

  /** Longest name of an image. */
  public static final int MAX_IMAGE = 512;

  /** Longest digest of an image, such as {@code sha256:...}. */
  public static final int MAX_IMAGE_ID = 128;

  /** Hexadecimal digits of a SHA-256. */
  public static final int DIGEST_HEX = 64;

  /**
   * Maximum bytes of UTF-8 of a stored value: what code may return, with each control character, of
   * one byte or two, written as an escape of six.
   */
  public static final int MAX_VALUE_BYTES = 6 * 262_144;

  /** Maximum bytes of UTF-8 of a value that a status contains. */
  public static final int MAX_STATUS_VALUE_BYTES = 8 * 1024;

  /** Maximum bytes of UTF-8 of an inline dataset. */
  public static final int MAX_INLINE_BYTES = 262_144;

  /** Maximum bytes or rows that a class may allow a source. */
  public static final long MAX_SOURCE = 1L << 40;

  /** Longest name of a dataset, class, volume or namespace: an RFC 1123 label. */
  public static final int MAX_LABEL = 63;

  /** An RFC 1123 label: what Kubernetes accepts in a volume name and a mount path may carry. */
  public static final String LABEL_PATTERN = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

  /** Maximum number of datasets that a run may name. */
  public static final int MAX_RUN_DATASETS = 16;

  /** Longest run time, in seconds, that any class may allow. */
  public static final int MAX_TIMEOUT_SECONDS = 600;

  /** Longest time, in seconds, that a class may allow one snapshot. */
  public static final int MAX_SNAPSHOT_SECONDS = 14_400;

  /** Maximum bytes of output that a status contains, head and tail together. */
  public static final int MAX_STATUS_OUTPUT_BYTES = 16 * 1024;

  /** Maximum number of runs that a class may limit a namespace to. */
  public static final int MAX_CONCURRENT_RUNS = 10_000;

  /** Maximum number of idle Pods that a class may keep in a namespace, for each worker. */
  public static final int MAX_WARM_PODS = 100;

  /** Maximum number of warm pools that the status of a class lists. */
  public static final int MAX_STATUS_POOLS = 256;

  /** Maximum length of the message of a warm pool in the status of a class. */
  public static final int MAX_POOL_MESSAGE = 512;

  /** How often making a snapshot is tried, each time in a Pod of its own. */
  public static final int SNAPSHOT_ATTEMPTS = 3;

  /** Longest URL of a tool server. */
  public static final int MAX_TOOL_SERVER_URL = 2048;

  /** Longest name of a tool, as MCP recommends. */
  public static final int MAX_TOOL_NAME = 128;

  /** Maximum number of tools that a tool server may have. */
  public static final int MAX_TOOLS = 1024;

  /** Characters of the summary of a tool in a status. */
  public static final int MAX_TOOL_SUMMARY = 120;

  /** Maximum number of tool servers that a run, a class or a grant may name. */
  public static final int MAX_RUN_TOOL_SERVERS = 64;

  /** Maximum number of tool calls that a run may name as its limit. */
  public static final int MAX_RUN_TOOL_CALLS = 1_000_000;

  /** Of a run, whatever it asks for. The operator remembers each while the run is followed. */
  public static final int MAX_CLASS_TOOL_CALLS = 100_000;

  /** Maximum number of tool calls of a run that are in flight at once. */
  public static final int MAX_PARALLEL_TOOL_CALLS = 32;

  /** Tool calls of a batch that are in flight at once if the call of a script does not say. */
  public static final int DEFAULT_PARALLEL_TOOL_CALLS = 8;

  /** Maximum bytes of the result of a tool call that any class may allow. */
  public static final int MAX_TOOL_RESULT_BYTES = 8 << 20;

  /** Longest name of a stored script: a key of a ConfigMap, without its extension. */
  public static final int MAX_SCRIPT_NAME = 128;

  private Bounds() {}
}
