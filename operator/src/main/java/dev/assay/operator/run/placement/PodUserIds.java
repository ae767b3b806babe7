package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pool.PoolRoom;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.run.cluster.RunResources;
import java.util.Optional;

/** The user ids of the Pods of runs; where all are in use, idle Pods give theirs up. */
public final class PodUserIds {
  private final UserIds userIds;
  private final RunResources resources;
  private final PoolRoom room;

  public PodUserIds(UserIds userIds, RunResources resources, PoolRoom room) {
    this.userIds = userIds;
    this.resources = resources;
    this.room = room;
  }

  /** Those of the Pod of a run; empty if all of its namespace are in use. */
  Optional<PodUsers> reserve(AnalyticsRun run, RunNamespace namespace) {
    Optional<PodUsers> users =
        userIds.reserve(PodOfRun.createdName(run), namespace.userIdRange(), resources.pods());
    if (users.isEmpty()) {
      room.userIdsAreMissing(namespace.name());
    }
    return users;
  }
}
