package dev.assay.frontend.run;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The name that may be meant by one that does not exist (pure). */
public final class NearNames {
  private static final int MAX_COMPARED = 1000;
  private static final int MAX_NAME = 80;

  private NearNames() {}

  /** The closest of some names, fit to be shown; empty where none is close. */
  public static Optional<String> closest(String wrong, Collection<String> names) {
    String meant = plain(wrong);
    int tolerance = Math.max(1, meant.length() / 3);
    return names.stream()
        .limit(MAX_COMPARED)
        .filter(name -> distance(meant, plain(name)) <= tolerance)
        .min(Comparator.comparingInt(name -> distance(meant, plain(name))))
        .map(name -> Text.oneLine(name, MAX_NAME));
  }

  private static String plain(String name) {
    String text = name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
    return text.toLowerCase(Locale.ROOT).replaceAll("[-_. ]", "");
  }

  /** Characters to insert, delete or replace; one for a name that is a part of the other. */
  private static int distance(String one, String other) {
    if (Math.min(one.length(), other.length()) >= 3
        && (one.contains(other) || other.contains(one))) {
      return 1;
    }
    int[] before = new int[other.length() + 1];
    Arrays.setAll(before, i -> i);
    for (int i = 1; i <= one.length(); i++) {
      int[] now = new int[other.length() + 1];
      now[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
      }
      before = now;
    }
    return before[other.length()];
  }
}
