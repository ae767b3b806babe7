package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetDocument;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code describe_dataset}: the columns of a dataset, within a budget of tokens. */
public final class DescribeDataset implements Tool {
  private static final int MIN_TOKENS = 100;
  private static final int MAX_TOKENS = 20_000;
  private static final int DEFAULT_TOKENS = 800;

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "describe_dataset",
          "Describe a dataset",
          """
          Describes one dataset: its rows and columns, and of each column the name, the type, how \
          many values are missing, and up to three of its values. Call it before you write code for \
          a dataset that you do not know.""",
          """
          {
            "type": "object",
            "properties": {
              "dataset_name": {
                "type": "string",
                "description": "Name of a dataset, as list_datasets shows it; dataset://NAME is fine too"
              },
              "max_tokens": {
                "type": "integer",
                "minimum": 100,
                "maximum": 20000,
                "default": 800,
                "description": "Approximate length of the answer; omitted columns are counted"
              }
            },
            "required": ["dataset_name"],
            "additionalProperties": false
          }""",
          DatasetDocument.class,
          ToolDescription.Effects.READS);

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
  public Reply call(CallContext call, Map<String, Object> values) throws InterruptedException {
    Arguments arguments = new Arguments(values, List.of("dataset_name", "max_tokens"));
    String name = NamedDataset.of(arguments.text("dataset_name", NamedDataset.LIMIT));
    int tokens =
        arguments.optionalInteger("max_tokens", MIN_TOKENS, MAX_TOKENS).orElse(DEFAULT_TOKENS);
    Optional<Dataset> dataset =
        DatasetName.isValid(name)
            ? described(call, DatasetName.toResourceName(name))
            : Optional.empty();
    return dataset
        .map(found -> DatasetText.description(found, tokens))
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
