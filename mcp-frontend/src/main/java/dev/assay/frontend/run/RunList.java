package dev.assay.frontend.run;

import java.util.List;

/**
 * Runs, newest first.
 *
 * @param hasMore whether there are older ones
 */
public record RunList(List<RunSummary> runs, boolean hasMore) {
  /** Of a page. */
  public static RunList of(RunPage page) {
    return new RunList(page.runs().stream().map(RunSummary::of).toList(), page.next() != null);
  }
}
