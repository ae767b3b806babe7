package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the kernel allows a process, as seen from its node: equal for two processes of different
 * Pods if they are confined alike.
 *
 * @param status capabilities, system call filters and no_new_privs
 * @param hardLimits by name
 * @param mounts each mount point with {@code ro} or {@code rw}
 * @param foreignNamespaces namespaces that its parent, the launcher, is not in
 * @param networkSockets those that are not of AF_UNIX
 * @param variables names of those that could be secrets, or belong to its supervisor
 */
record Confinement(
    List<String> status,
    Map<String, String> hardLimits,
    TreeSet<String> mounts,
    List<String> foreignNamespaces,
    List<String> networkSockets,
    List<String> variables) {
  private static final Pattern STATUS = Pattern.compile("Cap.*|NoNewPrivs.*|Seccomp.*");
  private static final Pattern COLUMNS = Pattern.compile(" {2,}");
  private static final Pattern VARIABLE =
      Pattern.compile(".*(KUBERNETES|TOKEN|SECRET|PASSWORD|ASSAY_SOCKET).*");

  static Confinement of(NodeProcess process) throws IOException {
    Path files = Path.of("/proc", Long.toString(process.id()));
    Path parent = Path.of("/proc", Long.toString(process.parent()));
    return new Confinement(
        Files.readAllLines(files.resolve("status")).stream()
            .filter(line -> STATUS.matcher(line).matches())
            .toList(),
        hardLimits(files),
        Files.readAllLines(files.resolve("mountinfo")).stream()
            .map(line -> line.split(" "))
            .map(fields -> fields[4] + " " + fields[5].replaceFirst(",.*", ""))
            .collect(Collectors.toCollection(TreeSet::new)),
        links(files.resolve("ns")).entrySet().stream()
            .filter(own -> !own.getValue().equals(link(parent.resolve("ns").resolve(own.getKey()))))
            .map(Map.Entry::getKey)
            .toList(),
        networkSockets(files),
        Stream.of(Files.readString(files.resolve("environ")).split("\0"))
            .map(variable -> variable.replaceFirst("=.*", ""))
            .filter(name -> VARIABLE.matcher(name).matches())
            .toList());
  }

  /** The user and group IDs: real, effective, saved and of the file system. */
  static List<String> ids(NodeProcess process) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.id()), "status")).stream()
        .filter(line -> line.startsWith("Uid:") || line.startsWith("Gid:"))
        .flatMap(line -> Stream.of(line.split("\\s+")).skip(1))
        .toList();
  }

  /** A program may raise its soft limits, as JVMs do with that of open files. */
  private static Map<String, String> hardLimits(Path files) throws IOException {
    return Files.readAllLines(files.resolve("limits")).stream()
        .skip(1)
        .map(COLUMNS::split)
        .collect(Collectors.toMap(columns -> columns[0], columns -> columns[2]));
  }

  private static List<String> networkSockets(Path files) throws IOException {
    Set<String> local =
        Files.readAllLines(files.resolve("net/unix")).stream()
            .skip(1)
            .map(line -> "socket:[" + line.split(" +")[6] + "]")
            .collect(Collectors.toSet());
    List<String> sockets =
        links(files.resolve("fd")).values().stream()
            .filter(to -> to.startsWith("socket:"))
            .toList();
    assertThat(sockets).as("the control socket").isNotEmpty();
    return sockets.stream().filter(socket -> !local.contains(socket)).toList();
  }

  private static Map<String, String> links(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.collect(
          Collectors.toMap(
              file -> file.getFileName().toString(), Confinement::link, (a, b) -> a, TreeMap::new));
    }
  }

  /** What a link is to; empty if the descriptor was closed meanwhile. */
  private static String link(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return "";
    }
  }
}
