package dev.assay.api.v1alpha1;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the name of a file says about its content.
 *
 * @param format how it is read
 * @param compression how it is compressed; null if it is not
 * @param stem the name without these endings
 */
public record DatasetFileType(
    DatasetFormat format, @Nullable DatasetCompression compression, String stem) {
  private static final Map<String, DatasetFormat> FORMATS = formats();
  private static final Map<String, DatasetCompression> COMPRESSIONS =
      Map.of(".gz", DatasetCompression.GZIP, ".zip", DatasetCompression.ZIP);

  /** All endings that tell a format, for people. */
  public static final String ENDINGS = String.join(", ", FORMATS.keySet());

  private static Map<String, DatasetFormat> formats() {
    Map<String, DatasetFormat> formats = new LinkedHashMap<>();
    formats.put(".csv", DatasetFormat.CSV);
    formats.put(".tsv", DatasetFormat.TSV);
    formats.put(".json", DatasetFormat.JSON);
    formats.put(".ndjson", DatasetFormat.NDJSON);
    formats.put(".jsonl", DatasetFormat.NDJSON);
    formats.put(".parquet", DatasetFormat.PARQUET);
    formats.put(".feather", DatasetFormat.FEATHER);
    formats.put(".xlsx", DatasetFormat.EXCEL);
    return formats;
  }

  /** The endings of the files of a format, the usual one first. */
  public static List<String> endings(DatasetFormat format) {
    return FORMATS.entrySet().stream()
        .filter(known -> known.getValue() == format)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** By the endings of a name or path, in either case; empty where they tell nothing. */
  public static Optional<DatasetFileType> of(String name) {
    return compressionOf(name)
        .map(ending -> of(without(name, ending), COMPRESSIONS.get(ending)))
        .orElseGet(() -> of(name, null));
  }

  /** How a file is compressed by its name, whatever is in it; empty where it is not. */
  public static Optional<DatasetCompression> compression(String name) {
    return compressionOf(name).map(COMPRESSIONS::get);
  }

  private static Optional<String> compressionOf(String name) {
    return COMPRESSIONS.keySet().stream().filter(ending -> endsWith(name, ending)).findFirst();
  }

  private static Optional<DatasetFileType> of(
      String name, @Nullable DatasetCompression compression) {
    return FORMATS.entrySet().stream()
        .filter(known -> endsWith(name, known.getKey()))
        .findFirst()
        .map(
            known ->
                new DatasetFileType(known.getValue(), compression, without(name, known.getKey())));
  }

  private static boolean endsWith(String name, String ending) {
    return name.toLowerCase(Locale.ROOT).endsWith(ending);
  }

  private static String without(String name, String ending) {
    return name.substring(0, name.length() - ending.length());
  }
}
