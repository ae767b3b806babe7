package dev.assay.frontend.call;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a tool answers. Clients show an agent either the content or the structured content, so that
 * each of them is the whole answer.
 *
 * @param content its blocks, in their order
 * @param structured an instance of the record that the tool declares as its output; null where it
 *     declares none, and null in most errors
 * @param isError whether the call failed, by the caller's code or by ours
 * @param outcome one word for the log
 * @param isUntrusted whether a part of it may come from servers that nobody here vouches for
 */
public record Reply(
    List<ContentBlock> content,
    @Nullable Record structured,
    boolean isError,
    String outcome,
    boolean isUntrusted) {
  private static final String SUCCEEDED = "Succeeded";

  public Reply {
    content = List.copyOf(content);
  }

  /** A reply of what is known here. */
  public Reply(
      List<ContentBlock> content, @Nullable Record structured, boolean isError, String outcome) {
    this(content, structured, isError, outcome, false);
  }

  /** A call that did what it should. */
  public static Reply success(String text) {
    return success(text, null);
  }

  /** The same, with what its text says as a record. */
  public static Reply success(String text, @Nullable Record structured) {
    return new Reply(List.of(new ContentBlock.Text(text)), structured, false, SUCCEEDED);
  }

  /** A call that failed. */
  public static Reply failure(String text, String outcome) {
    return new Reply(List.of(new ContentBlock.Text(text)), null, true, outcome);
  }

  /** A call that failed outside the caller's code. */
  public static Reply executionError(String type, String message) {
    return failure("EXECUTION ERROR: " + type + ": " + message, type);
  }

  /**
   * The same, marked where it may contain content of tool servers.
   *
   * @param mayContainIt false leaves it as it is
   */
  public Reply marked(boolean mayContainIt) {
    return new Reply(content, structured, isError, outcome, isUntrusted || mayContainIt);
  }

  /** The same with structured content. */
  public Reply withStructured(Record other) {
    return new Reply(content, other, isError, outcome, isUntrusted);
  }

  /** The same with further blocks behind its own. */
  public Reply withFurther(List<ContentBlock> blocks) {
    List<ContentBlock> all = new ArrayList<>(content);
    all.addAll(blocks);
    return new Reply(all, structured, isError, outcome, isUntrusted);
  }

  /** The same with other text blocks. */
  public Reply mapText(UnaryOperator<String> change) {
    return new Reply(
        content.stream()
            .map(
                block ->
                    block instanceof ContentBlock.Text text
                        ? new ContentBlock.Text(change.apply(text.text()))
                        : block)
            .toList(),
        structured,
        isError,
        outcome,
        isUntrusted);
  }

  /** Its text blocks, one after the other. */
  public String text() {
    return content.stream()
        .map(block -> block instanceof ContentBlock.Text text ? text.text() : "")
        .collect(Collectors.joining());
  }
}
