package dev.assay.jvm.sql;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that somebody probably meant. */
public final class NearNames {
  private static final int MAX_LENGTH = 128;

  private NearNames() {}

  /** The nearest name, if one is near. */
  public static Optional<String> nearest(String wanted, Collection<String> names) {
    if (wanted.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    return names.stream()
        .filter(name -> name.length() <= MAX_LENGTH && distance(wanted, name) <= limit(wanted))
        .min(Comparator.comparingInt(name -> distance(wanted, name)));
  }

  private static int limit(String wanted) {
    return Math.max(1, wanted.length() / 3);
  }

  /** The number of characters to insert, delete or replace, whatever their case. */
  static int distance(String first, String second) {
    String a = first.toLowerCase(Locale.ROOT);
    String b = second.toLowerCase(Locale.ROOT);
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
