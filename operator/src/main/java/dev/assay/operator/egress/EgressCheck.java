package dev.assay.operator.egress;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerRefusedException;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that the network of a Pod is closed before the Pod is given code: its supervisor is
 * refused at an address that this process reaches before and after, and no policy of others lets
 * run Pods connect to the internet.
 */
public final class EgressCheck {
  /** How long a network plugin may take to close the network of a new Pod without a report. */
  public static final Duration GRACE = Duration.ofSeconds(3);

  private static final Logger LOG = LoggerFactory.getLogger(EgressCheck.class);
  private static final String EVENT = "EgressNotRefused";

  /** A broken policy concerns all Pods of a namespace. */
  private static final Duration REPORT_INTERVAL = Duration.ofMinutes(1);

  private final RunnerClient runners;
  private final EgressTarget target;
  private final EgressControl control;
  private final NetworkPolicies policies;
  private final EventRecorder events;
  private final Clock clock;

  /** What was found last, by namespace and class. */
  private final Map<List<String>, Verdict> latest = new ConcurrentHashMap<>();

  /** When it was reported last, by namespace. */
  private final Map<String, Instant> reported = new HashMap<>();

  /** What is known of the network of a Pod. */
  public sealed interface Verdict {}

  /** It is closed, or its class does not require the check. */
  public record Closed() implements Verdict {}

  /**
   * It is not known to be closed, so that no code may be started.
   *
   * @param couldConnect whether it is known to be open
   * @param message what was found, and what to do; the part before the first colon depends on
   *     {@code couldConnect} only
   */
  public record NotClosed(boolean couldConnect, String message) implements Verdict {}

  /** No Pod was checked yet. */
  public EgressCheck(
      RunnerClient runners,
      EgressTarget target,
      NetworkPolicies policies,
      EventRecorder events,
      Clock clock) {
    this(runners, target, new EgressControl(clock), policies, events, clock);
  }

  EgressCheck(
      RunnerClient runners,
      EgressTarget target,
      EgressControl control,
      NetworkPolicies policies,
      EventRecorder events,
      Clock clock) {
    this.policies = policies;
    this.runners = runners;
    this.target = target;
    this.control = control;
    this.events = events;
    this.clock = clock;
  }

  /**
   * Checks a Pod that has started no code. Blocks for some milliseconds, or half a second where the
   * policy drops packets.
   *
   * @param hello what its runner has answered
   */
  public Verdict check(Pod pod, Hello hello) {
    Optional<String> address = EgressAddress.textOf(pod);
    if (address.isEmpty()) {
      return new Closed();
    }
    String namespace = pod.getMetadata().getNamespace();
    Map<String, String> labels = pod.getMetadata().getLabels();
    if (!policies.areKnown(namespace)) {
      return unknown("the NetworkPolicies of its namespace are not watched at the moment");
    }
    Optional<Verdict> foreign = foreign(namespace, labels);
    if (foreign.isPresent()) {
      return foreign.get();
    }
    Verdict verdict = check(pod, hello, address.get());
    latest.put(key(namespace, labels), verdict);
    return verdict;
  }

  /** What is known of the Pods of a class in a namespace; empty if nothing. */
  public Optional<Verdict> latest(String namespace, RunClass runClass) {
    Map<String, String> labels = new HashMap<>();
    if (runClass.getSpec().podLabels() != null) {
      labels.putAll(runClass.getSpec().podLabels());
    }
    labels.put(Labels.RUN_CLASS, runClass.getMetadata().getName());
    return foreign(namespace, labels)
        .or(() -> Optional.ofNullable(latest.get(key(namespace, labels))));
  }

  private static List<String> key(String namespace, Map<String, String> labels) {
    return List.of(namespace, labels.getOrDefault(Labels.RUN_CLASS, ""));
  }

  private Optional<Verdict> foreign(String namespace, Map<String, String> labels) {
    return policies
        .openToInternet(namespace, labels)
        .map(opening -> new NotClosed(true, "The network of its Pod is open: " + opening));
  }

  /** Reports a Pod whose network is not closed, once a minute at most for each namespace. */
  public void report(Pod pod, NotClosed found) {
    String namespace = pod.getMetadata().getNamespace();
    if (isReportDue(namespace)) {
      LOG.warn(
          "Pod {} in {} is given no code. {}",
          pod.getMetadata().getName(),
          namespace,
          found.message());
      events.warning(pod, EVENT, found.message());
    }
  }

  private synchronized boolean isReportDue(String namespace) {
    Instant now = clock.instant();
    if (now.minus(REPORT_INTERVAL).isBefore(reported.getOrDefault(namespace, Instant.MIN))) {
      return false;
    }
    reported.put(namespace, now);
    return true;
  }

  private Verdict check(Pod pod, Hello hello, String told) {
    if (!hello.supports(Hello.EGRESS)) {
      return unknown(
          "the runner image of its class is too old to test it; use that of this release, or set"
              + " egressCheck: Disabled in the class");
    }
    // Not everyone who can create a Pod may choose what the operator connects to.
    Optional<EgressAddress> resolved = target.resolved(told);
    if (resolved.isEmpty()) {
      return unknown("it was created for another address than the front end has, or had before");
    }
    EgressAddress address = resolved.get();
    Optional<String> before = control.recentFailure(address);
    if (before.isPresent()) {
      return unreached(before.get());
    }
    try {
      return switch (runners.egress(RunnerAddress.of(pod))) {
        case REFUSED -> control.failure(address).map(EgressCheck::unreached).orElseGet(Closed::new);
        case CONNECTED -> open(pod);
        case UNKNOWN -> unknown("its supervisor could not test it");
      };
    } catch (IOException | RunnerRefusedException e) {
      return unknown("its supervisor did not answer");
    }
  }

  private static Verdict open(Pod pod) {
    return new NotClosed(
        true,
        "The network of its Pod is open: the Pod could connect to the front end. Another"
            + " NetworkPolicy in namespace "
            + pod.getMetadata().getNamespace()
            + " allows run Pods to, or the network plugin enforces none");
  }

  /** A refusal proves nothing where nobody listens. */
  private static Verdict unreached(String cause) {
    return unknown(
        "the operator itself cannot connect to the front end ("
            + cause
            + "), so that a refusal proves nothing. Is a Pod of the front end ready?");
  }

  private static Verdict unknown(String cause) {
    return new NotClosed(false, "The network of its Pod cannot be tested: " + cause);
  }
}
