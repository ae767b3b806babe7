package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicySpec;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Describes what a foreign NetworkPolicy allows for runner Pods. Policies are additive: no policy
 * can deny what another one allows.
 */
public final class NetworkPolicyOpening {
  /** Labels on every runner Pod whose value depends on the Pod. */
  private static final Set<String> VARYING =
      Set.of(Labels.RUN_UID, Labels.DATASET_UID, Labels.SNAPSHOT_CLEANUP, Labels.WARM_POOL);

  private static final Map<String, String> FIXED = fixed();

  private static final List<Block> PRIVATE =
      List.of(
          Block.of("10.0.0.0/8"),
          Block.of("100.64.0.0/10"),
          Block.of("127.0.0.0/8"),
          Block.of("172.16.0.0/12"),
          Block.of("192.168.0.0/16"),
          Block.of("::1/128"),
          Block.of("fc00::/7"));

  /** Private addresses of metadata services; those of most clouds are link-local. */
  private static final List<Block> METADATA =
      List.of(Block.of("100.100.100.200/32"), Block.of("fd00:ec2::254/128"));

  private NetworkPolicyOpening() {}

  /** Returns a sentence; empty if the policy selects no runner Pod or allows nothing. */
  public static Optional<String> of(NetworkPolicy policy) {
    if (!canSelect(policy, new KnownLabels(FIXED, true))) {
      return Optional.empty();
    }
    NetworkPolicySpec spec = policy.getSpec();
    boolean egress = !spec.getEgress().isEmpty() && isAbout("Egress", spec);
    boolean ingress = !spec.getIngress().isEmpty() && isAbout("Ingress", spec);
    if (!egress && !ingress) {
      return Optional.empty();
    }
    return Optional.of(
        ("NetworkPolicy %s selects run Pods and allows %s that Assay's own policy denies. Exclude"
                + " Pods with the label %s from its podSelector")
            .formatted(
                policy.getMetadata().getName(),
                egress && ingress ? "egress and ingress" : egress ? "egress" : "ingress",
                Labels.RUNNER_POD));
  }

  /**
   * Whether the policy lets the Pods that it selects connect to public addresses, or to those where
   * clouds offer credentials. Others within the cluster, such as its DNS, are {@link #of openings}
   * only.
   */
  public static boolean opensInternet(NetworkPolicy policy) {
    NetworkPolicySpec spec = policy.getSpec();
    return spec != null
        && isAbout("Egress", spec)
        && spec.getEgress().stream().anyMatch(NetworkPolicyOpening::isPublic);
  }

  /**
   * Whether the policy may select runner Pods.
   *
   * @param labels of the Pods in question, that of their class among them
   */
  public static boolean selects(NetworkPolicy policy, Map<String, String> labels) {
    Map<String, String> known = new HashMap<>(labels);
    known.putAll(FIXED);
    return new KnownLabels(known, false).canMatch(policy.getSpec().getPodSelector());
  }

  private static boolean canSelect(NetworkPolicy policy, KnownLabels labels) {
    return !policy.getMetadata().getName().equals(RunnerNetworkPolicy.NAME)
        && policy.getSpec() != null
        && labels.canMatch(policy.getSpec().getPodSelector());
  }

  private static boolean isAbout(String type, NetworkPolicySpec spec) {
    return spec.getPolicyTypes().isEmpty() || spec.getPolicyTypes().contains(type);
  }

  private static boolean isPublic(NetworkPolicyEgressRule rule) {
    return rule.getTo().isEmpty()
        || rule.getTo().stream()
            .anyMatch(peer -> peer.getIpBlock() != null && !isPrivate(peer.getIpBlock().getCidr()));
  }

  /** Whether all addresses of a block are private ones, and no metadata service is among them. */
  private static boolean isPrivate(String cidr) {
    try {
      Block block = Block.of(cidr);
      return PRIVATE.stream().anyMatch(each -> each.contains(block))
          && METADATA.stream().noneMatch(block::contains);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      return false;
    }
  }

  private record Block(InetAddress first, int length) {
    /**
     * An IPv4 address that is written as an IPv6 one is refused: its length is not that of IPv4.
     */
    static Block of(String cidr) {
      String[] parts = cidr.split("/", 2);
      InetAddress first = InetAddress.ofLiteral(parts[0]);
      if (parts[0].contains(":") != (first instanceof Inet6Address)) {
        throw new IllegalArgumentException(cidr);
      }
      return new Block(first, Integer.parseInt(parts[1]));
    }

    boolean contains(Block other) {
      byte[] mine = first.getAddress();
      byte[] others = other.first.getAddress();
      return mine.length == others.length
          && other.length >= length
          && IntStream.range(0, length).allMatch(bit -> bit(mine, bit) == bit(others, bit));
    }

    private static int bit(byte[] address, int number) {
      return address[number / 8] >> (7 - number % 8) & 1;
    }
  }

  /**
   * What is known of the labels of Pods.
   *
   * @param anyClass whether their class can be any
   */
  private record KnownLabels(Map<String, String> fixed, boolean anyClass) {
    boolean canMatch(LabelSelector selector) {
      Map<String, String> labels = selector.getMatchLabels();
      List<LabelSelectorRequirement> expressions = selector.getMatchExpressions();
      return (labels == null
              || labels.entrySet().stream()
                  .allMatch(label -> canBe(label.getKey(), Set.of(label.getValue()))))
          && (expressions == null || expressions.stream().allMatch(this::canMatch));
    }

    private boolean canMatch(LabelSelectorRequirement expression) {
      String key = expression.getKey();
      Set<String> values = Set.copyOf(expression.getValues());
      return switch (expression.getOperator()) {
        case "In" -> canBe(key, values);
        case "NotIn" -> !fixed.containsKey(key) || !values.contains(fixed.get(key));
        case "Exists" -> fixed.containsKey(key) || varies(key);
        case "DoesNotExist" -> !fixed.containsKey(key) && !key.equals(Labels.RUN_CLASS);
        default -> true;
      };
    }

    private boolean canBe(String key, Set<String> values) {
      return varies(key) || (fixed.containsKey(key) && values.contains(fixed.get(key)));
    }

    private boolean varies(String key) {
      return VARYING.contains(key) || (anyClass && key.equals(Labels.RUN_CLASS));
    }
  }

  private static Map<String, String> fixed() {
    Map<String, String> labels = new HashMap<>(Labels.MANAGED);
    labels.put(Labels.RUNNER_POD, "true");
    return Map.copyOf(labels);
  }
}
