package dev.assay.frontend.run;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Shortens a traceback of Python to what helps to correct the code (pure). Frames of libraries are
 * counted instead of shown, and earlier exceptions that never left a library are omitted: a
 * comparison that pandas refuses has 1,000 tokens of them. Other text stays as it is.
 */
final class PythonTraceback {
  private static final String HEADER = "Traceback (most recent call last):";
  private static final Set<String> LINKS =
      Set.of(
          "The above exception was the direct cause of the following exception:",
          "During handling of the above exception, another exception occurred:");

  private static final Pattern FRAME =
      Pattern.compile("  File \"([^\"]{1,4096})\", line [0-9]{1,9}(?:, in .*)?");

  /** What follows a frame: its source, and the marks below it. */
  private static final String SOURCE = "    ";

  private static final String REPEATED = "  [Previous line repeated ";

  /** Packages and modules where they are installed, Python's and Assay's own as well. */
  private static final Pattern INSTALLED =
      Pattern.compile(
          "(?:.*/(?:(?:site|dist)-packages|lib(?:64)?/python3\\.[0-9]{1,2}|share/assay/library)/"
              + "|<frozen )([A-Za-z0-9_]{1,64}).*");

  /** Sources of compiled packages, whose paths are relative. */
  private static final Pattern COMPILED =
      Pattern.compile("([A-Za-z0-9_]{1,64})/.*\\.(?:pyx|pxi|pxd)");

  private static final int MAX_NAMES = 3;

  private PythonTraceback() {}

  /**
   * The same without frames of libraries.
   *
   * @param traceback as Python prints it
   */
  static String shortened(String traceback) {
    List<String> shown = new ArrayList<>();
    List<String> lines = traceback.lines().toList();
    int position = 0;
    while (position < lines.size()) {
      int end = endOfException(lines, position);
      Shortened exception = exception(lines.subList(position, end));
      if (end == lines.size() || !exception.isOfLibraries()) {
        shown.addAll(exception.lines());
      }
      position = end;
    }
    return String.join("\n", shown);
  }

  /** One exception, with what links it to the next one. */
  private record Shortened(List<String> lines, boolean isOfLibraries) {}

  /** Where the next exception of a chain begins. */
  private static int endOfException(List<String> lines, int begin) {
    for (int line = begin; line + 3 < lines.size(); line++) {
      if (lines.get(line).isEmpty()
          && LINKS.contains(lines.get(line + 1))
          && lines.get(line + 2).isEmpty()
          && lines.get(line + 3).equals(HEADER)) {
        return line + 3;
      }
    }
    return lines.size();
  }

  private static Shortened exception(List<String> lines) {
    if (!lines.getFirst().equals(HEADER)) {
      return new Shortened(lines, false);
    }
    List<String> shown = new ArrayList<>(List.of(HEADER));
    Hidden hidden = new Hidden();
    boolean hasOthers = false;
    boolean isHidden = false;
    int position = 1;
    for (; position < lines.size(); position++) {
      String line = lines.get(position);
      Matcher frame = FRAME.matcher(line);
      if (frame.matches()) {
        Optional<String> library = library(frame.group(1));
        isHidden = library.isPresent();
        library.ifPresent(hidden::add);
        if (!isHidden) {
          hasOthers = true;
          hidden.writeTo(shown);
        }
      } else if (!line.startsWith(SOURCE) && !line.startsWith(REPEATED)) {
        break;
      }
      if (!isHidden) {
        shown.add(line);
      }
    }
    boolean isOfLibraries = !hidden.isEmpty() && !hasOthers;
    hidden.writeTo(shown);
    shown.addAll(lines.subList(position, lines.size()));
    return new Shortened(shown, isOfLibraries);
  }

  /** Frames that follow each other and are not shown. */
  private static final class Hidden {
    private final Set<String> libraries = new LinkedHashSet<>();
    private int frames;

    void add(String library) {
      libraries.add(library);
      frames++;
    }

    boolean isEmpty() {
      return frames == 0;
    }

    void writeTo(List<String> lines) {
      if (isEmpty()) {
        return;
      }
      lines.add(
          "  [%d %s in %s%s]"
              .formatted(
                  frames,
                  frames == 1 ? "frame" : "frames",
                  libraries.stream().limit(MAX_NAMES).collect(Collectors.joining(", ")),
                  libraries.size() > MAX_NAMES ? ", …" : ""));
      libraries.clear();
      frames = 0;
    }
  }

  private static Optional<String> library(String path) {
    for (Pattern pattern : List.of(INSTALLED, COMPILED)) {
      Matcher matcher = pattern.matcher(path);
      if (matcher.matches()) {
        return Optional.of(matcher.group(1));
      }
    }
    return Optional.empty();
  }
}
