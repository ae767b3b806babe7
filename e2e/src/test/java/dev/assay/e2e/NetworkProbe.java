package dev.assay.e2e;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One attempt to send something from a run Pod. All of them are listed in docs/security.md.
 *
 * @param name of the probe
 * @param target the target whose address is tried; see {@link NetworkTargets}
 * @param tried description of the target
 * @param kind how it is tried
 * @param mapped whether an IPv4 address is tried over IPv6, as in ::ffff:192.0.2.1
 * @param alone the result if only the NetworkPolicy blocks it
 * @param control who can reach the target, which proves that it is alive
 */
record NetworkProbe(
    String name,
    String target,
    String tried,
    Kind kind,
    boolean mapped,
    Alone alone,
    Control control) {

  /** How a target is tried; the names are those of network.py. */
  enum Kind {
    TCP,
    UDP,
    NAME,
    ICMP,
    COMMAND;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The result of a probe without the seccomp filter. */
  enum Alone {
    REFUSED("refused"),
    /** A NetworkPolicy applies to Pods, not to connections inside them. */
    SAME_POD("reached: it is the same Pod"),
    UNSIGNED("refused by the supervisor: not signed"),
    NO_SUCH_PORT("nothing listens there"),
    NO_IPV6("these Pods have no IPv6");

    final String text;

    Alone(String text) {
      this.text = text;
    }
  }

  /** Who can reach a target. */
  enum Control {
    ORDINARY("a Pod that no policy selects"),
    FRONT_END("a Pod with the front end's labels"),
    OPERATOR("a Pod with the operator's labels"),
    SAME_POD("the same Pod, without the filter"),
    NO_UDP("none: nothing there answers UDP"),
    NONE("none");

    final String text;

    Control(String text) {
      this.text = text;
    }
  }

  /** All of them, in the order of the table. */
  static final List<NetworkProbe> ALL =
      Stream.of(
              fourWays("dns", "the cluster's DNS", Control.ORDINARY, Control.ORDINARY),
              fourWays("metadata", "169.254.169.254", Control.ORDINARY, Control.ORDINARY),
              fourWays("outside", "a host outside", Control.ORDINARY, Control.ORDINARY),
              fourWays("api-service", "the API server's Service", Control.ORDINARY, Control.NO_UDP),
              fourWays(
                  "api-node", "the API server on its node", Control.ORDINARY, Control.ORDINARY),
              fourWays("kubelet", "the kubelet's port", Control.ORDINARY, Control.ORDINARY),
              fourWays("front-end", "the front end's Service", Control.ORDINARY, Control.NO_UDP),
              fourWays("operator", "the operator's endpoint", Control.FRONT_END, Control.NO_UDP),
              fourWays(
                  "tool-gateway", "the tool gateway's endpoint", Control.OPERATOR, Control.NO_UDP),
              fourWays("run-pod", "another run Pod", Control.OPERATOR, Control.NO_UDP),
              fourWays("other-pod", "an ordinary Pod", Control.ORDINARY, Control.ORDINARY),
              fourWays("node-port", "that Pod by a NodePort", Control.ORDINARY, Control.ORDINARY),
              fourWays("own-supervisor", "its own supervisor", Control.SAME_POD, Control.NO_UDP),
              fourWays(
                  "own-loopback",
                  "its own supervisor by loopback",
                  Control.SAME_POD,
                  Control.NO_UDP),
              others())
          .flatMap(List::stream)
          .toList();

  /**
   * What a Pod with the tool gateway's labels reaches of the targets, by TCP over IPv4: the API
   * server and names, since it needs them, and public addresses, where tool servers are.
   */
  static final Map<String, Boolean> OF_TOOL_GATEWAY = ofToolGateway();

  private static Map<String, Boolean> ofToolGateway() {
    Map<String, Boolean> reached = new LinkedHashMap<>();
    for (String target : List.of("dns", "api-service", "api-node", "outside")) {
      reached.put(target, true);
    }
    for (String target :
        List.of(
            "metadata",
            "kubelet",
            "front-end",
            "operator",
            "tool-gateway",
            "run-pod",
            "other-pod",
            "node-port")) {
      reached.put(target, false);
    }
    return Collections.unmodifiableMap(reached);
  }

  /** The row of a target in the table of the tool gateway in docs/security.md. */
  static String rowOfToolGateway(String target) {
    NetworkProbe probe = tcp(target);
    return "| `gateway %s` | %s | %s |"
        .formatted(
            target, probe.tried, OF_TOOL_GATEWAY.get(target) ? "reached" : Alone.REFUSED.text);
  }

  /** The probe of a target by TCP over IPv4. */
  static NetworkProbe tcp(String target) {
    return ALL.stream()
        .filter(probe -> probe.target.equals(target) && probe.kind == Kind.TCP && !probe.mapped)
        .findFirst()
        .orElseThrow();
  }

  /** The probe's row in docs/security.md. */
  String row() {
    return String.format("| `%s` | %s | %s | %s |", name, tried, alone.text, control.text);
  }

  private static List<NetworkProbe> fourWays(String target, String what, Control tcp, Control udp) {
    boolean own = tcp == Control.SAME_POD;
    Alone connected = own ? Alone.SAME_POD : Alone.REFUSED;
    Alone sent = own ? Alone.NO_SUCH_PORT : Alone.REFUSED;
    return List.of(
        way(target, what + ", TCP", Kind.TCP, false, connected, tcp),
        way(target, what + ", TCP over IPv6", Kind.TCP, true, connected, tcp),
        way(target, what + ", UDP", Kind.UDP, false, sent, udp),
        way(target, what + ", UDP over IPv6", Kind.UDP, true, sent, udp));
  }

  private static NetworkProbe way(
      String target, String tried, Kind kind, boolean mapped, Alone alone, Control control) {
    String name = target + " " + kind.word() + (mapped ? "6" : "4");
    return new NetworkProbe(name, target, tried, kind, mapped, alone, control);
  }

  private static List<NetworkProbe> others() {
    return List.of(
        other(
            "own-loopback",
            "a start without a signature",
            Kind.COMMAND,
            Alone.UNSIGNED,
            Control.SAME_POD),
        other("dns-name", "the API server's name", Kind.NAME, Alone.REFUSED, Control.ORDINARY),
        other("outside", "a host outside, ICMP", Kind.ICMP, Alone.REFUSED, Control.ORDINARY),
        other(
            "ipv6-loopback",
            "its own supervisor at ::1, TCP",
            Kind.TCP,
            Alone.SAME_POD,
            Control.SAME_POD),
        other(
            "ipv6-loopback",
            "its own supervisor at ::1, UDP",
            Kind.UDP,
            Alone.NO_SUCH_PORT,
            Control.NO_UDP),
        other("ipv6-global", "a global IPv6 address, TCP", Kind.TCP, Alone.NO_IPV6, Control.NONE),
        other("ipv6-global", "a global IPv6 address, UDP", Kind.UDP, Alone.NO_IPV6, Control.NONE),
        other("ipv6-link", "all hosts of the link, UDP", Kind.UDP, Alone.NO_IPV6, Control.NONE));
  }

  private static NetworkProbe other(
      String target, String tried, Kind kind, Alone alone, Control control) {
    return new NetworkProbe(target + " " + kind.word(), target, tried, kind, false, alone, control);
  }
}
