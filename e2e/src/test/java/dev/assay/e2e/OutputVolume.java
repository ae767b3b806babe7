package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.List;

/** The volume of stored output, as the leading operator sees it. */
final class OutputVolume {
  private final OperatorPods operators;
  private final String path;

  OutputVolume(Assay assay) {
    this.operators = new OperatorPods(assay);
    Pod operator = operators.pod(operators.leader()).require();
    this.path = mountPath(operator.getSpec());
  }

  private static String mountPath(PodSpec operator) {
    List<String> claims =
        operator.getVolumes().stream()
            .filter(volume -> volume.getPersistentVolumeClaim() != null)
            .map(Volume::getName)
            .toList();
    return operator.getContainers().getFirst().getVolumeMounts().stream()
        .filter(mount -> claims.contains(mount.getName()))
        .findFirst()
        .orElseThrow()
        .getMountPath();
  }

  /** The files and directories whose path contains a text. */
  List<String> find(String text) {
    return shell("find \"$1\" -path \"*$2*\"", text).lines().toList();
  }

  /** Waits until there are none or a timeout expires, and returns those that still exist. */
  List<String> findAfterAtMost(int maxSeconds, String text) {
    return shell(
            """
            found() { find "$1" -path "*$2*"; }
            end=$(($(date +%s) + $3))
            while test -n "$(found "$@")" && test "$(date +%s)" -lt "$end"; do sleep 0.5; done
            found "$@"
            """,
            text, Integer.toString(maxSeconds))
        .lines()
        .toList();
  }

  /**
   * Copies the stored output of one run as that of another run, with a modification time hours ago.
   */
  void copy(String runUid, String otherUid) {
    shell(
        """
        find "$1" -path "*$2*" | while read -r from; do
            to=$(printf %s "$from" | sed "s/$2/$3/g")
            if test -d "$from"; then mkdir "$to"; else cp "$from" "$to"; fi
            touch -d '3 hours ago' "$to"
        done
        """,
        runUid, otherUid);
  }

  /** Makes the store unavailable until {@link #open}. */
  void close() {
    // The parent directory belongs to the volume.
    shell("find \"$1\" -mindepth 1 -type d -exec chmod 0555 {} +");
  }

  void open() {
    shell("find \"$1\" -mindepth 1 -type d -exec chmod 0755 {} +");
  }

  private String shell(String script, String... arguments) {
    String[] command = new String[arguments.length + 8];
    System.arraycopy(
        new String[] {"exec", operators.leader(), "--", "sh", "-ec", script, "sh", path},
        0,
        command,
        0,
        8);
    System.arraycopy(arguments, 0, command, 8, arguments.length);
    return operators.kubectl(command);
  }
}
