package dev.assay.frontend.run;

import dev.assay.frontend.token.FittedJson;
import java.util.List;

/**
 * Runs, newest first.
 *
 * @param hasMore whether there are older ones
 */
public record RunList(List<RunSummary> runs, boolean hasMore) {
  /**
   * Of a page.
   *
   * @param tokens about how long it may be as JSON
   */
  static RunList of(RunPage page, int tokens) {
    List<RunSummary> all = page.runs().stream().map(RunSummary::of).toList();
    List<RunSummary> shown = FittedJson.prefix(all, tokens);
    return new RunList(shown, page.next() != null || shown.size() < all.size());
  }
}
