package dev.assay.api.text;

import java.util.Arrays;

/** How far two names are apart, for messages that say which one may be meant. */
public final class EditDistance {
  private EditDistance() {}

  /**
   * How many characters are to be inserted, removed or replaced: the Levenshtein distance. The time
   * it takes grows with the product of the lengths, which the caller limits.
   */
  public static int between(String one, String other) {
    int[] before = new int[other.length() + 1];
    Arrays.setAll(before, j -> j);
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[before.length];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(before[j], row[j - 1]) + 1);
      }
      before = row;
    }
    return before[other.length()];
  }
}
