package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetDocument;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWriter;
import dev.assay.frontend.watch.Subscription;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** {@code load_dataset}: makes a dataset and waits until runs can use it. */
public final class LoadDataset implements Tool {
  private static ToolDescription description(int maxCallBytes) {
    return new ToolDescription(
        "load_dataset",
        "Load a dataset",
        """
        Loads (imports, uploads, adds, stores) data as a new dataset or table that later runs and \
        queries can use, or replaces one: records (rows), text, a file on a volume (folder), or a \
        file, frame or result of a run; CSV, TSV, NDJSON, JSON, Parquet, Feather, Excel workbook. \
        Not for more than ${MIB} MiB a call: PUT /api/v1/datasets/NAME takes that.\
        """
            .replace("${MIB}", Integer.toString(maxCallBytes >> 20)),
        LoadArguments.PARAMETERS,
        DatasetDocument.class,
        ToolDescription.Effects.DESTROYS,
        MethodKind.CALL);
  }

  private final ToolDescription description;
  private final DatasetGateway datasets;
  private final ArtifactSource artifacts;
  private final DatasetUploads uploads;
  private final DatasetWriter writer;
  private final LoadReplies replies;

  /**
   * The tool.
   *
   * @param maxCallBytes of a call with all of its arguments
   */
  public LoadDataset(
      DatasetGateway datasets,
      ArtifactSource artifacts,
      DatasetUploads uploads,
      LoadReplies replies,
      int maxCallBytes) {
    this.description = description(maxCallBytes);
    this.artifacts = artifacts;
    this.datasets = datasets;
    this.uploads = uploads;
    this.writer = new DatasetWriter(datasets);
    this.replies = replies;
  }

  @Override
  public ToolDescription description() {
    return description;
  }

  @Override
  public String afterFailure(CallContext call) {
    return "Whether the dataset was written is not known: describe_dataset shows it if it was.";
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    LoadArguments.Load load = LoadArguments.load(arguments, artifacts.of(call));
    String name = load.name();
    call.memory().releaseRequest(load.heapBytes());
    String namespace = call.identity().namespace();
    String resourceName = DatasetName.toResourceName(name);
    boolean isUntrusted = Boolean.TRUE.equals(load.source().untrusted());
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      return switch (writer.write(
          call.identity(), name, load.source(), load.snapshotClass(), load.replaces())) {
        case DatasetWriter.Created created ->
            brought(name, created.dataset(), load, subscription, call).marked(isUntrusted);
        case DatasetWriter.Replaced replaced ->
            brought(name, replaced.dataset(), load, subscription, call).marked(isUntrusted);
        case DatasetWriter.OfAnotherCaller other ->
            Reply.executionError("PermissionError", other.why(name));
        case DatasetWriter.AlreadyThere there ->
            Reply.executionError("FileExistsError", there.why(name));
        case DatasetWriter.NotWritten not -> Reply.executionError("Conflict", not.why(name));
      };
    }
  }

  private Reply brought(
      String name,
      Dataset written,
      LoadArguments.Load load,
      Subscription<Dataset> subscription,
      CallContext call)
      throws InterruptedException {
    if (load.upload().isEmpty()) {
      return replies.loaded(name, written, subscription, call);
    }
    return switch (bring(written, load.upload().get().bytes(), subscription, call)) {
      case DatasetUploads.Taken taken -> replies.loaded(name, written, subscription, call);
      case DatasetUploads.NotLoaded not -> LoadReplies.failed(written, not.state());
    };
  }

  private DatasetUploads.Outcome bring(
      Dataset written, InputStream bytes, Subscription<Dataset> subscription, CallContext call)
      throws InterruptedException {
    try (bytes) {
      return uploads.bring(written, bytes, subscription, call);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Closing memory does not fail.
    } finally {
      call.memory().releaseRequest(0);
    }
  }
}
