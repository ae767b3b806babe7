package dev.assay.jvm.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a job failed, for the user who sent it. */
public final class JobFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** Lengths in characters of what a script, or a compiler that quotes it, says of an error. */
  private static final int MAX_TYPE = 256;

  private static final int MAX_MESSAGE = 8 * 1024;
  private static final int MAX_STACK = 32 * 1024;

  private final ErrorCode code;
  private final String type;
  private final transient @Nullable Place place;
  private final transient List<String> suggestions;
  private final transient Details details;

  /**
   * What is known of some failures besides.
   *
   * @param partialValue the value that the job has nevertheless
   * @param stack of a script
   * @param missingName what was not found
   */
  private record Details(
      @Nullable String partialValue, @Nullable String stack, @Nullable String missingName) {
    static final Details NONE = new Details(null, null, null);
  }

  /**
   * A failure.
   *
   * @param type a short name such as {@code BinderError}
   * @param message what happened and what to do next
   * @param place where in the user's code
   * @param suggestions sentences that help to correct the call
   */
  public JobFailure(
      ErrorCode code,
      String type,
      String message,
      @Nullable Place place,
      List<String> suggestions) {
    this(code, type, message, place, suggestions, Details.NONE);
  }

  private JobFailure(
      ErrorCode code,
      String type,
      String message,
      @Nullable Place place,
      List<String> suggestions,
      Details details) {
    super(message, null, false, false);
    this.code = code;
    this.type = type;
    this.place = place;
    this.suggestions = List.copyOf(suggestions);
    this.details = details;
  }

  /** A failure that has no place in the code. */
  public JobFailure(ErrorCode code, String type, String message) {
    this(code, type, message, null, List.of());
  }

  /**
   * A failure of a script. Texts that are too long are cut.
   *
   * @param place where in the script, whose {@code context} is not used
   * @param stack as the engine writes it; empty for none
   */
  public static JobFailure inScript(
      ErrorCode code, String type, String message, @Nullable Place place, String stack) {
    return new JobFailure(
        code,
        cut(type, MAX_TYPE),
        cut(message, MAX_MESSAGE),
        place,
        List.of(),
        new Details(null, stack.isEmpty() ? null : cut(stack, MAX_STACK), null));
  }

  private static String cut(String text, int maximum) {
    return text.length() <= maximum ? text : text.substring(0, maximum - 1) + "…";
  }

  /** The same failure of a job that has a value nevertheless: what there is of its rows. */
  public JobFailure withValue(String valueJson) {
    return new JobFailure(
        code,
        type,
        message(),
        place,
        suggestions,
        new Details(valueJson, details.stack(), details.missingName()));
  }

  /** The same failure, with the name that was not found: the caller may know a dataset of it. */
  public JobFailure withMissingName(String name) {
    return new JobFailure(
        code,
        type,
        message(),
        place,
        suggestions,
        new Details(details.partialValue(), details.stack(), cut(name, MAX_TYPE)));
  }

  /**
   * A place in the user's code.
   *
   * @param line from 1
   * @param column from 1, in characters
   * @param context the line, shortened, and a caret below the place
   */
  public record Place(int line, int column, String context) {
    private static final int CONTEXT_CHARACTERS = 60;

    /**
     * A place in a query.
     *
     * @param at position of a character of the code, from 0
     */
    public static Place of(String code, int at) {
      int lineStart = code.lastIndexOf('\n', at - 1) + 1;
      int lineEnd = code.indexOf('\n', at) < 0 ? code.length() : code.indexOf('\n', at);
      int line = 1 + (int) code.substring(0, lineStart).chars().filter(c -> c == '\n').count();
      return new Place(line, at - lineStart + 1, context(code, lineStart, at, lineEnd));
    }

    private static String context(String code, int lineStart, int at, int lineEnd) {
      int from = Math.max(lineStart, at - CONTEXT_CHARACTERS);
      int to = Math.min(lineEnd, at + CONTEXT_CHARACTERS);
      String before = (from > lineStart ? "…" : "") + code.substring(from, at);
      String after = code.substring(at, to) + (to < lineEnd ? "…" : "");
      String shown = (before + after).replaceAll("\\p{Cntrl}", " ");
      return shown + "\n" + " ".repeat(before.length()) + "^";
    }

    /** The place as the engine's own command line shows it. */
    public String inQuery() {
      String prefix = "LINE " + line + ": ";
      return prefix + context.replace("\n", "\n" + " ".repeat(prefix.length()));
    }
  }

  public ErrorCode code() {
    return code;
  }

  public String type() {
    return type;
  }

  /** The name that was not found, of a table or a variable; null if the failure is another. */
  public @Nullable String missingName() {
    return details.missingName();
  }

  /** What happened and what to do next. */
  public String message() {
    return String.valueOf(getMessage());
  }

  public @Nullable Place place() {
    return place;
  }

  /** Where the error was raised, for people; null if that is not known. */
  public @Nullable String traceback() {
    if (details.stack() != null) {
      return details.stack();
    }
    return place == null || place.context().isEmpty() ? null : place.inQuery();
  }

  public List<String> suggestions() {
    return suggestions;
  }

  /** The value of the job, which describes the failure too. */
  public String valueJson() {
    String partial = details.partialValue();
    return partial == null ? FailureJson.value(this) : partial;
  }
}
