package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetAccess;
import dev.assay.frontend.dataset.DatasetGateway;
import java.util.Optional;

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
    String namespace = call.identity().namespace();
    Optional<Dataset> found =
        DatasetName.isValid(name)
            ? datasets.read(namespace, DatasetName.toResourceName(name))
            : Optional.empty();
    if (found.isPresent() && !DatasetAccess.mayChange(found.get(), call.identity())) {
      return Reply.executionError("PermissionError", DatasetAccess.refusal(found.get()));
    }
    return found.isPresent() && datasets.delete(found.get())
        ? Reply.success("Dataset '" + name + "' was deleted.")
        : NamedDataset.notLoaded(name, datasets, call);
  }
}
