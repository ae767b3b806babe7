package dev.assay.operator.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that the platform team sets at installation.
 *
 * @param namespaces the run namespaces; nothing elsewhere is watched
 * @param runTtlSeconds how long a finished run is kept if its spec sets no time to live
 * @param maxRunsPerNamespace how many AnalyticsRun objects the front end lets a namespace have;
 *     near that, finished ones are deleted before their time
 * @param outputStore the output store
 * @param endpoint the internal endpoint that the front end reads output from; absent if the front
 *     end reads the output store itself
 * @param leaderElection the Lease; absent if there is always exactly one operator
 * @param signingKeyMaxAgeDays age in days at which the signing key is replaced; 0 to replace it
 *     only on request
 * @param snapshotCleanup when unused snapshots are removed
 * @param warmPools limits of all idle Pods together
 * @param egressCheck the address that run Pods must be refused at; absent if no class may require
 *     that
 * @param toolGateway the tool gateway, through which code calls tools; absent if there is none
 * @param operatorPodLabels labels of the operator's own Pods, the only ones that may connect to a
 *     run Pod
 */
public record OperatorConfig(
    @JsonProperty(required = true) List<RunNamespace> namespaces,
    @JsonProperty(required = true) int runTtlSeconds,
    @JsonProperty(required = true) int maxRunsPerNamespace,
    @JsonProperty(required = true) OutputStoreConfig outputStore,
    @Nullable EndpointConfig endpoint,
    @Nullable LeaderElectionConfig leaderElection,
    @JsonProperty(required = true) int signingKeyMaxAgeDays,
    @JsonProperty(required = true) SnapshotCleanupConfig snapshotCleanup,
    @JsonProperty(required = true) WarmPoolsConfig warmPools,
    @Nullable EgressCheckConfig egressCheck,
    @Nullable ToolGatewayConfig toolGateway,
    @JsonProperty(required = true) Map<String, String> operatorPodLabels) {

  /** Rejects values that would expose run Pods to other Pods. */
  public OperatorConfig {
    if (operatorPodLabels == null || operatorPodLabels.isEmpty()) {
      throw new IllegalArgumentException(
          "operatorPodLabels is empty: every Pod in the operator's namespace could connect to"
              + " run Pods");
    }
    if (signingKeyMaxAgeDays < 0) {
      throw new IllegalArgumentException("signingKeyMaxAgeDays must be at least 0");
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
   * A run namespace.
   *
   * @param name its name
   * @param snapshotClaim the PersistentVolumeClaim for dataset snapshots
   * @param sourceVolumes the volumes that a Dataset may read from
   * @param userIds the user ids of its run Pods; {@link UserIdRange#DEFAULT} when absent
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

    /** The declared volume with this name. */
    public Optional<SourceVolume> sourceVolume(String volumeName) {
      return sourceVolumes == null
          ? Optional.empty()
          : sourceVolumes.stream().filter(volume -> volume.name().equals(volumeName)).findFirst();
    }
  }

  /**
   * A volume with files that datasets may be read from.
   *
   * @param name the name that a Dataset refers to
   * @param claim the PersistentVolumeClaim in the run namespace
   * @param subPath the directory to mount; the whole volume when absent or empty
   */
  public record SourceVolume(
      @JsonProperty(required = true) String name,
      @JsonProperty(required = true) String claim,
      @Nullable String subPath) {}

  /**
   * The output store.
   *
   * @param directory its directory
   * @param maxRunsPerNamespace how many outputs a namespace may have; the oldest are removed
   * @param maxBytesPerNamespace how many bytes they may take; the oldest are removed
   * @param cacheMaxBytesPerNamespace how many bytes the stored values of cached results may take;
   *     the oldest are removed
   */
  public record OutputStoreConfig(
      @JsonProperty(required = true) String directory,
      @JsonProperty(required = true) int maxRunsPerNamespace,
      @JsonProperty(required = true) long maxBytesPerNamespace,
      @JsonProperty(required = true) long cacheMaxBytesPerNamespace) {}

  /**
   * The internal endpoint.
   *
   * @param port TCP port, TLS
   * @param audience the audience that a caller's token must have
   * @param allowedServiceAccounts user names of the service accounts that may call it
   * @param serviceName the Service that routes to the leader, in the operator's namespace
   */
  public record EndpointConfig(
      @JsonProperty(required = true) int port,
      @JsonProperty(required = true) String audience,
      @JsonProperty(required = true) List<String> allowedServiceAccounts,
      @JsonProperty(required = true) String serviceName) {}

  /**
   * The removal of unused snapshots.
   *
   * @param everySeconds interval between cleanups; 0 disables them
   * @param minAgeSeconds how long ago a snapshot must have been written before it is removed; must
   *     exceed the clock skew between the volumes and the operator
   */
  public record SnapshotCleanupConfig(
      @JsonProperty(required = true) int everySeconds,
      @JsonProperty(required = true) int minAgeSeconds) {

    /** Rejects invalid durations. */
    public SnapshotCleanupConfig {
      if (everySeconds < 0 || minAgeSeconds < 1) {
        throw new IllegalArgumentException(
            "snapshotCleanup: everySeconds must be at least 0 and minAgeSeconds at least 1");
      }
    }
  }

  /**
   * Limits of the idle Pods of all classes together, each of which counts with the memory that it
   * requests, and what is known of their nodes.
   *
   * @param maxIdleMemoryBytesPerNamespace their memory in one namespace; 0 for no idle Pods
   * @param maxIdleMemoryBytes their memory in all run namespaces; 0 for no idle Pods
   * @param watchNodes whether the operator may watch nodes, so that idle Pods leave cordoned ones
   */
  public record WarmPoolsConfig(
      @JsonProperty(required = true) long maxIdleMemoryBytesPerNamespace,
      @JsonProperty(required = true) long maxIdleMemoryBytes,
      @JsonProperty(required = true) boolean watchNodes) {

    /** Rejects negative limits. */
    public WarmPoolsConfig {
      if (maxIdleMemoryBytesPerNamespace < 0 || maxIdleMemoryBytes < 0) {
        throw new IllegalArgumentException("warmPools: the limits must be at least 0");
      }
    }
  }

  /**
   * The address that run Pods must be refused at. Only their own NetworkPolicy may refuse them:
   * that of the address has to admit every Pod.
   *
   * @param host a name that the operator can resolve, or an IP address
   * @param port the TCP port
   */
  public record EgressCheckConfig(
      @JsonProperty(required = true) String host, @JsonProperty(required = true) int port) {
    private static final int MAX_PORT = 65_535;

    /** Rejects what no Pod can connect to. */
    public EgressCheckConfig {
      if (host.isEmpty() || port < 1 || port > MAX_PORT) {
        throw new IllegalArgumentException(
            "egressCheck: host must not be empty, and port must be from 1 to 65535");
      }
    }
  }

  /**
   * The tool gateway.
   *
   * @param host a name each of whose addresses is that of a replica, and that their certificates
   *     contain
   * @param port the TCP port, TLS
   * @param caFile the certificates that theirs are signed with, PEM; absent for a gateway on the
   *     loopback address of local mode, which has none
   * @param tokenFile the token that it knows the operator by
   */
  public record ToolGatewayConfig(
      @JsonProperty(required = true) String host,
      @JsonProperty(required = true) int port,
      @Nullable String caFile,
      @JsonProperty(required = true) String tokenFile) {
    private static final String LOOPBACK = "127.0.0.1";

    /** Rejects what cannot be connected to. */
    public ToolGatewayConfig {
      if (host.isEmpty() || port < 1 || port > EgressCheckConfig.MAX_PORT) {
        throw new IllegalArgumentException(
            "toolGateway: host must not be empty, and port must be from 1 to 65535");
      }
      if (caFile == null && !host.equals(LOOPBACK)) {
        throw new IllegalArgumentException("toolGateway: caFile is missing");
      }
    }
  }

  /**
   * The Lease for leader election.
   *
   * @param leaseName name of the Lease
   * @param namespace its namespace
   */
  public record LeaderElectionConfig(
      @JsonProperty(required = true) String leaseName,
      @JsonProperty(required = true) String namespace) {}
}
