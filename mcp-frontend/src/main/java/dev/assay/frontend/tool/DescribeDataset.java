package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetDocument;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.Optional;

/** {@code describe_dataset}: the columns of a dataset, within a budget of tokens. */
public final class DescribeDataset implements Tool {
  private static final Parameter<String> NAME =
      Parameter.required("dataset_name", NamedDataset.TYPE);
  private static final int DEFAULT_TOKENS = 300;

  private static final Parameter<Integer> TOKENS =
      Parameter.withDefault(MaxTokens.NAME, MaxTokens.upTo(20_000), DEFAULT_TOKENS);

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "describe_dataset",
          "Describe a dataset",
          """
          Shows the schema of a dataset or table: what columns (fields) it has, what they are \
          called, their types (dtypes), example values, row count and state. No statistics.\
          """,
          Parameters.of(NAME, TOKENS),
          DatasetDocument.class,
          ToolDescription.Effects.READS,
          MethodKind.CALL);

  private final DatasetGateway datasets;
  private final DatasetWait wait;
  private final Duration atMost;

  /**
   * The tool.
   *
   * @param atMost how long a call waits for a dataset that is loading
   */
  public DescribeDataset(DatasetGateway datasets, DatasetWait wait, Duration atMost) {
    this.datasets = datasets;
    this.wait = wait;
    this.atMost = atMost;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    String name = arguments.get(NAME);
    int tokens = arguments.get(TOKENS);
    Optional<Dataset> dataset =
        DatasetName.isValid(name)
            ? described(call, DatasetName.toResourceName(name))
            : Optional.empty();
    return dataset
        .map(found -> DatasetText.description(found, tokens).marked(found.hasUntrustedContent()))
        .orElseGet(() -> NamedDataset.notLoaded(name, datasets, call));
  }

  /** The dataset, once it can be described or the wait is over. */
  private Optional<Dataset> described(CallContext call, String resourceName)
      throws InterruptedException {
    String namespace = call.identity().namespace();
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      Optional<Dataset> found = datasets.read(namespace, resourceName);
      if (found.isEmpty() || DatasetState.usable(found.get()).isPresent()) {
        return found;
      }
      wait.awaitAttended(found.get(), subscription, atMost, call);
    }
    // Read again: what a subscription delivers has neither source nor columns.
    return datasets.read(namespace, resourceName);
  }
}
