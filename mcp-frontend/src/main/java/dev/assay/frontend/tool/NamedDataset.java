package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.ArgumentType;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetNames;
import dev.assay.frontend.run.Text;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What tools that take the name of a dataset have in common. */
final class NamedDataset {
  private static final String ARGUMENT = "dataset_name";
  private static final String URI_PREFIX = "dataset://";

  /** Of a name as a call has it. */
  static final Limit LIMIT = new Limit(URI_PREFIX.length() + Bounds.MAX_LABEL);

  /** A name, or the URI of one. */
  static final ArgumentType<String> TYPE = ArgumentTypes.text(LIMIT).map(NamedDataset::of);

  private NamedDataset() {}

  private static String of(String nameOrUri) {
    return nameOrUri.startsWith(URI_PREFIX) ? nameOrUri.substring(URI_PREFIX.length()) : nameOrUri;
  }

  /** The dataset that the arguments of a call name, if that can be the name of one. */
  static @Nullable String in(Map<String, Object> arguments) {
    return arguments.get(ARGUMENT) instanceof String text && DatasetName.isValid(of(text))
        ? of(text)
        : null;
  }

  /** The reply where it does not exist. */
  static Reply notLoaded(String name, DatasetGateway datasets, CallContext call) {
    return Reply.executionError(
        "KeyError",
        "Dataset '"
            + Text.oneLine(name, 80)
            + "' not loaded. Use load_dataset() first."
            + DatasetNames.alternatives(name, datasets.list(call.identity().namespace())));
  }
}
