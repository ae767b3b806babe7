package dev.assay.local.kubelet;

import dev.assay.local.isolation.HostUser;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of one Pod. */
final class PodDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(PodDirectory.class);

  private final Path directory;
  private final Claims claims;

  /**
   * Nothing is made yet.
   *
   * @param directory the Pod's own
   * @param claims where the data of claims is
   */
  PodDirectory(Path directory, Claims claims) {
    this.directory = directory;
    this.claims = claims;
  }

  /**
   * Makes the Pod's empty directories.
   *
   * @throws FileAlreadyExistsException if files of an earlier Pod could not be removed
   */
  void create(Pod pod) throws IOException {
    Files.createDirectory(directory);
    Files.createDirectory(directory.resolve("logs"));
    for (Volume volume : pod.getSpec().getVolumes()) {
      if (volume.getEmptyDir() != null) {
        // As in Kubernetes; only the Pod's own processes and this user get as far as here.
        open(Files.createDirectories(emptyDir(volume.getName())), "rwxrwxrwx");
      }
    }
  }

  Path log(String container) {
    return directory.resolve("logs").resolve(container + ".log");
  }

  /** For what the runtime makes for a container. */
  Path runtime(String container) {
    return directory.resolve("containers").resolve(container);
  }

  /**
   * A directory to be mounted.
   *
   * @param readOnly whether it must never be mounted writable
   */
  record Mounted(Path directory, boolean readOnly) {}

  /**
   * The directory that is mounted.
   *
   * @param subPath of the volume; made where it is missing and may be written to
   * @throws RefusedPodException if there is no such claim or path, or it leads out of the volume
   */
  Mounted mounted(Pod pod, Volume volume, @Nullable String subPath)
      throws IOException, RefusedPodException {
    if (volume.getEmptyDir() != null) {
      Path whole = emptyDir(volume.getName());
      // As in Kubernetes, a new directory has the permissions of the volume.
      Created open =
          made -> Files.setPosixFilePermissions(made, Files.getPosixFilePermissions(whole));
      return new Mounted(within(whole, subPath, false, open), false);
    }
    Claims.Claim claim = claim(pod, volume);
    if (!claim.readOnly()) {
      Files.createDirectories(claim.directory());
    }
    return new Mounted(
        within(claim.directory(), subPath, claim.readOnly(), made -> own(made, pod)),
        claim.readOnly());
  }

  /** What is done with a new directory of a volume. */
  @FunctionalInterface
  private interface Created {
    void accept(Path directory) throws IOException;
  }

  private static Path within(
      Path whole, @Nullable String subPath, boolean readOnly, Created created)
      throws IOException, RefusedPodException {
    if (subPath == null || subPath.isEmpty()) {
      return whole;
    }
    Path wanted = whole.resolve(subPath).normalize();
    if (!wanted.startsWith(whole) || Path.of(subPath).isAbsolute()) {
      throw new RefusedPodException("subPath %s leads out of its volume".formatted(subPath));
    }
    if (!Files.exists(wanted)) {
      if (readOnly) {
        throw new RefusedPodException(
            "subPath %s does not exist in its volume, which is read-only".formatted(subPath));
      }
      Files.createDirectories(wanted);
      created.accept(wanted);
    }
    if (!wanted.toRealPath().startsWith(whole.toRealPath())) {
      throw new RefusedPodException("subPath %s leads out of its volume".formatted(subPath));
    }
    return wanted;
  }

  private Claims.Claim claim(Pod pod, Volume volume) throws RefusedPodException {
    String name = volume.getPersistentVolumeClaim().getClaimName();
    return claims
        .find(pod.getMetadata().getNamespace(), name)
        .orElseThrow(
            () ->
                new RefusedPodException("persistentvolumeclaim \"%s\" not found".formatted(name)));
  }

  private Path emptyDir(String volume) {
    return directory.resolve("volumes").resolve(volume);
  }

  /** What a new directory of a volume is where the Pod has an fsGroup and there are other users. */
  private static void own(Path made, Pod pod) throws IOException {
    Long group =
        pod.getSpec().getSecurityContext() == null
            ? null
            : pod.getSpec().getSecurityContext().getFsGroup();
    if (group != null && HostUser.isRoot()) {
      Files.setAttribute(made, "unix:gid", group.intValue(), LinkOption.NOFOLLOW_LINKS);
      // With the bit by which files take the directory's group, which Java has no name for.
      Files.setAttribute(made, "unix:mode", 0_2775, LinkOption.NOFOLLOW_LINKS);
    }
  }

  private static void open(Path made, String permissions) throws IOException {
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(permissions));
  }

  /** Removes what ends with the Pod's processes. */
  void removeVolumes() {
    remove(directory.resolve("volumes"));
    remove(directory.resolve("containers"));
  }

  /** Removes what ends with the Pod. */
  void remove() {
    remove(directory);
  }

  private static void remove(Path tree) {
    try {
      TreeRemoval.remove(tree);
    } catch (NoSuchFileException e) {
      // Another did it.
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("A directory of a Pod could not be removed: {}", e.toString());
    }
  }
}
