package dev.assay.operator.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the platform team decides at installation.
 *
 * @param namespaces the run namespaces; nothing elsewhere is watched
 * @param runTtlSeconds how long a finished run is kept where it names no time of its own
 * @param outputStore where output is kept
 * @param endpoint the internal endpoint that the front end reads output from; absent where it reads
 *     the output store itself
 * @param leaderElection the lease; absent where there is only ever one operator
 * @param signingKeyMaxAgeDays after how many days a new signing key takes over; 0 for only on
 *     request
 * @param snapshotCleanup when snapshots go that are not in use
 * @param operatorPodLabels labels of the operator's own Pods: who may reach a run Pod
 */
public record OperatorConfig(
    @JsonProperty(required = true) List<RunNamespace> namespaces,
    @JsonProperty(required = true) int runTtlSeconds,
    @JsonProperty(required = true) OutputStoreConfig outputStore,
    @Nullable EndpointConfig endpoint,
    @Nullable LeaderElectionConfig leaderElection,
    @JsonProperty(required = true) int signingKeyMaxAgeDays,
    @JsonProperty(required = true) SnapshotCleanupConfig snapshotCleanup,
    @JsonProperty(required = true) Map<String, String> operatorPodLabels) {

  /** Refuses what would leave runs open to others. */
  public OperatorConfig {
    if (operatorPodLabels == null || operatorPodLabels.isEmpty()) {
      throw new IllegalArgumentException(
          "operatorPodLabels is empty, and every Pod of the operator's namespace could reach runs");
    }
    if (signingKeyMaxAgeDays < 0) {
      throw new IllegalArgumentException("signingKeyMaxAgeDays is below 0");
    }
  }

  /** Names of the run namespaces. */
  public Set<String> namespaceNames() {
    return namespaces.stream().map(RunNamespace::name).collect(Collectors.toUnmodifiableSet());
  }

  /** The configuration of a run namespace. */
  public Optional<RunNamespace> namespace(String name) {
    return namespaces.stream().filter(namespace -> namespace.name().equals(name)).findFirst();
  }

  /**
   * A namespace that runs live in.
   *
   * @param name its name
   * @param snapshotClaim the PersistentVolumeClaim that dataset snapshots are kept on
   * @param sourceVolumes the volumes that a Dataset may name
   * @param userIds of its run Pods; {@link UserIdRange#DEFAULT} when absent
   */
  public record RunNamespace(
      @JsonProperty(required = true) String name,
      @JsonProperty(required = true) String snapshotClaim,
      @Nullable List<SourceVolume> sourceVolumes,
      @Nullable UserIdRange userIds) {

    /** The user ids of its run Pods. */
    public UserIdRange userIdRange() {
      return userIds == null ? UserIdRange.DEFAULT : userIds;
    }

    /** The declared volume of a name. */
    public Optional<SourceVolume> sourceVolume(String volumeName) {
      return sourceVolumes == null
          ? Optional.empty()
          : sourceVolumes.stream().filter(volume -> volume.name().equals(volumeName)).findFirst();
    }
  }

  /**
   * A volume with files that datasets may be made of.
   *
   * @param name what a Dataset calls it
   * @param claim the PersistentVolumeClaim in the run namespace
   * @param subPath the part of it that is offered; all of it when absent or empty
   */
  public record SourceVolume(
      @JsonProperty(required = true) String name,
      @JsonProperty(required = true) String claim,
      @Nullable String subPath) {}

  /**
   * The output store.
   *
   * @param directory where it lives
   * @param maxRunsPerNamespace the oldest outputs go when there are more
   * @param maxBytesPerNamespace the oldest outputs go when they take more
   */
  public record OutputStoreConfig(
      @JsonProperty(required = true) String directory,
      @JsonProperty(required = true) int maxRunsPerNamespace,
      @JsonProperty(required = true) long maxBytesPerNamespace) {}

  /**
   * The internal endpoint.
   *
   * @param port TCP port, TLS
   * @param audience what a caller's token must have been issued for
   * @param allowedServiceAccounts user names of the service accounts that may call
   * @param serviceName the Service that leads to the leader, in the operator's own namespace
   */
  public record EndpointConfig(
      @JsonProperty(required = true) int port,
      @JsonProperty(required = true) String audience,
      @JsonProperty(required = true) List<String> allowedServiceAccounts,
      @JsonProperty(required = true) String serviceName) {}

  /**
   * The removal of snapshots that are not in use.
   *
   * @param everySeconds between two looks at what is in use; 0 for no removal
   * @param minAgeSeconds for how long a snapshot was not written to before it goes; more than the
   *     clocks of the volumes may differ from the operator's
   */
  public record SnapshotCleanupConfig(
      @JsonProperty(required = true) int everySeconds,
      @JsonProperty(required = true) int minAgeSeconds) {

    /** Refuses what cannot be times. */
    public SnapshotCleanupConfig {
      if (everySeconds < 0 || minAgeSeconds < 1) {
        throw new IllegalArgumentException(
            "everySeconds of snapshotCleanup is below 0, or its minAgeSeconds below 1");
      }
    }
  }

  /**
   * The leader's lease.
   *
   * @param leaseName name of the Lease
   * @param namespace where it lives
   */
  public record LeaderElectionConfig(
      @JsonProperty(required = true) String leaseName,
      @JsonProperty(required = true) String namespace) {}
}
