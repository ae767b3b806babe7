package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The first process of a container, as seen from the node: it cannot be stopped from inside.
 * Requires that the scenarios run on the node as root, as dev/e2e does.
 */
record NodeProcess(long id) {
  /** The first process of a Pod's first container. */
  static NodeProcess of(Pod pod) {
    return of(pod.getStatus().getContainerStatuses().getFirst());
  }

  /** The first process of a container of a Pod. */
  static NodeProcess of(Pod pod, String name) {
    return pod.getStatus().getContainerStatuses().stream()
        .filter(container -> container.getName().equals(name))
        .map(NodeProcess::of)
        .findFirst()
        .orElseThrow();
  }

  /**
   * The worker process of a run's Pod, which runs the code: the first child of the launcher. The
   * only other one holds the files of datasets open, once a warm Pod is given some.
   */
  static NodeProcess worker(Pod pod) {
    NodeProcess launcher = of(pod, "worker");
    try (Stream<ProcessHandle> children = ProcessHandle.of(launcher.id).orElseThrow().children()) {
      List<ProcessHandle> byStart =
          children
              .sorted(
                  Comparator.comparing(
                      process -> process.info().startInstant().orElse(Instant.MAX)))
              .toList();
      assertThat(byStart).hasSizeBetween(1, 2);
      return new NodeProcess(byStart.getFirst().pid());
    }
  }

  private static NodeProcess of(ContainerStatus container) {
    String containerId = container.getContainerID().replaceFirst("^.*://", "");
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      Map<Long, ProcessHandle> processes =
          all.filter(process -> isIn(process.pid(), containerId))
              .collect(Collectors.toMap(ProcessHandle::pid, process -> process));
      // Process ids wrap around, so the lowest is not always the first.
      return processes.values().stream()
          .filter(process -> !processes.containsKey(parent(process)))
          .min(Comparator.comparing(process -> process.info().startInstant().orElse(Instant.MAX)))
          .map(process -> new NodeProcess(process.pid()))
          .orElseThrow(() -> new AssertionError("no process of " + containerId + " is here"));
    }
  }

  /** The process that started it. */
  long parent() {
    return parent(ProcessHandle.of(id).orElseThrow());
  }

  /** 0 if it has ended. */
  private static long parent(ProcessHandle process) {
    return process.parent().map(ProcessHandle::pid).orElse(0L);
  }

  /** Whether a connection over TCP from a port is open in the network namespace of the process. */
  boolean connectsFrom(int port) {
    String established = ":%04X [0-9A-F]+:[0-9A-F]{4} 01 ".formatted(port);
    return Stream.of("tcp", "tcp6").anyMatch(table -> hasLine(table, Pattern.compile(established)));
  }

  private boolean hasLine(String table, Pattern pattern) {
    try {
      return Files.readAllLines(Path.of("/proc/%d/net/%s".formatted(id, table))).stream()
          .anyMatch(pattern.asPredicate());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void stop() {
    signal("STOP");
  }

  void goOn() {
    signal("CONT");
  }

  void kill() {
    signal("KILL");
  }

  private void signal(String name) {
    Programs.run(List.of("kill", "-s", name, Long.toString(id)), "", Map.of()).orFail();
  }

  private static boolean isIn(long process, String containerId) {
    try {
      return Files.readString(Path.of("/proc/" + process + "/cgroup")).contains(containerId);
    } catch (IOException e) {
      return endedMeanwhile(process, e);
    }
  }

  private static boolean endedMeanwhile(long process, IOException e) {
    if (Files.exists(Path.of("/proc/" + process))) {
      throw new UncheckedIOException(e);
    }
    return false;
  }
}
