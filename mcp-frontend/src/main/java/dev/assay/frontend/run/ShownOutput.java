package dev.assay.frontend.run;

import org.jspecify.annotations.Nullable;

/**
 * The output of a run as a reply shows it.
 *
 * @param text fit to be shown; what was left out is said in it
 * @param nextOffset the byte of the stored output that a further read begins with; null where there
 *     is nothing more to read
 */
public record ShownOutput(String text, @Nullable Long nextOffset) {
  static final ShownOutput NONE = new ShownOutput("", null);

  /** The call that shows what was left out. */
  static String call(String run, long offset) {
    return "get_run(name=\"" + run + "\", offset=" + offset + ")";
  }
}
