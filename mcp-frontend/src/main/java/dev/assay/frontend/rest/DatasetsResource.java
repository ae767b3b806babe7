package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.SourceArguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.DatasetWriter;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/datasets}. */
final class DatasetsResource {
  static final String PATH = "/api/v1/datasets";

  private static final List<String> MEMBERS =
      List.of(
          "name",
          "data",
          "volume",
          "path",
          "format",
          "options",
          "snapshotClass",
          "replace",
          "wait");

  private final DatasetGateway datasets;
  private final DatasetWriter writer;
  private final DatasetWait wait;
  private final RunClasses classes;

  DatasetsResource(DatasetGateway datasets, DatasetWait wait, RunClasses classes) {
    this.datasets = datasets;
    this.writer = new DatasetWriter(datasets);
    this.wait = wait;
    this.classes = classes;
  }

  Answer list(RestRequest request) {
    return new Answer.Document(
        200,
        new Page<>(
            datasets.list(request.namespace()).stream()
                .map(DatasetDocument::of)
                .map(DatasetDocument::withoutColumns)
                .toList(),
            null));
  }

  Answer get(RestRequest request) {
    return new Answer.Document(
        200,
        DatasetDocument.of(
            resourceName(request)
                .flatMap(name -> datasets.read(request.namespace(), name))
                .orElseThrow(() -> notFound(request))));
  }

  Answer delete(RestRequest request) {
    boolean deleted =
        resourceName(request).map(name -> datasets.delete(request.namespace(), name)).orElse(false);
    if (!deleted) {
      throw notFound(request);
    }
    return new Answer.Done();
  }

  private static Optional<String> resourceName(RestRequest request) {
    return Optional.of(request.name())
        .filter(DatasetName::isValid)
        .map(DatasetName::toResourceName);
  }

  private static RestException notFound(RestRequest request) {
    return RestException.notFound(
        "There is no dataset '"
            + Text.oneLine(request.name(), 80)
            + "' in your namespace; GET "
            + PATH
            + " lists those that are there");
  }

  Answer create(RestRequest request) {
    Arguments members = new Arguments(request.members(), MEMBERS);
    String name = SourceArguments.datasetName(members, "name");
    if (members.has("data") == members.has("volume")) {
      throw BadArgumentException.value("give either 'data', or 'volume' and 'path'");
    }
    DatasetSource source = SourceArguments.textOrFile(members, "data");
    @Nullable String snapshotClass = members.optionalLabel("snapshotClass").orElse(null);
    boolean replace = members.flag("replace");
    boolean waits = members.flag("wait");
    return switch (writer.write(request.namespace(), name, source, snapshotClass, replace)) {
      case DatasetWriter.Created created -> written(201, created.dataset(), waits, request);
      case DatasetWriter.Replaced replaced -> written(200, replaced.dataset(), waits, request);
      case DatasetWriter.AlreadyThere there ->
          throw RestException.conflict(
              "There is a dataset '"
                  + DatasetText.nameOf(there.existing())
                  + "' already; set 'replace' to true to replace it");
      case DatasetWriter.ChangedMeanwhile changed ->
          throw RestException.conflict(
              "Dataset '"
                  + name
                  + "' was changed by somebody else at the same time; look at it and try again");
    };
  }

  private Answer written(int status, Dataset dataset, boolean waits, RestRequest request) {
    String location = PATH + "/" + dataset.getMetadata().getName();
    return waits
        ? new Answer.Awaited(
            status, location, cancellation -> awaited(dataset, request, cancellation))
        : new Answer.Document(status, DatasetDocument.of(dataset), location);
  }

  private DatasetDocument awaited(Dataset written, RestRequest request, Cancellation cancellation)
      throws InterruptedException {
    String namespace = request.namespace();
    String resourceName = written.getMetadata().getName();
    @Nullable Long generation = written.getMetadata().getGeneration();
    Duration bound = classes.limitsOf(written.getSpec().className()).snapshotBound();
    CallContext call =
        new CallContext(request.identity(), request.requestId(), Progress.NONE, cancellation);
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      Dataset now = datasets.read(namespace, resourceName).orElse(written);
      DatasetState state =
          wait.await(now, generation == null ? 0 : generation, subscription, bound, call);
      return DatasetDocument.of(written, state);
    }
  }
}
