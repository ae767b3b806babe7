package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetText;
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
                "description": "About how long the answer may be; columns that find no room are counted"
              }
            },
            "required": ["dataset_name"],
            "additionalProperties": false
          }""",
          ToolDescription.Effects.READS);

  private final DatasetGateway datasets;

  public DescribeDataset(DatasetGateway datasets) {
    this.datasets = datasets;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public Reply call(CallContext call, Map<String, Object> values) {
    Arguments arguments = new Arguments(values, List.of("dataset_name", "max_tokens"));
    String name = NamedDataset.of(arguments.text("dataset_name", NamedDataset.LIMIT));
    int tokens =
        arguments.optionalInteger("max_tokens", MIN_TOKENS, MAX_TOKENS).orElse(DEFAULT_TOKENS);
    Optional<Dataset> dataset =
        DatasetName.isValid(name)
            ? datasets.read(call.identity().namespace(), DatasetName.toResourceName(name))
            : Optional.empty();
    return dataset
        .map(found -> Reply.success(DatasetText.description(found, tokens)))
        .orElseGet(() -> NamedDataset.notLoaded(name, datasets, call));
  }
}
