package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetList;
import dev.assay.frontend.dataset.DatasetText;
import java.util.List;

/** {@code list_datasets}: lists datasets. */
public final class ListDatasets implements Tool {
  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "list_datasets",
          "List datasets",
          """
          Lists all available datasets (tables, files): what data you have and can query or \
          analyze: names and sizes.\
          """,
          Parameters.of(),
          DatasetList.class,
          ToolDescription.Effects.READS,
          MethodKind.QUICK);

  private final DatasetGateway datasets;
  private final int maxTokens;

  /**
   * The tool.
   *
   * @param maxTokens of a reply
   */
  public ListDatasets(DatasetGateway datasets, int maxTokens) {
    this.datasets = datasets;
    this.maxTokens = maxTokens;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) {
    List<Dataset> listed = datasets.list(call.identity().namespace());
    return DatasetText.list(listed, datasets.notOffered(), maxTokens)
        .marked(listed.stream().anyMatch(Dataset::hasUntrustedContent));
  }
}
