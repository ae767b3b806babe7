package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to run. Immutable once created, except for {@code cancel}, which can be set and not unset.
 *
 * @param className the RunClass that defines how and where to run; when absent, the class that is
 *     the default for the language, which {@code status.className} then names
 * @param language what {@code code} is written in; the class must offer it
 * @param code source text, at most {@value Bounds#MAX_CODE_BYTES} bytes of UTF-8; may be empty, and
 *     is absent where there is {@code builtin}
 * @param builtin work that needs no code; requires language sql, whose worker does it
 * @param input the parameters of the code: JSON text of at most {@value Bounds#MAX_INPUT_BYTES}
 *     bytes of UTF-8. In sql an array for positional parameters or an object for named ones; in
 *     polars, and in python with {@code reply}, the variable {@code parameters}; in javascript and
 *     typescript the variable {@code input}
 * @param reply that a value is wanted: polars and sql always return one, python only where this is
 *     present; javascript and typescript always return one, and have no {@code reply}
 * @param mode what the code finds around it; {@code code} requires language python and {@code
 *     code}, and has no {@code reply}
 * @param files files that the code finds in its working directory; their texts at most {@value
 *     Bounds#MAX_FILES_BYTES} bytes of UTF-8 together, and code, input and files at most {@value
 *     Bounds#MAX_PROGRAM_BYTES}
 * @param inputs artifacts and kept frames of earlier runs that the code reads
 * @param keep names of frames that the code leaves for later runs, in python and polars
 * @param cacheName separates cached results of the same work: only a run with the same name can
 *     replace it
 * @param datasets names of datasets in the run's namespace; the first one is {@code df}
 * @param tools the tools of tool servers that the code may call, in python, javascript and
 *     typescript; absent means what the class allows
 * @param script the name of the stored script that {@code code} is a copy of, in javascript and
 *     typescript
 * @param timeoutSeconds time limit from the first instruction of the code; the class's default when
 *     absent, and never above the class's maximum
 * @param timeoutMillis the same in milliseconds, instead of {@code timeoutSeconds}
 * @param outputLimitBytes limit of stored output; the class's limit when absent, and never above it
 * @param caller whom it belongs to: a caller of the front end, or the user of kubectl who created
 *     it
 * @param tool the MCP tool that was called
 * @param requestId the front end's id of the call
 * @param ttlSecondsAfterFinished how long the finished run is kept; the operator's default when
 *     absent
 * @param cancel set to true to stop the run, whatever its phase
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "has(self.code) != has(self.builtin)",
    message = "exactly one of code and builtin is required")
@ValidationRule(
    value = "!has(self.builtin) || self.language == 'sql'",
    message = "builtin requires language sql")
@ValidationRule(
    value = "!has(self.builtin) || (!has(self.input) && !has(self.reply))",
    message = "builtin takes neither input nor reply: use its arguments")
@ValidationRule(
    value = "!has(self.input) || self.language != 'python' || has(self.reply)",
    message = "python takes input only with reply: add reply, or put the values into code")
@ValidationRule(
    value = "!has(self.reply) || !has(self.reply.timeZone) || self.language == 'sql'",
    message = "reply.timeZone requires language sql: python and polars have the zone of a column")
@ValidationRule(
    value =
        "!has(self.mode) || self.mode != 'code'"
            + " || (self.language == 'python' && has(self.code) && !has(self.reply))",
    message = "mode code requires language python and code, and has no reply")
@ValidationRule(
    value =
        "!has(self.keep) || size(self.keep) == 0"
            + " || (has(self.code) && self.language in ['python', 'polars'])",
    message = "keep requires code in python or polars")
@ValidationRule(
    value =
        "!has(self.builtin) || self.builtin.name != 'export'"
            + " || (has(self.inputs) && size(self.inputs) == 1 && has(self.inputs[0].artifact)"
            + " && self.inputs[0].artifact.endsWith('.parquet'))",
    message = "builtin export requires exactly one input, whose artifact is a Parquet file")
@ValidationRule(
    value =
        "!(self.language in ['javascript', 'typescript'])"
            + " || (!has(self.reply)"
            + " && (!has(self.datasets) || size(self.datasets) == 0)"
            + " && (!has(self.files) || size(self.files) == 0)"
            + " && (!has(self.inputs) || size(self.inputs) == 0))",
    message =
        "javascript and typescript take no reply, datasets, files and inputs: put data into"
            + " input")
@ValidationRule(
    value =
        "!has(self.tools)"
            + " || (has(self.code) && self.language in ['python', 'javascript', 'typescript'])",
    message = "tools requires code in python, javascript or typescript")
@ValidationRule(
    value =
        "!has(self.script)"
            + " || (has(self.code) && self.language in ['javascript', 'typescript'])",
    message = "script requires code in javascript or typescript")
@ValidationRule(
    value = "!has(self.timeoutMillis) || !has(self.timeoutSeconds)",
    message = "timeoutSeconds and timeoutMillis exclude each other")
@ValidationRule(
    value = "!has(self.code) || size(bytes(self.code)) <= " + Bounds.MAX_CODE_BYTES,
    message = "code is longer than " + Bounds.MAX_CODE_BYTES + " bytes of UTF-8")
@ValidationRule(
    value = "!has(self.input) || size(bytes(self.input)) <= " + Bounds.MAX_INPUT_BYTES,
    message = "input is longer than " + Bounds.MAX_INPUT_BYTES + " bytes of UTF-8")
@ValidationRule(
    value = "!(has(oldSelf.cancel) && oldSelf.cancel) || (has(self.cancel) && self.cancel)",
    message = "cancel cannot be unset")
@ImmutableExcept(
    value = "cancel",
    message = "spec is immutable, but for cancel: create another run instead")
public record AnalyticsRunSpec(
    @Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL)
        @Nullable String className,
    @Default("python") Language language,
    @Size(max = Bounds.MAX_CODE_BYTES) @Nullable String code,
    @Nullable BuiltinSpec builtin,
    @Size(max = Bounds.MAX_INPUT_BYTES) @Nullable String input,
    @Nullable ReplySpec reply,
    @Nullable RunMode mode,
    @Size(max = Bounds.MAX_FILES) @Nullable List<RunFile> files,
    @Size(max = Bounds.MAX_INPUTS) @Nullable List<RunInput> inputs,
    @Size(max = Bounds.MAX_KEPT_FRAMES)
        @Nullable
            List<@Pattern(FRAME_NAME_PATTERN) @Size(min = 1, max = Bounds.MAX_FRAME_NAME) String>
            keep,
    @Size(min = 1, max = Bounds.MAX_CACHE_NAME) @Nullable String cacheName,
    @Size(max = Bounds.MAX_RUN_DATASETS)
        @Nullable List<@Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String>
            datasets,
    @Nullable RunTools tools,
    @Pattern(SCRIPT_PATTERN) @Size(min = 1, max = Bounds.MAX_SCRIPT_NAME) @Nullable String script,
    @Min(1) @Max(Bounds.MAX_TIMEOUT_SECONDS) @Nullable Integer timeoutSeconds,
    @Min(1) @Max(Bounds.MAX_TIMEOUT_SECONDS * 1000) @Nullable Integer timeoutMillis,
    @Min(1024) @Max(67_108_864) @Nullable Integer outputLimitBytes,
    @Size(max = 253) @Nullable String caller,
    @Size(max = 64) @Nullable String tool,
    @Size(max = 128) @Nullable String requestId,
    @Min(0) @Max(604_800) @Nullable Integer ttlSecondsAfterFinished,
    @Nullable Boolean cancel)
    implements AnalyticsRunSpecBuilder.With {
  /** What Kubernetes accepts as a key of a ConfigMap. */
  private static final String SCRIPT_PATTERN = "^[-._a-zA-Z0-9]+$";

  /** A name of a variable, in ASCII. */
  private static final String FRAME_NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$";

  private static final java.util.regex.Pattern FRAME_NAME =
      java.util.regex.Pattern.compile(FRAME_NAME_PATTERN);

  /** Whether a frame can be kept under a name. */
  public static boolean isFrameName(String name) {
    return name.length() <= Bounds.MAX_FRAME_NAME && FRAME_NAME.matcher(name).matches();
  }

  /** Whether it asks only for what this version has. */
  boolean understood() {
    return (code != null || builtin != null)
        && language != Language.UNKNOWN
        && mode != RunMode.UNKNOWN
        && (builtin == null || builtin.name() != Builtin.UNKNOWN)
        && (reply == null || reply.chart() == null || reply.chart().type() != ChartType.UNKNOWN);
  }

  /** The named datasets, in order; empty where none is named. */
  public List<String> datasetNames() {
    return datasets == null ? List.of() : datasets;
  }

  /** What the code finds around it, never by a former name. */
  public RunMode runMode() {
    return mode == null ? RunMode.STANDARD : mode.normalized();
  }

  /** The files; empty where there are none. */
  public List<RunFile> fileList() {
    return files == null ? List.of() : files;
  }

  /** The inputs, in order; empty where there are none. */
  public List<RunInput> inputList() {
    return inputs == null ? List.of() : inputs;
  }

  /** The names of the frames to keep; empty where there are none. */
  public List<String> keptFrames() {
    return keep == null ? List.of() : keep;
  }

  /** How many rows of a table the caller wants. */
  public int replyRows() {
    return reply == null ? Bounds.DEFAULT_REPLY_ROWS : reply.rows();
  }

  /** Whether the caller asked for the run to be stopped. */
  public boolean cancelRequested() {
    return Boolean.TRUE.equals(cancel);
  }
}
