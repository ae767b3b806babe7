package dev.assay.local.kubelet;

import dev.assay.local.isolation.ContainerSpec;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.Mount;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the containers of a Pod with their volumes. */
final class PodStart {
  private final Node node;
  private final Pod pod;
  private final String address;
  private final PodDirectory directory;

  PodStart(Node node, Pod pod, String address, PodDirectory directory) {
    this.node = node;
    this.pod = pod;
    this.address = address;
    this.directory = directory;
  }

  /**
   * Starts all containers, or none if the image of one is not available.
   *
   * @param ended called on the Pod's thread when one has ended
   * @throws RefusedPodException if something that they need is not available here
   */
  void start(List<PodContainer> containers, Runnable ended)
      throws IOException, RefusedPodException {
    List<Images.Image> images = new ArrayList<>();
    for (PodContainer container : containers) {
      node.images()
          .find(container.container().getImage())
          .ifPresentOrElse(images::add, () -> imageMissing(container));
    }
    if (images.size() < containers.size()) {
      return;
    }
    directory.create(pod);
    List<ContainerSpec> specs = new ArrayList<>();
    for (int i = 0; i < containers.size(); i++) {
      specs.add(prepare(containers.get(i).container(), images.get(i)));
    }
    for (int i = 0; i < containers.size(); i++) {
      PodContainer container = containers.get(i);
      container.start(specs.get(i), directory.log(container.container().getName()), ended);
    }
  }

  private void imageMissing(PodContainer container) {
    String message =
        "image \"%s\" is not available in local mode".formatted(container.container().getImage());
    container.wait("ErrImagePull", message);
    node.api().warn(pod, "Failed", message);
  }

  private ContainerSpec prepare(Container container, Images.Image image)
      throws IOException, RefusedPodException {
    List<Mount> mounts = new ArrayList<>();
    for (VolumeMount mount : container.getVolumeMounts()) {
      mounts.add(mount(mount));
    }
    return ContainerPlan.of(
        pod,
        container,
        image,
        address,
        mounts,
        handedOver(container),
        directory.runtime(container.getName()));
  }

  /**
   * The claims that other containers mount read-only, which they may open files of for this one.
   */
  private List<Path> handedOver(Container container) throws IOException, RefusedPodException {
    List<Path> sources = new ArrayList<>();
    for (Container other : pod.getSpec().getContainers()) {
      for (VolumeMount mount : other.getVolumeMounts()) {
        if (!other.getName().equals(container.getName())
            && mount(mount) instanceof Mount.Bind bind
            && !bind.writable()) {
          sources.add(bind.source());
        }
      }
    }
    return sources;
  }

  private Mount mount(VolumeMount mount) throws IOException, RefusedPodException {
    Volume volume =
        pod.getSpec().getVolumes().stream()
            .filter(candidate -> candidate.getName().equals(mount.getName()))
            .findFirst()
            .orElseThrow();
    String path = mount.getMountPath();
    boolean readOnly =
        Boolean.TRUE.equals(mount.getReadOnly())
            || (volume.getPersistentVolumeClaim() != null
                && Boolean.TRUE.equals(volume.getPersistentVolumeClaim().getReadOnly()));
    if (node.runtime().isolation() != Isolation.NONE
        && ContainerPlan.isPrivateMemory(pod, volume)) {
      return new Mount.Memory(
          path, volume.getEmptyDir().getSizeLimit().getNumericalAmount().longValue());
    }
    PodDirectory.Mounted mounted = directory.mounted(pod, volume, mount.getSubPath());
    return new Mount.Bind(path, mounted.directory(), !readOnly && !mounted.readOnly());
  }
}
