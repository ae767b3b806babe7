package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Records restarts and changes of the operator and the front end, of which there should be none.
 */
final class ControlPlaneWatch implements AutoCloseable {
  private final List<String> disturbances = new CopyOnWriteArrayList<>();
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<Lease> lease;

  /** Starts to watch an installation whose Pods are all Ready. */
  ControlPlaneWatch(Assay assay) {
    OperatorPods operators = new OperatorPods(assay);
    operators.leader();
    this.pods =
        assay
            .kubernetes()
            .pods()
            .inNamespace(assay.installation().systemNamespace())
            .inform(new PodChanges());
    this.lease = operators.lease().inform(new LeaseChange());
  }

  /**
   * One line for each Pod that was not Ready, was deleted or created, and for each change of the
   * leader.
   */
  List<String> disturbances() {
    return List.copyOf(disturbances);
  }

  @Override
  public void close() {
    pods.close();
    lease.close();
  }

  /** A Pod that has done its work, such as that of helm test, is no part of the control plane. */
  private static boolean hasCompleted(Pod pod) {
    return "Succeeded".equals(pod.getStatus().getPhase());
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  private final class PodChanges implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      if (!isReady(pod) && !hasCompleted(pod)) {
        tell(pod, "is not Ready");
      }
    }

    @Override
    public void onUpdate(Pod before, Pod after) {
      if (isReady(before) && !isReady(after)) {
        tell(after, "is not Ready any more");
      }
      if (restarts(before) < restarts(after)) {
        tell(after, "was restarted");
      }
    }

    @Override
    public void onDelete(Pod pod, boolean lastStateUnknown) {
      if (!hasCompleted(pod)) {
        tell(pod, "was deleted");
      }
    }

    private void tell(Pod pod, String what) {
      disturbances.add("Pod " + pod.getMetadata().getName() + " " + what);
    }
  }

  private final class LeaseChange implements ResourceEventHandler<Lease> {
    @Override
    public void onAdd(Lease found) {
      // The first leader is not a change.
    }

    @Override
    public void onUpdate(Lease before, Lease after) {
      String holder = OperatorPods.holder(after);
      if (!OperatorPods.holder(before).equals(holder)) {
        disturbances.add("The Lease went to '" + holder + "'");
      }
    }

    @Override
    public void onDelete(Lease gone, boolean lastStateUnknown) {
      disturbances.add("The Lease was deleted");
    }
  }
}
