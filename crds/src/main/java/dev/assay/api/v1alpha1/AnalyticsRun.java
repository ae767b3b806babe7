package dev.assay.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** One execution of code over datasets, in a Pod of its own that serves nothing else. */
@Group(AnalyticsRun.GROUP)
@Version(AnalyticsRun.VERSION)
@ShortNames("arun")
@Categories("assay")
@AdditionalPrinterColumn(
    name = "Class",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.className")
@AdditionalPrinterColumn(
    name = "Phase",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.phase")
@AdditionalPrinterColumn(
    name = "Reason",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.reason")
@AdditionalPrinterColumn(
    name = "Run Time",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.runTime")
@AdditionalPrinterColumn(
    name = "Age",
    type = AdditionalPrinterColumn.Type.DATE,
    jsonPath = ".metadata.creationTimestamp")
@AdditionalPrinterColumn(
    name = "Language",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.language",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Mode",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.mode",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Pod",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.pod.name",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Warm",
    type = AdditionalPrinterColumn.Type.BOOLEAN,
    jsonPath = ".status.pod.warm",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Queued",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.queueTime",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Caller",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.caller",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Datasets",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.datasets",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Cache Key",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.cacheKey",
    priority = 1)
public class AnalyticsRun extends CustomResource<AnalyticsRunSpec, AnalyticsRunStatus>
    implements Namespaced, VersionedKind {
  public static final String GROUP = "assay.dev";
  public static final String VERSION = "v1alpha1";
  private static final long serialVersionUID = 1L;

  @Override
  public boolean understood() {
    AnalyticsRunSpec spec = getSpec();
    AnalyticsRunStatus status = getStatus();
    return spec.understood()
        && (status == null
            || (status.phase() != RunPhase.Unknown && status.reason() != RunReason.Unknown));
  }
}
