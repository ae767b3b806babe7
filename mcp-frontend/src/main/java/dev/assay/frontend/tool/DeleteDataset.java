package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;

/** {@code delete_dataset}: deletes a dataset. */
public final class DeleteDataset implements Tool {
  private static final Parameter<String> NAME =
      Parameter.required("dataset_name", NamedDataset.TYPE);

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "delete_dataset",
          "Delete a dataset",
          """
          Deletes (removes, drops, erases, cleans up) a dataset, table or uploaded file for \
          everybody who shares it. Only one that you loaded yourself, or were asked to delete.\
          """,
          Parameters.of(NAME),
          ToolDescription.Effects.DESTROYS,
          MethodKind.QUICK);

  private final DatasetGateway datasets;

  public DeleteDataset(DatasetGateway datasets) {
    this.datasets = datasets;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public String afterFailure(CallContext call) {
    return "Whether the dataset was deleted is not known: list_datasets shows it if it was not.";
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) {
    String name = arguments.get(NAME);
    boolean deleted =
        DatasetName.isValid(name)
            && datasets.delete(call.identity().namespace(), DatasetName.toResourceName(name));
    return deleted
        ? Reply.success("Dataset '" + name + "' was deleted.")
        : NamedDataset.notLoaded(name, datasets, call);
  }
}
