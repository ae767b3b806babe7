package dev.assay.frontend.identity;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.config.ToolGroup;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Authenticates requests. */
public interface Identities {
  /**
   * The identity that a key stands for; empty where it stands for nobody.
   *
   * @param key as the request brought it, if it did
   */
  Optional<Identity> of(@Nullable String key);

  /**
   * The tools that a key is for. They keep a list of tools short, and are no permission: REST does
   * the same without tools.
   *
   * @param key of a caller
   */
  default Set<ToolGroup> toolGroups(@Nullable String key) {
    return ToolGroup.ALL;
  }

  /** Where callers find their key, for the message of a refusal; empty where nobody can tell. */
  default String keyLocation() {
    return "";
  }

  /** Configuration that is refused while the front end serves, a line each. */
  default List<String> problems() {
    return List.of();
  }

  /** Has metrics show what is known of them. */
  default void bindTo(ProgramMetrics metrics) {}

  /** Everybody is the same caller: authentication is switched off. */
  static Identities everybodyIs(Identity identity) {
    return key -> Optional.of(identity);
  }
}
