package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.dataset.DatasetNames;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which datasets the paths of a call name: a name, {@code dataset://NAME}, the file of {@code
 * /workspace} that a dataset has in a Pod, or a pattern of them.
 */
public final class DatasetFiles {
  private static final String WORKSPACE = "/workspace/";
  private static final String SCHEME = "dataset://";
  private static final int MAX_SHOWN = 80;

  private final List<Dataset> all;
  private final Function<String, Optional<Dataset>> byResourceName;

  /**
   * Files of a namespace.
   *
   * @param all its datasets, from the cache
   * @param byResourceName finds one that the cache may not have yet
   */
  public DatasetFiles(List<Dataset> all, Function<String, Optional<Dataset>> byResourceName) {
    this.all = all;
    this.byResourceName = byResourceName;
  }

  /**
   * The one dataset that a path names.
   *
   * @param argument what the path was given as
   * @throws AnalyticsException where it names none, or several
   */
  public Dataset one(String argument, String path) {
    List<Dataset> found = of(argument, path);
    if (found.size() > 1) {
      throw new AnalyticsException(
          ErrorCode.INVALID_INPUT,
          "'"
              + argument
              + "' names "
              + found.size()
              + " datasets, and this tool reads one: "
              + String.join(", ", found.stream().limit(10).map(DatasetText::nameOf).toList())
              + (found.size() > 10 ? ", …" : ""));
    }
    return found.getFirst();
  }

  /**
   * The datasets that some paths name, each once, in their order.
   *
   * @param argument what the paths were given as
   * @throws AnalyticsException where one names none, or all of them too many
   */
  public List<Dataset> all(String argument, List<String> paths) {
    Map<String, Dataset> found = new LinkedHashMap<>();
    for (int i = 0; i < paths.size(); i++) {
      of(argument + "[" + i + "]", paths.get(i))
          .forEach(dataset -> found.put(dataset.getMetadata().getName(), dataset));
      if (found.size() > Bounds.MAX_RUN_DATASETS) {
        throw new AnalyticsException(
            ErrorCode.INVALID_INPUT,
            "'%s' names more than %d datasets; a query can read at most %d"
                .formatted(argument, Bounds.MAX_RUN_DATASETS, Bounds.MAX_RUN_DATASETS));
      }
    }
    return List.copyOf(found.values());
  }

  /** Whether a path names a dataset. */
  public boolean knows(String path) {
    try {
      return !of("path", path).isEmpty();
    } catch (AnalyticsException e) {
      return false;
    }
  }

  /**
   * A suggestion for a query that uses a dataset which its {@code files} does not name; empty if no
   * dataset has this name.
   *
   * @param read resource names of those that the call names
   */
  public Optional<String> unnamed(String name, List<String> read) {
    return find(name)
        .filter(dataset -> !read.contains(dataset.getMetadata().getName()))
        .map(DatasetText::nameOf)
        .map(shown -> "'%s' is a dataset: add it to 'files' and call again".formatted(shown));
  }

  private List<Dataset> of(String argument, String path) {
    String name = relative(argument, path);
    boolean isFile = !path.startsWith(SCHEME);
    List<Dataset> found =
        Wildcard.isPattern(name) ? matching(name, isFile) : named(name, isFile).stream().toList();
    if (found.isEmpty()) {
      throw notFound(path, name);
    }
    return found;
  }

  /** The path within the workspace. */
  private static String relative(String argument, String path) {
    if (path.isBlank()) {
      throw refused(argument, path, "is empty");
    }
    if (path.startsWith(SCHEME)) {
      return path.substring(SCHEME.length());
    }
    if (path.contains("://")) {
      throw refused(
          argument,
          path,
          "is a URL, and queries have no network; load the file with load_dataset, and name the"
              + " dataset");
    }
    if (path.startsWith("/") && !path.startsWith(WORKSPACE)) {
      throw refused(
          argument,
          path,
          "is outside of /workspace; load the file with load_dataset, and name the dataset");
    }
    List<String> parts = new ArrayList<>();
    String inside = path.startsWith(WORKSPACE) ? path.substring(WORKSPACE.length()) : path;
    for (String part : inside.split("/", -1)) {
      if (part.equals("..")) {
        throw refused(argument, path, "has '..'; name a dataset or a file of /workspace");
      }
      if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return String.join("/", parts);
  }

  private static AnalyticsException refused(String argument, String path, String why) {
    return new AnalyticsException(
        ErrorCode.INVALID_INPUT, "'" + argument + "' " + why + ": " + shown(path));
  }

  private List<Dataset> matching(String pattern, boolean isFile) {
    Wildcard wildcard = new Wildcard(pattern);
    return all.stream()
        .filter(
            dataset ->
                wildcard.matches(DatasetText.nameOf(dataset))
                    || wildcard.matches(dataset.getMetadata().getName())
                    || (isFile && filesOf(dataset).anyMatch(wildcard::matches)))
        .toList();
  }

  private Optional<Dataset> named(String name, boolean isFile) {
    Optional<Dataset> exact = find(name);
    int dot = name.lastIndexOf('.');
    if (exact.isPresent() || !isFile || dot < 0) {
      return exact;
    }
    String ending = name.substring(dot);
    return find(name.substring(0, dot))
        .filter(dataset -> endings(dataset).stream().anyMatch(ending::equalsIgnoreCase));
  }

  private Optional<Dataset> find(String name) {
    if (!DatasetName.isValid(name)) {
      return Optional.empty();
    }
    String resourceName = DatasetName.toResourceName(name);
    return all.stream()
        .filter(dataset -> resourceName.equals(dataset.getMetadata().getName()))
        .findFirst()
        .or(() -> byResourceName.apply(resourceName));
  }

  /** What the file of a dataset is called in a Pod. */
  public static String fileOf(Dataset dataset) {
    return DatasetText.nameOf(dataset) + endings(dataset).getFirst();
  }

  /** What its file may be called in a call. */
  private static Stream<String> filesOf(Dataset dataset) {
    return endings(dataset).stream().map(ending -> DatasetText.nameOf(dataset) + ending);
  }

  private static List<String> endings(Dataset dataset) {
    return DatasetFileType.endings(dataset.getSpec().source().format());
  }

  private AnalyticsException notFound(String path, String name) {
    int dot = name.lastIndexOf('.');
    @Nullable Dataset otherFile =
        dot < 0 || Wildcard.isPattern(name) ? null : find(name.substring(0, dot)).orElse(null);
    if (otherFile != null) {
      return new AnalyticsException(
          ErrorCode.FILE_NOT_FOUND,
          "There is no file "
              + shown(path)
              + "; the file of dataset '"
              + DatasetText.nameOf(otherFile)
              + "' is "
              + WORKSPACE
              + fileOf(otherFile));
    }
    String others = DatasetNames.alternatives(dot < 0 ? name : name.substring(0, dot), all);
    return new AnalyticsException(
        ErrorCode.FILE_NOT_FOUND,
        (Wildcard.isPattern(name) ? "No dataset matches " : "There is no dataset or file ")
            + shown(path)
            + "."
            + (others.isEmpty() ? " No datasets are loaded: load_dataset loads one." : others));
  }

  private static String shown(String path) {
    return "'" + Text.oneLine(path, MAX_SHOWN) + "'";
  }
}
