package dev.assay.frontend.analytics;

import dev.assay.frontend.argument.BadArgumentException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What rows can be exported as. */
public enum ExportFormat {
  CSV,
  PARQUET,
  JSON,
  XLSX;

  /** How files are compressed. */
  public enum Compression {
    NONE(""),
    GZIP(".gz"),
    SNAPPY(""),
    ZSTD(".zst");

    private final String extension;

    Compression(String extension) {
      this.extension = extension;
    }

    /** The name in calls and in the arguments of a run. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Those that it has, the default first; none where it is compressed by itself. */
  private List<Compression> compressions() {
    return switch (this) {
      case CSV, JSON -> List.of(Compression.NONE, Compression.GZIP, Compression.ZSTD);
      case PARQUET ->
          List.of(Compression.SNAPPY, Compression.NONE, Compression.GZIP, Compression.ZSTD);
      case XLSX -> List.of();
    };
  }

  /** The name in calls and in the arguments of a run. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether there can be a file for each value of a column. */
  public boolean canBePartitioned() {
    return this != XLSX;
  }

  /**
   * The compression of a call. Snappy is the default of Parquet only: it is inside of that format.
   *
   * @throws BadArgumentException where this format does not have it
   */
  public Compression compression(Optional<Compression> wanted) {
    List<Compression> compressions = compressions();
    if (compressions.isEmpty()) {
      return Compression.NONE;
    }
    Compression compression = wanted.orElse(compressions.getFirst());
    if (!compressions.contains(compression)) {
      throw BadArgumentException.value(
          "compression '%s' cannot be used for %s: use %s"
              .formatted(
                  compression.wireName(),
                  wireName(),
                  String.join(
                      ", ", compressions.stream().map(Compression::wireName).sorted().toList())));
    }
    return compression;
  }

  /** A file's name with its extension, which it may have already. */
  public String withExtension(String name, Compression compression) {
    String extension = "." + wireName() + (this == PARQUET ? "" : compression.extension);
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith(extension)) {
      return name;
    }
    return lower.endsWith("." + wireName())
        ? name + extension.substring(wireName().length() + 1)
        : name + extension;
  }
}
