package dev.assay.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** An MCP server whose tools the code of runs can call, and how it is reached and trusted. */
@Group(AnalyticsRun.GROUP)
@Version(AnalyticsRun.VERSION)
@ShortNames("tserver")
@Categories("assay")
@AdditionalPrinterColumn(
    name = "Phase",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.phase")
@AdditionalPrinterColumn(
    name = "Tools",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.counts.listed")
@AdditionalPrinterColumn(
    name = "Approved",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.counts.approved")
@AdditionalPrinterColumn(
    name = "Pending",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.counts.pending")
@AdditionalPrinterColumn(
    name = "Changed",
    type = AdditionalPrinterColumn.Type.INTEGER,
    jsonPath = ".status.counts.changed")
@AdditionalPrinterColumn(
    name = "Age",
    type = AdditionalPrinterColumn.Type.DATE,
    jsonPath = ".metadata.creationTimestamp")
@AdditionalPrinterColumn(
    name = "URL",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".spec.url",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Message",
    type = AdditionalPrinterColumn.Type.STRING,
    jsonPath = ".status.message",
    priority = 1)
@ValidationRule(
    value = "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
    message = "the name must be an RFC 1123 label of at most 63 characters: scripts call it by it")
public class ToolServer extends CustomResource<ToolServerSpec, ToolServerStatus>
    implements Namespaced, VersionedKind {
  /**
   * On a Secret: where its content may be sent, separated by commas. {@code HOST} and {@code
   * HOST:PORT} mean https, {@code http://HOST:PORT} means http.
   */
  public static final String HOSTS_ANNOTATION = "assay.dev/hosts";

  /** On a Secret: the namespaces whose ToolServers may use it, separated by commas. */
  public static final String NAMESPACES_ANNOTATION = "assay.dev/namespaces";

  /** The key of a Secret with what is sent. */
  public static final String SECRET_KEY = "token";

  private static final long serialVersionUID = 1L;

  @Override
  public boolean understood() {
    ToolServerStatus status = getStatus();
    return getSpec().understood() && (status == null || status.phase() != ToolServerPhase.Unknown);
  }
}
