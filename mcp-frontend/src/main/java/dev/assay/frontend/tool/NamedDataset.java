package dev.assay.frontend.tool;

import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.Text;

/** What tools that take the name of a dataset have in common. */
final class NamedDataset {
  private NamedDataset() {}

  /** What is said of one that is not there. */
  static Reply notLoaded(String name) {
    return Reply.executionError(
        "KeyError",
        "Dataset '" + Text.oneLine(name, 80) + "' not loaded. Use load_dataset() first.");
  }
}
