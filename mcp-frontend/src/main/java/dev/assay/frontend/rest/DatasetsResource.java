package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.SourceParameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.dataset.DatasetAccess;
import dev.assay.frontend.dataset.DatasetDocument;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.DatasetWriter;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/datasets}. */
final class DatasetsResource {
  static final String PATH = "/api/v1/datasets";

  private static final Parameter<String> NAME =
      Parameter.required("name", SourceParameters.datasetName());
  private static final Parameter<Optional<String>> DATA = SourceParameters.inlineText("data");
  private static final Parameter<Optional<String>> SNAPSHOT_CLASS =
      Parameter.optional("snapshotClass", ArgumentTypes.label());
  private static final Parameter<Boolean> REPLACE =
      Parameter.withDefault("replace", ArgumentTypes.flag(), false);
  private static final Parameter<Boolean> WAIT =
      Parameter.withDefault("wait", ArgumentTypes.flag(), false);

  /** Of the body that creates a dataset. */
  static final Parameters PARAMETERS =
      Parameters.of(
          NAME,
          DATA,
          SourceParameters.VOLUME,
          SourceParameters.PATH,
          SourceParameters.FORMAT,
          SourceParameters.OPTIONS,
          SourceParameters.FRAME,
          SNAPSHOT_CLASS,
          REPLACE,
          WAIT);

  static final List<String> UPLOAD_PARAMETERS =
      List.of("format", "compression", "options", "frame", "snapshotClass", "replace", "wait");

  private final DatasetGateway datasets;
  private final DatasetUploads uploads;
  private final DatasetWriter writer;
  private final DatasetWait wait;
  private final RunClasses classes;

  DatasetsResource(
      DatasetGateway datasets, DatasetUploads uploads, DatasetWait wait, RunClasses classes) {
    this.datasets = datasets;
    this.uploads = uploads;
    this.writer = new DatasetWriter(datasets);
    this.wait = wait;
    this.classes = classes;
  }

  Answer list(RestRequest request) {
    return new Answer.Document(
        200,
        new Page<>(
            datasets.list(request.namespace()).stream()
                .map(
                    dataset ->
                        document(DatasetDocument.of(dataset).withoutColumns(), dataset, request))
                .toList(),
            null));
  }

  Answer get(RestRequest request) {
    Dataset dataset =
        resourceName(request)
            .flatMap(name -> datasets.read(request.namespace(), name))
            .orElseThrow(() -> notFound(request));
    return new Answer.Document(200, document(DatasetDocument.of(dataset), dataset, request));
  }

  private static OwnedDatasetDocument document(
      DatasetDocument document, Dataset dataset, RestRequest request) {
    return OwnedDatasetDocument.of(document, dataset, request.identity());
  }

  Answer delete(RestRequest request) {
    Dataset dataset =
        resourceName(request)
            .flatMap(name -> datasets.read(request.namespace(), name))
            .orElseThrow(() -> notFound(request));
    if (!DatasetAccess.mayChange(dataset, request.identity())) {
      throw RestException.refused(DatasetAccess.refusal(dataset));
    }
    if (!datasets.delete(dataset)) {
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
            + " lists the existing ones");
  }

  Answer create(RestRequest request) {
    Arguments fields = PARAMETERS.read(request.members());
    String name = fields.get(NAME);
    if (fields.has(DATA) == fields.has(SourceParameters.VOLUME)) {
      throw BadArgumentException.value("give either 'data', or 'volume' and 'path'");
    }
    DatasetSource source = SourceParameters.textOrFile(fields, DATA);
    @Nullable String snapshotClass = fields.get(SNAPSHOT_CLASS).orElse(null);
    boolean replace = fields.get(REPLACE);
    boolean waits = fields.get(WAIT);
    return switch (writer.write(request.identity(), name, source, snapshotClass, replace)) {
      case DatasetWriter.Created created -> written(201, created.dataset(), waits, request);
      case DatasetWriter.Replaced replaced -> written(200, replaced.dataset(), waits, request);
      case DatasetWriter.OfAnotherCaller other -> throw RestException.refused(other.why(name));
      case DatasetWriter.NotWritten not -> throw RestException.conflict(not.why(name));
    };
  }

  /** Makes or replaces a dataset of the file in the body. */
  Answer upload(RestRequest request) throws InterruptedException {
    RawBody body = request.raw().orElseThrow();
    Upload upload = Upload.of(request.name(), request.query(), body);
    String namespace = request.namespace();
    uploads
        .tooLong(namespace, upload.name(), upload.snapshotClass(), body.bytes())
        .ifPresent(
            why -> {
              throw RestException.tooLarge(why);
            });
    CallContext call =
        new CallContext(
            request.identity(), request.requestId(), Progress.NONE, body.cancellation());
    try (Subscription<Dataset> subscription =
        datasets.follow(namespace, DatasetName.toResourceName(upload.name()))) {
      return switch (writer.write(
          request.identity(),
          upload.name(),
          upload.source(),
          upload.snapshotClass(),
          upload.replaces())) {
        case DatasetWriter.Created created ->
            bring(201, created.dataset(), upload, body, subscription, call, request);
        case DatasetWriter.Replaced replaced ->
            bring(200, replaced.dataset(), upload, body, subscription, call, request);
        case DatasetWriter.OfAnotherCaller other ->
            throw RestException.refused(other.why(upload.name()));
        case DatasetWriter.NotWritten not -> throw RestException.conflict(not.why(upload.name()));
      };
    }
  }

  private Answer bring(
      int status,
      Dataset written,
      Upload upload,
      RawBody body,
      Subscription<Dataset> subscription,
      CallContext call,
      RestRequest request)
      throws InterruptedException {
    return switch (uploads.bring(written, body.stream(), subscription, call)) {
      case DatasetUploads.Taken taken -> written(status, written, upload.waits(), request);
      case DatasetUploads.Refused refused -> throw RestException.invalid(refused.state().message());
      case DatasetUploads.NotTaken not -> throw RestException.unavailable(not.state().message());
      case DatasetUploads.Superseded superseded ->
          throw RestException.conflict(superseded.state().message());
    };
  }

  private Answer written(int status, Dataset dataset, boolean waits, RestRequest request) {
    String location = PATH + "/" + dataset.getMetadata().getName();
    return waits
        ? new Answer.Awaited(
            status, location, cancellation -> awaited(dataset, request, cancellation))
        : new Answer.Document(
            status, document(DatasetDocument.of(dataset), dataset, request), location);
  }

  /** The dataset has been written by now, even where its state cannot be read. */
  private Dataset stateOf(Dataset written, RestRequest request) {
    String resourceName = written.getMetadata().getName();
    try {
      return datasets.read(request.namespace(), resourceName).orElse(written);
    } catch (ClusterException e) {
      throw RestException.unavailable(
          "The dataset was written, but whether it is ready is not known: "
              + e.getMessage()
              + "; GET "
              + PATH
              + "/"
              + resourceName
              + " tells (request "
              + request.requestId()
              + ")");
    }
  }

  private OwnedDatasetDocument awaited(
      Dataset written, RestRequest request, Cancellation cancellation) throws InterruptedException {
    String namespace = request.namespace();
    String resourceName = written.getMetadata().getName();
    Duration bound = classes.limitsOf(written.getSpec().className()).snapshotBound();
    CallContext call =
        new CallContext(request.identity(), request.requestId(), Progress.NONE, cancellation);
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      Dataset now = stateOf(written, request);
      DatasetState state = wait.await(now, subscription, bound, call);
      return document(DatasetDocument.of(written, state), written, request);
    }
  }
}
