package dev.assay.api.v1alpha1;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Paths of files below the working directory of a run: relative, of at most {@value
 * Bounds#MAX_PATH_BYTES} bytes of UTF-8, without characters that control a terminal or the
 * direction of text, without backslashes, which separate folders elsewhere, and without empty
 * parts, {@code .} and {@code ..}.
 */
public final class FilePath {
  /** The folder of the files that code mode keeps about a run. */
  public static final String WORK = ".work";

  /** No control characters, backslashes, line separators, and marks of direction. */
  static final String PATTERN = "^[^\\p{Cc}\\\\\\x{2028}-\\x{202E}\\x{2066}-\\x{2069}]+$";

  /** The rest, in CEL, of the field {@code path}. */
  static final String RULE =
      "(size(bytes(self.path)) <= "
          + Bounds.MAX_PATH_BYTES
          + " && self.path.split('/').all(p, p != '..' && p != '.' && p != ''))";

  static final String MESSAGE =
      "path must be relative, without '.', '..' and empty parts, and of at most "
          + Bounds.MAX_PATH_BYTES
          + " bytes of UTF-8";

  private static final Pattern HARMLESS = Pattern.compile(PATTERN, Pattern.DOTALL);

  private FilePath() {}

  /** Whether a text is such a path. */
  public static boolean isValid(String path) {
    return HARMLESS.matcher(path).matches()
        && UTF_8.newEncoder().canEncode(path)
        && path.getBytes(UTF_8).length <= Bounds.MAX_PATH_BYTES
        && Arrays.stream(path.split("/", -1)).noneMatch(FilePath::isNoName);
  }

  /** Whether code mode keeps its own files there, so that no call may bring one. */
  public static boolean isReserved(String path) {
    return path.equals(WORK) || path.startsWith(WORK + "/");
  }

  private static boolean isNoName(String part) {
    return part.isEmpty() || part.equals(".") || part.equals("..");
  }
}
