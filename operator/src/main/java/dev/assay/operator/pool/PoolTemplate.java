package dev.assay.operator.pool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pod.RunnerPod;
import dev.assay.operator.pod.RunnerPodRequest;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What the Pods of a pool are made from: a pure function of the class, the namespace, the signing
 * key and the address that they must be refused at. A Pod whose hash is not that of its pool's
 * template is given to no run, so that a change of the class or the key applies at once.
 */
public final class PoolTemplate {
  /** How long a Pod may be idle before it is replaced. */
  static final Duration IDLE_LIFE = Duration.ofHours(1);

  /** How long before that its successor is started, which it waits for. */
  static final Duration SUCCESSION = Duration.ofMinutes(5);

  static final String NAME_PREFIX = "warm-";

  /** Half of a SHA-256: the value of a label has at most 63 characters. */
  private static final int HASH_BYTES = 16;

  private static final PodUsers NO_USERS = new PodUsers(0, 0);
  private static final ObjectMapper SORTED =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private final PoolKey key;
  private final RunNamespace namespace;
  private final RunClass runClass;
  private final String publicKeys;
  private final Optional<EgressAddress> egressAddress;
  private final WarmPodLimits limits;
  private final String hash;
  private final long memoryBytes;

  /**
   * The template of a pool.
   *
   * @param publicKeys the keys that supervisors trust, in their format
   * @param egressAddress what the Pods must be refused at, if the class requires it
   * @param limits of its Pods
   */
  public PoolTemplate(
      RunNamespace namespace,
      RunClass runClass,
      Program program,
      String publicKeys,
      Optional<EgressAddress> egressAddress,
      WarmPodLimits limits) {
    this.key = new PoolKey(namespace.name(), runClass.getMetadata().getName(), program);
    this.namespace = namespace;
    this.runClass = runClass;
    this.publicKeys = publicKeys;
    this.egressAddress = egressAddress;
    this.limits = limits;
    Pod pod = build(NAME_PREFIX, NO_USERS);
    this.hash = hash(pod);
    this.memoryBytes = memoryBytes(pod);
  }

  /** Whether it is what would be made of these; its namespace does not change. */
  boolean isFrom(RunClass other, String currentKeys, Optional<EgressAddress> currentAddress) {
    return runClass.getMetadata().getUid().equals(other.getMetadata().getUid())
        && Objects.equals(
            runClass.getMetadata().getGeneration(), other.getMetadata().getGeneration())
        && publicKeys.equals(currentKeys)
        && egressAddress.equals(currentAddress);
  }

  /** The pool. */
  public PoolKey key() {
    return key;
  }

  /** Whether Pods of this template may be given to runs of another. */
  boolean isSame(PoolTemplate other) {
    // A deleted class of the same name may have been equal to this one. It owns its Pods.
    String classUid = runClass.getMetadata().getUid();
    return key.equals(other.key)
        && hash.equals(other.hash)
        && classUid.equals(other.runClass.getMetadata().getUid());
  }

  /** Of the whole Pod, without its name, its owner and the ids of its users. */
  String hash() {
    return hash;
  }

  /** What a Pod of the pool requests. */
  long memoryBytes() {
    return memoryBytes;
  }

  /** A Pod of the pool. */
  Pod pod(String name, PodUsers users) {
    return new PodBuilder(build(name, users))
        .editMetadata()
        .addToLabels(Labels.WARM_POOL, hash)
        .endMetadata()
        .build();
  }

  /** Those of Pods of its class that were made from it. */
  List<Pod> made(Collection<Pod> pods) {
    return pods.stream().filter(pod -> hashOf(pod).equals(hash)).toList();
  }

  /** The hash of the template that a Pod was made from. */
  static String hashOf(Pod pod) {
    return pod.getMetadata().getLabels().getOrDefault(Labels.WARM_POOL, "");
  }

  private Pod build(String name, PodUsers users) {
    Pod pod =
        new PodBuilder(RunnerPod.build(request(name, users)))
            .editMetadata()
            .addToAnnotations(limits.annotations())
            .endMetadata()
            .build();
    return egressAddress.map(address -> address.writtenTo(pod)).orElse(pod);
  }

  private RunnerPodRequest request(String name, PodUsers users) {
    return new RunnerPodRequest(
        name,
        namespace.name(),
        key.className(),
        runClass.getSpec(),
        Owners.controller(runClass),
        Map.of(),
        RunWorker.warm(key.program(), runClass.getSpec().warmPodsTakeDatasets()),
        users,
        namespace.snapshotClaim(),
        publicKeys,
        IDLE_LIFE.plus(limits.maxRunLife()).toSeconds());
  }

  private static long memoryBytes(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .map(container -> container.getResources().getRequests().get("memory"))
        .mapToLong(memory -> Quantity.getAmountInBytes(memory).longValue())
        .sum();
  }

  private static String hash(Pod pod) {
    Pod anonymous =
        new PodBuilder(pod).editMetadata().withOwnerReferences(List.of()).endMetadata().build();
    try {
      byte[] digest = Sha256.digest().digest(SORTED.writeValueAsBytes(anonymous));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
