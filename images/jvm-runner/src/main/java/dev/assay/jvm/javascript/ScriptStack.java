package dev.assay.jvm.javascript;

import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stack of an error as V8 writes it, with the places of the user's code and without the frames
 * of the prelude. User code can write any text in its place.
 *
 * @param text the stack; empty where there is none
 * @param first the innermost place in the script
 */
record ScriptStack(String text, Optional<Position> first) {
  /** What V8 calls the code of the user. */
  static final String SCRIPT = "script";

  /** What it calls ours. */
  static final String PRELUDE = "assay:prelude";

  private static final Pattern PLACE =
      Pattern.compile("(?<![\\w./:-])" + SCRIPT + ":(\\d{1,9}):(\\d{1,9})");

  private static final String FRAME = "    at ";

  /** How the prelude starts a script. */
  private static final String EVALUATED = FRAME + "eval (" + SCRIPT + ":";

  private static final String EVALUATION = FRAME + "eval (<anonymous>)";

  /** Reads the stack of an error. */
  static ScriptStack of(String stack, Positions positions) {
    StringBuilder text = new StringBuilder();
    Position first = null;
    for (String line : stack.lines().toList()) {
      if (line.equals(EVALUATION) || (line.startsWith(FRAME) && line.contains(PRELUDE + ":"))) {
        continue;
      }
      String frame =
          line.startsWith(EVALUATED)
              ? FRAME + line.substring(EVALUATED.length() - SCRIPT.length() - 1, line.length() - 1)
              : line;
      Matcher places = PLACE.matcher(frame);
      if (first == null && frame.startsWith(FRAME) && places.find()) {
        first = place(places, positions);
      }
      text.append(text.isEmpty() ? "" : "\n")
          .append(
              frame.startsWith(FRAME)
                  ? places.replaceAll(found -> written(place(found, positions)))
                  : frame);
    }
    return new ScriptStack(text.toString(), Optional.ofNullable(first));
  }

  private static Position place(MatchResult found, Positions positions) {
    int line = Math.max(Integer.parseInt(found.group(1)), 1);
    return positions.original(new Position(line, Math.max(Integer.parseInt(found.group(2)), 1)));
  }

  private static String written(Position position) {
    return SCRIPT + ":" + position.line() + ":" + position.column();
  }
}
