package dev.assay.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Optional;

/**
 * The platform team's policy for a kind of run, in the manner of a StorageClass. A run names a
 * class and cannot loosen it.
 */
@Group(AnalyticsRun.GROUP)
@Version(AnalyticsRun.VERSION)
@ShortNames("rclass")
@Plural("runclasses")
@Categories("assay")
@AdditionalPrinterColumn(
    name = "Purpose",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.purpose")
@AdditionalPrinterColumn(
    name = "CPU",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.resources.cpu")
@AdditionalPrinterColumn(
    name = "Memory",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.resources.memory")
@AdditionalPrinterColumn(
    name = "Max Timeout",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".spec.timeouts.maxSeconds")
@AdditionalPrinterColumn(
    name = "Ready",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.warmPool.ready")
@AdditionalPrinterColumn(
    name = "Starting",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.warmPool.starting")
@AdditionalPrinterColumn(
    name = "Hits",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.warmPool.hits")
@AdditionalPrinterColumn(
    name = "Misses",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.warmPool.misses")
@AdditionalPrinterColumn(
    name = "Age",
    type = AdditionalPrinterColumn.Type.DATE,
    jsonPath = ".metadata.creationTimestamp")
public class RunClass extends CustomResource<RunClassSpec, RunClassStatus> {
  private static final long serialVersionUID = 1L;

  /**
   * The digest of its image, as far as a Pod has reported it; empty after a change of the image.
   */
  public Optional<String> seenImageID() {
    return Optional.ofNullable(getStatus())
        .filter(status -> getSpec().image().equals(status.image()))
        .map(RunClassStatus::imageID);
  }
}
