package dev.assay.e2e;

import dev.assay.e2e.crash.AgentJar;
import dev.assay.e2e.crash.CrashPoints;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operator with an agent in its Pods that can stop it at a step of a run. The agent does
 * nothing in a Pod without a plan.
 */
final class CrashableOperator {
  private static final String AGENT = "e2e-crash-agent";
  private static final String JAR = "agent.jar";
  private static final String DIRECTORY = "/opt/" + AGENT;
  private static final String OPTION = "-javaagent:" + DIRECTORY + "/" + JAR;

  private final Assay assay;
  private final OperatorPods pods;

  CrashableOperator(Assay assay) {
    this.assay = assay;
    this.pods = new OperatorPods(assay);
  }

  /** Installs the agent; removes one of an earlier test run first. */
  void install() {
    restore();
    ConfigMap jar =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(AGENT)
            .withNamespace(namespace())
            .endMetadata()
            .addToBinaryData(JAR, Base64.getEncoder().encodeToString(AgentJar.bytes()))
            .build();
    assay.kubernetes().resource(jar).create();
    edit(CrashableOperator::addAgent);
  }

  /** Restores the Deployment as created by the chart. */
  void restore() {
    edit(CrashableOperator::removeAgent);
    assay.kubernetes().configMaps().inNamespace(namespace()).withName(AGENT).delete();
  }

  /** What happens to an operator once each run of its plan is held. */
  enum Then {
    /** It exits at once, as with SIGKILL. */
    CRASH,
    /** It does not renew its Lease, and does not notice that it was replaced. */
    OUTLIVE,
    /** Nothing: it leads on, and does all else. */
    HOLD,
    /** It reconciles no run any more, but renews its Lease. */
    HANG
  }

  /**
   * Makes a Pod hold runs, each at its point.
   *
   * @param plan the time limit of a run, in seconds, and its point: a step of {@code CrashAgent}
   *     with {@code /before} or {@code /after}
   */
  void arm(String pod, Map<Integer, String> plan, Then then) {
    String lines =
        plan.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
            .collect(Collectors.joining("", "", "then=" + then.name().toLowerCase(Locale.ROOT)));
    pods.kubectlWithInput(lines, "exec", "-i", pod, "--", "sh", "-c", "cat > /tmp/crash-plan");
  }

  /** Waits until a Pod holds each run of its plan, with {@link Then#HOLD}. */
  void awaitHeld(String pod) {
    pods.kubectl(
        "exec",
        pod,
        "--",
        "timeout",
        "120",
        "sh",
        "-c",
        "until test -e /tmp/crash-all-held; do sleep 0.1; done");
  }

  /** Lets a Pod continue with the runs that it holds. */
  void goOn(String pod) {
    pods.kubectl("exec", pod, "--", "sh", "-c", ": > /tmp/crash-go-on");
  }

  /** Stops a Pod that holds runs, as with SIGKILL. */
  void crash(String pod) {
    // Its shell may be stopped with it before kubectl has the exit code.
    var unused =
        Programs.kubectl("-n", namespace(), "exec", pod, "--", "sh", "-c", ": > /tmp/crash-now");
    awaitCrash(pod);
  }

  /** Waits until an operator with a plan has exited. */
  void awaitCrash(String pod) {
    pods.pod(pod).waitUntilCondition(CrashableOperator::hasCrashed, 2, TimeUnit.MINUTES);
  }

  private static boolean hasCrashed(@Nullable Pod pod) {
    return pod != null
        && pod.getStatus().getContainerStatuses().stream().anyMatch(CrashableOperator::hasEnded);
  }

  private static boolean hasEnded(ContainerStatus status) {
    return Stream.of(status.getState(), status.getLastState())
        .anyMatch(
            state ->
                state != null
                    && state.getTerminated() != null
                    && state.getTerminated().getExitCode() == CrashPoints.EXIT_CODE);
  }

  private void edit(Consumer<PodSpec> change) {
    assay
        .kubernetes()
        .apps()
        .deployments()
        .inNamespace(namespace())
        .withName(OperatorPods.NAME)
        .edit(
            deployment -> {
              change.accept(deployment.getSpec().getTemplate().getSpec());
              return deployment;
            });
    pods.awaitAll();
  }

  private static void addAgent(PodSpec pod) {
    pod.getVolumes()
        .add(
            new VolumeBuilder()
                .withName(AGENT)
                .withNewConfigMap()
                .withName(AGENT)
                .endConfigMap()
                .build());
    Container operator = pod.getContainers().getFirst();
    operator
        .getVolumeMounts()
        .add(new VolumeMountBuilder().withName(AGENT).withMountPath(DIRECTORY).build());
    operator
        .getEnv()
        .add(new EnvVarBuilder().withName("JAVA_TOOL_OPTIONS").withValue(OPTION).build());
  }

  private static void removeAgent(PodSpec pod) {
    pod.getVolumes().removeIf(volume -> volume.getName().equals(AGENT));
    Container operator = pod.getContainers().getFirst();
    operator.getVolumeMounts().removeIf(mount -> mount.getName().equals(AGENT));
    operator.getEnv().removeIf(variable -> OPTION.equals(variable.getValue()));
  }

  private String namespace() {
    return assay.installation().systemNamespace();
  }
}
