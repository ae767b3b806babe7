package dev.assay.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A named table: where it comes from and, in status, the snapshot that runs read. */
@Group(AnalyticsRun.GROUP)
@Version(AnalyticsRun.VERSION)
@ShortNames("ads")
@Categories("assay")
@AdditionalPrinterColumn(
    name = "Phase",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.phase")
@AdditionalPrinterColumn(
    name = "Rows",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.snapshot.rows")
@AdditionalPrinterColumn(
    name = "Columns",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.snapshot.columnCount")
@AdditionalPrinterColumn(
    name = "Bytes",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.snapshot.bytes")
@AdditionalPrinterColumn(
    name = "Age",
    type = AdditionalPrinterColumn.Type.DATE,
    jsonPath = ".metadata.creationTimestamp")
@AdditionalPrinterColumn(
    name = "Snapshot",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.snapshot.id",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Message",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.message",
    priority = 1)
@ValidationRule(
    value = "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
    message = "the name must be an RFC 1123 label of at most 63 characters: it names a mount")
public class Dataset extends CustomResource<DatasetSpec, DatasetStatus>
    implements Namespaced, VersionedKind {
  private static final long serialVersionUID = 1L;

  @Override
  public boolean understood() {
    DatasetStatus status = getStatus();
    return getSpec().source().understood()
        && (status == null || status.phase() != DatasetPhase.Unknown);
  }

  /**
   * Whether its data, and so its columns or why it was not loaded, may contain content of tool
   * servers: that of its source, or of the snapshot that runs read meanwhile.
   */
  public boolean hasUntrustedContent() {
    DatasetStatus status = getStatus();
    return Boolean.TRUE.equals(getSpec().source().untrusted())
        || (status != null
            && status.snapshot() != null
            && Boolean.TRUE.equals(status.snapshot().untrusted()));
  }
}
