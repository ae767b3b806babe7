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
 * counted instead of shown, and of an earlier exception that never left a library the message stays
 * where the next one has another: a comparison that pandas refuses has 1,000 tokens of frames.
 * Other text stays as it is. A message that looks like a traceback is shortened like one.
 */
final class PythonTraceback {
  private static final String HEADER = "Traceback (most recent call last):";
  private static final Set<String> LINKS =
      Set.of(
          "The above exception was the direct cause of the following exception:",
          "During handling of the above exception, another exception occurred:");

  /** An empty line, a link, an empty line. */
  private static final int LINK_LINES = 3;

  private static final Pattern FRAME =
      Pattern.compile("  File \"([^\"]{1,4096})\", line [0-9]{1,9}(?:, in .*)?");

  /** What follows a frame: its source, and the marks below it. */
  private static final String SOURCE = "    ";

  private static final String REPEATED = "  [Previous line repeated ";

  /** In the place of the middle of a long traceback; the line after it may be part of one. */
  private static final Pattern LEFT_OUT =
      Pattern.compile("\\.\\.\\. [0-9]{1,9} or more bytes left out \\.\\.\\.");

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
    List<Printed> chain = chain(traceback.lines().toList());
    List<String> shown = new ArrayList<>();
    for (int i = 0; i < chain.size(); i++) {
      Printed exception = chain.get(i);
      if (i == chain.size() - 1 || !exception.isOfLibraries()) {
        shown.addAll(exception.frames());
      } else if (exception.message().equals(chain.get(i + 1).message())) {
        continue;
      }
      shown.addAll(exception.message());
      shown.addAll(exception.link());
    }
    return String.join("\n", shown);
  }

  /**
   * An exception.
   *
   * @param frames with the line above them
   * @param isOfLibraries whether all of its frames are of libraries
   * @param message its type and message
   * @param link to the next one
   */
  private record Printed(
      List<String> frames, boolean isOfLibraries, List<String> message, List<String> link) {}

  /** Exceptions in the order in which they were raised; at least one. */
  private static List<Printed> chain(List<String> lines) {
    List<Printed> chain = new ArrayList<>();
    int begin = 0;
    for (int line = 0; line + LINK_LINES < lines.size(); line++) {
      if (lines.get(line).isEmpty()
          && LINKS.contains(lines.get(line + 1))
          && lines.get(line + 2).isEmpty()
          && lines.get(line + LINK_LINES).equals(HEADER)) {
        int next = line + LINK_LINES;
        chain.add(printed(lines.subList(begin, line), lines.subList(line, next)));
        begin = next;
      }
    }
    chain.add(printed(lines.subList(begin, lines.size()), List.of()));
    return chain;
  }

  private static Printed printed(List<String> lines, List<String> link) {
    Frames frames = new Frames();
    int end = lines.isEmpty() || !lines.getFirst().equals(HEADER) ? 0 : frames.read(lines);
    return new Printed(
        frames.shown, frames.isOfLibraries(), lines.subList(end, lines.size()), link);
  }

  /** The frames of an exception, in which those of libraries are counted. */
  private static final class Frames {
    private final List<String> shown = new ArrayList<>();
    private final Set<String> libraries = new LinkedHashSet<>();
    private int hidden;
    private boolean hasHidden;
    private boolean hasOthers;

    /** Takes the lines of frames; returns the number of the first line that is none. */
    int read(List<String> lines) {
      shown.add(lines.getFirst());
      boolean isShown = true;
      int position = 1;
      while (position < lines.size()) {
        String line = lines.get(position);
        Matcher frame = FRAME.matcher(line);
        if (frame.matches()) {
          isShown = add(frame.group(1));
        } else if (LEFT_OUT.matcher(line).matches()) {
          int next = nextFrame(lines, position);
          if (next == lines.size()) {
            break;
          }
          hasOthers = true;
          flush();
          shown.add(line);
          position = next;
          continue;
        } else if (!line.startsWith(SOURCE) && !line.startsWith(REPEATED)) {
          break;
        }
        if (isShown) {
          shown.add(line);
        }
        position++;
      }
      flush();
      return position;
    }

    boolean isOfLibraries() {
      return hasHidden && !hasOthers;
    }

    /** Whether the frame with this path is to be shown. */
    private boolean add(String path) {
      Optional<String> library = library(path);
      if (library.isPresent()) {
        libraries.add(library.get());
        hidden++;
        hasHidden = true;
        return false;
      }
      hasOthers = true;
      flush();
      return true;
    }

    private void flush() {
      if (hidden == 0) {
        return;
      }
      shown.add(
          "  [%d %s in %s%s]"
              .formatted(
                  hidden,
                  hidden == 1 ? "frame" : "frames",
                  libraries.stream().limit(MAX_NAMES).collect(Collectors.joining(", ")),
                  libraries.size() > MAX_NAMES ? ", …" : ""));
      libraries.clear();
      hidden = 0;
    }

    private static int nextFrame(List<String> lines, int after) {
      int position = after;
      while (position < lines.size() && !FRAME.matcher(lines.get(position)).matches()) {
        position++;
      }
      return position;
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
