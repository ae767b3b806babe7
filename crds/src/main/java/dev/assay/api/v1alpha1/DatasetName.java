package dev.assay.api.v1alpha1;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How a dataset is called by people and by Kubernetes.
 *
 * <p>People write {@code sales_data}; Kubernetes takes RFC 1123 labels. Names that differ only in
 * case or in the separator ({@code _}, {@code -}, {@code .} or a space) are one dataset.
 */
public final class DatasetName {
  /** Letters, digits, {@code _ - .} and spaces; begins and ends with a letter or digit. */
  public static final String PATTERN = "^[A-Za-z0-9]([A-Za-z0-9 _.-]*[A-Za-z0-9])?$";

  private static final Pattern VALID = Pattern.compile(PATTERN);

  private DatasetName() {}

  /** Whether a name can be given to a dataset: 1 to 63 characters of {@link #PATTERN}. */
  public static boolean isValid(String name) {
    return name.length() <= Bounds.MAX_LABEL && VALID.matcher(name).matches();
  }

  /**
   * The valid name that is closest to a text: accents are left out, and other characters that a
   * name cannot have are underscores. Empty where nothing of the text can stand in a name.
   */
  public static String nearest(String text) {
    String plain = Normalizer.normalize(text, Normalizer.Form.NFKD).replaceAll("\\p{M}+", "");
    String name =
        plain.replaceAll("[^A-Za-z0-9 _.-]+", "_").replaceAll("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "");
    return name.length() <= Bounds.MAX_LABEL ? name : nearest(name.substring(0, Bounds.MAX_LABEL));
  }

  /**
   * The name of a dataset's table: all but ASCII letters, digits and underscores are underscores.
   */
  public static String toTableName(String name) {
    return name.replaceAll("[^A-Za-z0-9_]", "_");
  }

  /**
   * The resource name of a dataset.
   *
   * @throws IllegalArgumentException where the name is not {@linkplain #isValid valid}
   */
  public static String toResourceName(String name) {
    if (!isValid(name)) {
      throw new IllegalArgumentException(
          "A dataset name has 1 to 63 letters, digits, '_', '-', '.' or spaces,"
              + " and begins and ends with a letter or digit");
    }
    return name.toLowerCase(Locale.ROOT).replaceAll("[ _.]", "-");
  }
}
