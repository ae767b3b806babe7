package dev.assay.frontend.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tools that are offered together, so that an agent pays for the descriptions it needs. */
public enum ToolGroup {
  /** Lists, describes, loads and deletes datasets. */
  @JsonProperty("datasets")
  DATASETS,
  /** Runs Python. */
  @JsonProperty("code")
  CODE,
  /** Profiles, queries and samples. */
  @JsonProperty("analytics")
  ANALYTICS,
  /** Lists, shows and cancels runs. */
  @JsonProperty("runs")
  RUNS,
  /** Runs scripts, which call tools of other servers. */
  @JsonProperty("scripts")
  SCRIPTS;

  /** All of them. */
  public static final Set<ToolGroup> ALL = Set.of(values());

  /** As in the configuration, and in a path. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All names, for messages. */
  public static String names() {
    return Stream.of(values()).map(ToolGroup::wireName).collect(Collectors.joining(", "));
  }

  /** Of a list in the configuration: all where it is absent. */
  public static Set<ToolGroup> of(@Nullable List<ToolGroup> configured) {
    return configured == null ? ALL : Set.copyOf(configured);
  }

  /** Of a part of a path, such as {@code datasets,code}; empty where it names something else. */
  public static Optional<Set<ToolGroup>> parse(String names) {
    Set<ToolGroup> groups = EnumSet.noneOf(ToolGroup.class);
    for (String name : names.split(",", -1)) {
      Optional<ToolGroup> group =
          Stream.of(values()).filter(one -> one.wireName().equals(name)).findFirst();
      if (group.isEmpty()) {
        return Optional.empty();
      }
      groups.add(group.get());
    }
    return Optional.of(groups);
  }
}
