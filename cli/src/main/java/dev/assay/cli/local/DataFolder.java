package dev.assay.cli.local;

import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.VolumeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables in a folder, each with the name that it is offered under: the one nearest to that of
 * its file without the ending, or with it where two would have the same.
 *
 * @param tables by resource name
 * @param skipped files that look like tables and cannot be offered, with the reason
 * @param ignored names of other files and of folders, as far as a line goes
 */
record DataFolder(Map<String, Table> tables, List<String> skipped, List<String> ignored) {
  private static final int MAX_IGNORED = 10;

  /** Each takes a Pod to load: more of them would keep the machine busy for minutes. */
  private static final int MAX_TABLES = 300;

  /**
   * A file.
   *
   * @param displayName as people write it
   * @param file its name in the folder
   * @param source on the volume {@link LocalObjects#DATA}
   */
  record Table(String displayName, String file, DatasetSource source) {}

  static DataFolder read(Path folder) throws IOException {
    Map<String, Table> tables = new LinkedHashMap<>();
    List<String> skipped = new ArrayList<>();
    List<String> ignored = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> listed = Files.list(folder)) {
      files = listed.sorted().toList();
    }
    int beyond = 0;
    for (Path file : namedFirst(files)) {
      String name = file.getFileName().toString();
      if (isOfAProgram(name)) {
        continue;
      }
      @Nullable DatasetFileType type = DatasetFileType.of(name).orElse(null);
      if (type == null) {
        ignored.add(Files.isDirectory(file) ? name + "/" : name);
        continue;
      }
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        skipped.add(name + ": not a regular file, or a symbolic link");
        continue;
      }
      if (tables.size() == MAX_TABLES) {
        beyond++;
        continue;
      }
      String wanted =
          Stream.of(type.stem(), name)
              .map(DatasetName::nearest)
              .takeWhile(near -> !near.isEmpty())
              .filter(near -> !tables.containsKey(DatasetName.toResourceName(near)))
              .findFirst()
              .orElse("");
      if (wanted.isEmpty()) {
        skipped.add(
            name
                + ": rename it; a dataset's name has up to 63 letters, digits, '_', '-', '.' and"
                + " spaces, and no other dataset has it");
        continue;
      }
      tables.put(
          DatasetName.toResourceName(wanted),
          new Table(
              wanted,
              name,
              DatasetSource.volume(
                  type.format(),
                  type.compression(),
                  new VolumeSource(/* name= */ LocalObjects.DATA, /* path= */ name))));
    }
    if (beyond > 0) {
      skipped.add(
          "%d more files: a folder offers the first %d by name. Name a smaller folder, or load single files of this one with load_dataset, volume '%s'"
              .formatted(beyond, MAX_TABLES, LocalObjects.DATA));
    }
    return new DataFolder(tables, skipped, shortened(ignored));
  }

  /** A file keeps its own name, whichever others are near to it. */
  private static List<Path> namedFirst(List<Path> files) {
    return files.stream()
        .sorted(Comparator.comparing(file -> !DatasetName.isValid(stem(file))))
        .toList();
  }

  private static String stem(Path file) {
    return DatasetFileType.of(file.getFileName().toString()).map(DatasetFileType::stem).orElse("");
  }

  /** Hidden files, such as those that macOS adds, and locks of Excel. */
  private static boolean isOfAProgram(String name) {
    return name.startsWith(".") || name.startsWith("~$");
  }

  /** What is not offered, and why: a line each. */
  List<String> notOffered() {
    List<String> lines = new ArrayList<>(skipped);
    if (!ignored.isEmpty()) {
      lines.add(
          "%s: only files directly in the folder are offered, with these endings: %s"
              .formatted(String.join(", ", ignored), DatasetFileType.ENDINGS));
    }
    return lines;
  }

  private static List<String> shortened(List<String> names) {
    if (names.size() <= MAX_IGNORED) {
      return names;
    }
    List<String> some = new ArrayList<>(names.subList(0, MAX_IGNORED));
    some.add("and " + (names.size() - MAX_IGNORED) + " more");
    return some;
  }
}
