package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetRemarks;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.LoadAdvice;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.Patience;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;

/**
 * What a call is told of a dataset that it has written, once it is loaded or the call waits no
 * longer.
 */
public final class LoadReplies {
  private final DatasetWait wait;
  private final RunClasses classes;
  private final Duration patience;

  /**
   * The replies.
   *
   * @param patience how long a call waits for a dataset that has all of its bytes
   */
  public LoadReplies(DatasetWait wait, RunClasses classes, Duration patience) {
    this.wait = wait;
    this.classes = classes;
    this.patience = patience;
  }

  static Reply failed(Dataset written, DatasetState.Failed failed) {
    return Reply.executionError(
        "DatasetFailed",
        "Dataset '"
            + DatasetText.nameOf(written)
            + "' could not be loaded: "
            + Text.oneLine(failed.message(), 4096)
            + DatasetRemarks.earlierData(written).map(line -> "\n" + line).orElse("")
            + "\n"
            + LoadAdvice.again(written, failed));
  }

  /** Waits for a dataset that has all of its bytes. */
  Reply loaded(String name, Dataset written, Subscription<Dataset> subscription, CallContext call)
      throws InterruptedException {
    Duration bound = classes.limitsOf(written.getSpec().className()).snapshotBound();
    Patience left = Patience.of(patience);
    DatasetState state = wait.awaitAttended(written, subscription, left.left(bound), call);
    return switch (state) {
      case DatasetState.Ready ready -> DatasetText.loaded(name, written, ready.snapshot());
      case DatasetState.Failed failed -> failed(written, failed);
      case DatasetState.Loading loading when left.isOver() && !call.cancellation().isUnattended() ->
          DatasetText.loading(name, written, loading, patience.toSeconds());
      case DatasetState.Loading loading ->
          Reply.executionError(
              call.cancellation().isCancelled() ? "Cancelled" : "DatasetNotReady",
              "Dataset '"
                  + name
                  + "' is still loading ("
                  + loading.phase()
                  + "); list_datasets shows when it is ready");
    };
  }
}
