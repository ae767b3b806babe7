package dev.assay.jvm.javascript;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The positions of a source map of version 3, of which it reads the mappings: for each line of the
 * text, segments of numbers in base 64 that are relative to the ones before.
 */
final class SourceMap implements Positions {
  private static final String DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  private static final int CONTINUES = 32;
  private static final int BITS = 5;

  /** Of a segment: a column of the text, and the source, line and column that it is from. */
  private static final int PLACE_NUMBERS = 4;

  private final Supplier<String> mappings;
  private @Nullable List<NavigableMap<Integer, Position>> decoded;

  /**
   * The positions of a map that is read when one is asked for, which takes longer than compiling.
   *
   * @param mappings the member of that name
   */
  SourceMap(Supplier<String> mappings) {
    this.mappings = mappings;
  }

  private List<NavigableMap<Integer, Position>> lines() {
    List<NavigableMap<Integer, Position>> lines = decoded;
    if (lines == null) {
      lines = decode(mappings.get());
      decoded = lines;
    }
    return lines;
  }

  private static List<NavigableMap<Integer, Position>> decode(String mappings) {
    List<NavigableMap<Integer, Position>> lines = new ArrayList<>();
    int line = 0;
    int column = 0;
    for (String text : mappings.split(";", -1)) {
      NavigableMap<Integer, Position> segments = new TreeMap<>();
      int start = 0;
      for (String segment : text.split(",", -1)) {
        int[] numbers = numbers(segment);
        start += numbers[0];
        if (numbers.length >= PLACE_NUMBERS) {
          line += numbers[2];
          column += numbers[3];
          segments.put(start, new Position(line + 1, column + 1));
        }
      }
      lines.add(segments);
    }
    return lines;
  }

  private static int[] numbers(String segment) {
    int[] numbers = new int[Math.max(segment.length(), 1)];
    int count = 0;
    int shift = 0;
    for (int i = 0; i < segment.length(); i++) {
      int digit = DIGITS.indexOf(segment.charAt(i));
      numbers[count] |= (digit & (CONTINUES - 1)) << shift;
      shift += BITS;
      if ((digit & CONTINUES) == 0) {
        int number = numbers[count];
        numbers[count++] = (number & 1) == 0 ? number >> 1 : -(number >> 1);
        shift = 0;
      }
    }
    return Arrays.copyOf(numbers, Math.max(count, 1));
  }

  /** The place of the last segment that begins before, on this line or an earlier one. */
  @Override
  public Position original(Position position) {
    List<NavigableMap<Integer, Position>> lines = lines();
    int index = Math.min(position.line(), lines.size()) - 1;
    if (index == position.line() - 1) {
      Map.Entry<Integer, Position> found = lines.get(index).floorEntry(position.column() - 1);
      if (found != null) {
        return found.getValue();
      }
      index--;
    }
    for (; index >= 0; index--) {
      Map.Entry<Integer, Position> found = lines.get(index).lastEntry();
      if (found != null) {
        return found.getValue();
      }
    }
    return new Position(1, 1);
  }
}
