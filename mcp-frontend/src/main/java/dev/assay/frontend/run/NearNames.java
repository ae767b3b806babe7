package dev.assay.frontend.run;

import dev.assay.api.text.EditDistance;
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
        .min(
            Comparator.<String>comparingInt(name -> distance(meant, plain(name)))
                .thenComparingInt(name -> EditDistance.between(meant, plain(name))))
        .map(name -> Text.visibleName(name, MAX_NAME));
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
    return EditDistance.between(one, other);
  }
}
