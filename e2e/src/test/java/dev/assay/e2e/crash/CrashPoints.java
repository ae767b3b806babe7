package dev.assay.e2e.crash;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Holds each run of the plan at its point, and stops the operator once all are held, or only keeps
 * it from renewing its Lease, or only holds them until it is told to continue or to stop. Or blocks
 * all reconciles, while it renews its Lease.
 *
 * <p>The plan is a file in this Pod: lines {@code TIMELIMIT=STEP/before} or {@code /after}, and
 * {@code then=crash}, {@code then=outlive}, {@code then=hold} or {@code then=hang}. A run is known
 * by its time limit in seconds, which any caller can choose. So one crash affects many runs, each
 * at a known step, and none of them again in another Pod.
 */
public final class CrashPoints {
  /** The exit code of an operator that was stopped here. */
  public static final int EXIT_CODE = 79;

  static final Path PLAN = Path.of("/tmp/crash-plan");
  private static final Path ALL_HELD = Path.of("/tmp/crash-all-held");
  private static final Path GO_ON = Path.of("/tmp/crash-go-on");
  private static final Path CRASH_NOW = Path.of("/tmp/crash-now");

  private static final String RUN_UID = "assay.dev/run-uid";

  private static final Map<String, String> LIMITS = new ConcurrentHashMap<>();

  /** The runs that are executed, by the UIDs of their Pods: a warm one does not name its run. */
  private static final Map<String, String> RUNS_OF_PODS = new ConcurrentHashMap<>();

  private static final Map<String, Integer> EVENTS = new ConcurrentHashMap<>();
  private static final Set<String> RUNNING = ConcurrentHashMap.newKeySet();
  private static final Set<String> HELD = ConcurrentHashMap.newKeySet();
  private static volatile boolean renewing = true;

  private CrashPoints() {}

  /**
   * The operator is at one end of a step.
   *
   * @param step a name of {@link CrashAgent#STEPS}
   * @param when before or after
   * @param arguments of the method, except primitive ones
   */
  public static void reached(String step, String when, Object[] arguments) {
    switch (step) {
      case "seen" -> {
        seen((AnalyticsRun) arguments[0]);
        while (isToHang()) {
          pause();
        }
      }
      case "take" -> reached(step, when, runUid((Pod) arguments[0]));
      case "execute" -> executed(arguments[0]);
      case "hello" -> reached(step, when, executedRunUid((Pod) arguments[0]));
      case "stage", "start", "ack", "deliver" -> reached(step, when, runUidOf(arguments[0]));
      case "adopt" -> reached(step, when, ((AnalyticsRun) arguments[1]).getMetadata().getUid());
      case "call" -> reached(step, when, runUidOf(arguments[1]));
      case "write" -> {
        if (arguments[0] instanceof AnalyticsRun run
            && arguments[1] instanceof AnalyticsRunStatus status) {
          written(run, status.phase(), when);
        }
      }
      case "event" -> stored(when, (String) arguments[1]);
      case "artifact", "finish", "outcome" -> reached(step, when, (String) arguments[1]);
      case "renew" -> {
        while (!renewing) {
          pause();
        }
      }
      default -> throw new IllegalArgumentException(step);
    }
  }

  private static void seen(AnalyticsRun run) {
    LIMITS.put(run.getMetadata().getUid(), String.valueOf(run.getSpec().timeoutSeconds()));
  }

  private static void executed(Object request) {
    Pod pod = (Pod) component(request, "pod");
    AnalyticsRun run = (AnalyticsRun) component(request, "run");
    RUNS_OF_PODS.put(pod.getMetadata().getUid(), run.getMetadata().getUid());
  }

  private static boolean isToHang() {
    return Files.exists(PLAN) && "hang".equals(plan().getProperty("then")) && !Files.exists(GO_ON);
  }

  private static void written(AnalyticsRun run, @Nullable RunPhase phase, String when) {
    String runUid = run.getMetadata().getUid();
    if (phase == RunPhase.Running && when.equals("after")) {
      RUNNING.add(runUid);
    }
    reached(write(run, phase), when, runUid);
  }

  /** In the middle of the output: its beginning is stored, and the status says that it started. */
  private static void stored(String when, String runUid) {
    int events = EVENTS.merge(runUid, when.equals("before") ? 1 : 0, Integer::sum);
    if (events > 1 && RUNNING.contains(runUid)) {
      reached("event", when, runUid);
    }
  }

  private static String write(AnalyticsRun run, @Nullable RunPhase phase) {
    if (phase == RunPhase.Starting) {
      return "bind";
    }
    AnalyticsRunStatus before = run.getStatus();
    if (phase == RunPhase.Pending && before != null && before.pod() != null) {
      return "unbind";
    }
    return phase != null && phase.isFinal() ? "result" : "status";
  }

  private static void reached(String step, String when, @Nullable String runUid) {
    String limit = runUid == null ? null : LIMITS.get(runUid);
    if (limit == null || !Files.exists(PLAN)) {
      return;
    }
    Properties plan = plan();
    String point = step + "/" + when;
    if (point.equals(plan.getProperty(limit)) && HELD.add(limit)) {
      System.err.println("crash-agent: run " + runUid + " is held at " + point);
      if (HELD.size() == plan.size() - 1) {
        allAreHeld(plan.getProperty("then"));
      }
      while (!Files.exists(GO_ON)) {
        if (Files.exists(CRASH_NOW)) {
          crash();
        }
        pause();
      }
    }
  }

  private static void allAreHeld(String then) {
    switch (then) {
      case "crash" -> crash();
      case "outlive" -> renewing = false;
      case "hold" -> tellThatAllAreHeld();
      default -> throw new IllegalArgumentException(then);
    }
  }

  private static void tellThatAllAreHeld() {
    try {
      Files.createFile(ALL_HELD);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Equivalent to SIGKILL for the process: no hook runs. */
  static void crash() {
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  private static void pause() {
    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
  }

  private static Properties plan() {
    Properties plan = new Properties();
    try (Reader lines = Files.newBufferedReader(PLAN)) {
      plan.load(lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return plan;
  }

  /** Absent in a Pod that makes a snapshot, and in a warm one. */
  private static @Nullable String runUid(Pod pod) {
    return pod.getMetadata().getLabels().get(RUN_UID);
  }

  private static @Nullable String executedRunUid(Pod pod) {
    String executed = RUNS_OF_PODS.get(pod.getMetadata().getUid());
    return executed == null ? runUid(pod) : executed;
  }

  private static String runUidOf(Object record) {
    return (String) component(record, "runUid");
  }

  /** Of a record whose type is one of the operator, which the tests cannot reference. */
  private static Object component(Object record, String name) {
    try {
      Method accessor = record.getClass().getMethod(name);
      // Not every such type is public.
      accessor.setAccessible(true);
      return accessor.invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
