package dev.assay.cli.cluster;

import static java.net.HttpURLConnection.HTTP_FORBIDDEN;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import dev.assay.api.v1alpha1.CrdManifests;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.cli.cluster.RunFindings.RunNamespace;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Checks an installation by what the Kubernetes API shows of it, and changes nothing. */
public final class ClusterCheck {
  private static final String OPERATOR = "assay-operator";
  private static final String FRONT_END = "assay-mcp-frontend";
  private static final String TOOL_GATEWAY = "assay-tool-gateway";
  private static final String RELEASE = "app.kubernetes.io/instance";

  private final KubernetesClient client;
  private final String namespace;
  private final InstantSource clock;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * A check of one installation, which is made once.
   *
   * @param namespace that of its release
   */
  public ClusterCheck(KubernetesClient client, String namespace, InstantSource clock) {
    this.client = client;
    this.namespace = namespace;
    this.clock = clock;
  }

  /**
   * Makes all checks, in their order.
   *
   * @throws KubernetesClientException if the API server cannot be reached, or refuses this user
   */
  public List<Finding> findings() {
    read("the version of Kubernetes", client::getKubernetesVersion)
        .map(ApiFindings::version)
        .ifPresent(findings::add);
    checkCrds();
    Optional<Deployment> operator = checkComponent(OPERATOR, /* required= */ true);
    checkComponent(FRONT_END, /* required= */ true);
    checkComponent(TOOL_GATEWAY, /* required= */ false);
    get(
            "the Lease " + OPERATOR + " in " + namespace,
            () -> client.leases().inNamespace(namespace).withName(OPERATOR).get())
        .map(lease -> ComponentFindings.leader(lease, clock.instant()))
        .ifPresent(findings::add);
    read("the RunClasses", () -> client.resources(RunClass.class).list().getItems())
        .map(RunFindings::classes)
        .ifPresent(findings::addAll);
    runNamespaces().forEach(this::checkRunNamespace);
    String release =
        operator
            .flatMap(found -> Optional.ofNullable(found.getMetadata().getLabels()))
            .map(labels -> labels.get(RELEASE))
            .orElse("assay");
    findings.add(
        Finding.note(
            "only runs and connections show that all of it works together: helm test %s --namespace %s --logs"
                .formatted(release, namespace)));
    return List.copyOf(findings);
  }

  private void checkCrds() {
    for (var wanted : CrdManifests.all()) {
      String name = wanted.getMetadata().getName();
      get(
              "the CRD " + name,
              () -> client.apiextensions().v1().customResourceDefinitions().withName(name).get())
          .map(live -> ApiFindings.crd(wanted, live))
          .ifPresent(findings::add);
    }
  }

  private Optional<Deployment> checkComponent(String name, boolean required) {
    Optional<Optional<Deployment>> read =
        get(
            "the Deployment " + name + " in " + namespace,
            () -> client.apps().deployments().inNamespace(namespace).withName(name).get());
    Optional<Deployment> found = read.flatMap(Function.identity());
    if (found.isPresent()) {
      Deployment deployment = found.get();
      List<Pod> pods = ComponentFindings.isAvailable(deployment) ? List.of() : podsOf(deployment);
      findings.add(ComponentFindings.of(deployment, pods));
    } else if (read.isPresent() && required) {
      findings.add(ComponentFindings.missing(name, namespace));
    }
    return found;
  }

  private List<Pod> podsOf(Deployment deployment) {
    return read(
            "the Pods in " + namespace,
            () ->
                client
                    .pods()
                    .inNamespace(namespace)
                    .withLabelSelector(deployment.getSpec().getSelector())
                    .list()
                    .getItems())
        .orElse(List.of());
  }

  /** They are not marked: only the operator's configuration names all of them. */
  private List<RunNamespace> runNamespaces() {
    return get(
            "the ConfigMap " + OPERATOR + " in " + namespace + ", which names the run namespaces",
            () -> client.configMaps().inNamespace(namespace).withName(OPERATOR).get())
        .flatMap(Function.identity())
        .map(RunFindings::namespaces)
        .orElse(List.of());
  }

  private void checkRunNamespace(RunNamespace namespace) {
    String name = namespace.name();
    Optional<Optional<Namespace>> read =
        get("the namespace " + name, () -> client.namespaces().withName(name).get());
    if (read.isPresent() && read.get().isEmpty()) {
      findings.add(RunFindings.missing(namespace));
      return;
    }
    read.flatMap(Function.identity()).map(RunFindings::podSecurity).ifPresent(findings::add);
    for (String program : List.of(OPERATOR, FRONT_END)) {
      get(
              "the RoleBinding " + program + " in " + name,
              () -> client.rbac().roleBindings().inNamespace(name).withName(program).get())
          .map(found -> RunFindings.roleBinding(name, program, found))
          .ifPresent(findings::add);
    }
    read("the quotas of " + name, () -> client.resourceQuotas().inNamespace(name).list().getItems())
        .map(quotas -> RunFindings.quotas(name, quotas))
        .ifPresent(findings::add);
  }

  /** An object, which may be missing; empty if it may not be read, which is noted. */
  private <T> Optional<Optional<T>> get(String what, Supplier<T> request) {
    return read(what, () -> Optional.ofNullable(request.get()));
  }

  private <T> Optional<T> read(String what, Supplier<T> request) {
    try {
      return Optional.of(request.get());
    } catch (KubernetesClientException e) {
      if (e.getCode() == HTTP_NOT_FOUND) {
        return Optional.empty(); // A kind whose CRD is missing, which is found already.
      }
      if (e.getCode() != HTTP_FORBIDDEN) {
        throw e;
      }
      String said = e.getStatus() == null ? null : e.getStatus().getMessage();
      findings.add(
          Finding.note(
              "may not read %s: ask an administrator of the cluster for this right%s"
                  .formatted(what, said == null ? "" : ": " + said)));
      return Optional.empty();
    }
  }
}
