package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.FilePath;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.run.Text;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where an export is written: below {@code /workspace}, which is the working directory of a run.
 */
public final class ExportPath {
  /** The working directory. */
  public static final String WORKSPACE = "/workspace";

  /** Of which the platform has its own idea. */
  private static final Set<String> RESERVED =
      Set.of(".work", "results", "charts", "frames", "main.py");

  private static final int MAX_SHOWN = 80;

  private ExportPath() {}

  /**
   * The path of a file or folder, relative to the working directory.
   *
   * @param destination a folder, absolute or relative
   * @param name of the file or folder in it
   * @throws BadArgumentException where it is not below the working directory, or cannot be a path
   */
  public static String of(String destination, String name) {
    if (name.isBlank() || name.contains("/") || name.equals(".") || name.equals("..")) {
      throw BadArgumentException.value("'filename' must be a name without '/'");
    }
    String inside = inside(destination);
    List<String> parts =
        Arrays.stream(inside.split("/", -1))
            .filter(part -> !part.isEmpty() && !part.equals("."))
            .toList();
    if (parts.contains("..")) {
      throw refused("has '..'", destination);
    }
    String path = parts.stream().map(part -> part + "/").collect(Collectors.joining()) + name;
    if (!FilePath.isValid(path)) {
      throw refused(
          "and 'filename' are too long together, or have characters that a path cannot have",
          destination);
    }
    if (RESERVED.contains(path.split("/", 2)[0])) {
      throw refused("is used by Assay itself; use another folder, such as exports", destination);
    }
    return path;
  }

  private static String inside(String destination) {
    if (destination.contains("://")) {
      throw refused("is a URL; name a folder below /workspace", destination);
    }
    if (!destination.startsWith("/")) {
      return destination;
    }
    if (destination.equals(WORKSPACE) || destination.startsWith(WORKSPACE + "/")) {
      return destination.substring(WORKSPACE.length());
    }
    throw refused("is outside of /workspace; name a folder below it", destination);
  }

  private static BadArgumentException refused(String why, String destination) {
    return BadArgumentException.value(
        "'destination' " + why + ": '" + Text.oneLine(destination, MAX_SHOWN) + "'");
  }
}
