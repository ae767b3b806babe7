package dev.assay.local.api.resource;

import static dev.assay.local.api.table.PrinterColumn.AGE;
import static dev.assay.local.api.table.PrinterColumn.NAME;
import static dev.assay.local.api.table.PrinterColumn.NAME_AND_AGE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.ResourceDefinition.Names;
import dev.assay.local.api.table.PrinterColumn;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectRulesReview;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The resources of Kubernetes itself that Assay touches. */
public final class BuiltInResources {
  private static final Set<String> STATUS = Set.of("status");
  private static final List<String> ALL = ResourceDefinition.ALL_VERBS;

  private BuiltInResources() {}

  /** All of them. */
  public static List<ResourceDefinition> all() {
    return List.of(
        of(Namespace.class, STATUS, ALL, List.of(NAME, phase(), AGE), "ns"),
        of(Pod.class, Set.of("status", "log", "binding"), ALL, pods(), "po"),
        of(Secret.class, Set.of(), ALL, List.of(NAME, type(), data(), AGE)),
        of(ConfigMap.class, Set.of(), ALL, List.of(NAME, data(), AGE), "cm"),
        of(Event.class, Set.of(), ALL, events(), "ev"),
        of(ServiceAccount.class, Set.of(), ALL, NAME_AND_AGE, "sa"),
        of(PersistentVolumeClaim.class, STATUS, ALL, List.of(NAME, phase(), AGE), "pvc"),
        of(ResourceQuota.class, STATUS, ALL, NAME_AND_AGE, "quota"),
        of(Lease.class, Set.of(), ALL, leases()),
        of(EndpointSlice.class, Set.of(), ALL, NAME_AND_AGE),
        of(NetworkPolicy.class, Set.of(), ALL, NAME_AND_AGE, "netpol"),
        of(TokenReview.class, Set.of(), List.of("create"), NAME_AND_AGE),
        of(SelfSubjectRulesReview.class, Set.of(), List.of("create"), NAME_AND_AGE));
  }

  private static ResourceDefinition of(
      Class<? extends HasMetadata> model,
      Set<String> subresources,
      List<String> verbs,
      List<PrinterColumn> columns,
      String... shortNames) {
    return new ResourceDefinition(
        HasMetadata.getGroup(model),
        HasMetadata.getVersion(model),
        new Names(
            HasMetadata.getKind(model),
            HasMetadata.getPlural(model),
            HasMetadata.getSingular(model),
            List.of(shortNames),
            List.of()),
        Namespaced.class.isAssignableFrom(model),
        subresources,
        verbs,
        columns,
        null,
        model);
  }

  private static PrinterColumn phase() {
    return PrinterColumn.of("Status", "string", ".status.phase");
  }

  private static PrinterColumn type() {
    return PrinterColumn.of("Type", "string", ".type");
  }

  private static PrinterColumn data() {
    return PrinterColumn.text("Data", object -> String.valueOf(object.path("data").size()));
  }

  private static List<PrinterColumn> leases() {
    return List.of(NAME, PrinterColumn.of("Holder", "string", ".spec.holderIdentity"), AGE);
  }

  private static List<PrinterColumn> events() {
    return List.of(
        PrinterColumn.of("Last Seen", "date", ".lastTimestamp"),
        type(),
        PrinterColumn.of("Reason", "string", ".reason"),
        PrinterColumn.text("Object", BuiltInResources::involvedObject),
        PrinterColumn.of("Message", "string", ".message"));
  }

  private static String involvedObject(ObjectNode event) {
    JsonNode object = event.path("involvedObject");
    return object.path("kind").asText().toLowerCase(Locale.ROOT)
        + "/"
        + object.path("name").asText();
  }

  private static List<PrinterColumn> pods() {
    return List.of(
        NAME,
        PrinterColumn.text("Ready", BuiltInResources::ready),
        PrinterColumn.text("Status", BuiltInResources::podStatus),
        PrinterColumn.text("Restarts", BuiltInResources::restarts),
        AGE,
        PrinterColumn.of("IP", "string", ".status.podIP").wide(),
        PrinterColumn.of("Node", "string", ".spec.nodeName").wide());
  }

  private static String ready(ObjectNode pod) {
    int ready = 0;
    for (JsonNode container : pod.path("status").path("containerStatuses")) {
      ready += container.path("ready").asBoolean() ? 1 : 0;
    }
    return ready + "/" + pod.path("spec").path("containers").size();
  }

  private static String podStatus(ObjectNode pod) {
    if (Metadata.isBeingDeleted(pod)) {
      return "Terminating";
    }
    JsonNode status = pod.path("status");
    for (JsonNode container : status.path("containerStatuses")) {
      String waiting = container.path("state").path("waiting").path("reason").asText();
      if (!waiting.isEmpty()) {
        return waiting;
      }
    }
    return status.path("reason").asText(status.path("phase").asText());
  }

  private static String restarts(ObjectNode pod) {
    int restarts = 0;
    for (JsonNode container : pod.path("status").path("containerStatuses")) {
      restarts += container.path("restartCount").asInt();
    }
    return String.valueOf(restarts);
  }
}
