package dev.assay.local.kubelet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who is whose child, at one moment. Orphans come back to their container's helper, so all
 * processes of a container are its descendants whatever they do.
 *
 * @param children process ids by that of their parent
 */
record ProcessTable(Map<Long, List<Long>> children) {
  private static final Path PROC = Path.of("/proc");
  private static final int KIB = 1024;

  /** The processes of this machine. */
  static ProcessTable read() throws IOException {
    Map<Long, List<Long>> children = new HashMap<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        long parent = parent(read(process.resolve("stat")));
        long pid = Long.parseLong(process.getFileName().toString());
        children.computeIfAbsent(parent, key -> new ArrayList<>()).add(pid);
      }
    }
    return new ProcessTable(children);
  }

  /** All children of a process, their children and so on. */
  List<Long> descendants(long ancestor) {
    List<Long> found = new ArrayList<>();
    Deque<Long> pending = new ArrayDeque<>(List.of(ancestor));
    while (!pending.isEmpty()) {
      List<Long> next = children.getOrDefault(pending.remove(), List.of());
      found.addAll(next);
      pending.addAll(next);
    }
    return found;
  }

  /**
   * Bytes in memory that are not in a file on disk. What processes share since a fork counts for
   * each of them.
   */
  static long residentBytes(long pid) {
    return residentBytes(read(PROC.resolve(Long.toString(pid)).resolve("status")));
  }

  /** The same, of the text of a {@code /proc/PID/status}. */
  static long residentBytes(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("RssAnon:") || line.startsWith("RssShmem:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB)
        .sum();
  }

  /** The parent, of the text of a {@code /proc/PID/stat}; 0 where it is gone. */
  static long parent(String stat) {
    // The name in brackets may itself hold brackets and spaces.
    int name = stat.lastIndexOf(") ");
    return name < 0 ? 0 : Long.parseLong(stat.substring(name + 2).split(" ", 3)[1]);
  }

  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
