package dev.assay.local.isolation;

/** How the memory limit of containers is enforced on this machine. */
public enum MemoryLimit {
  /** By the kernel: each container is in a cgroup of its own. */
  CGROUP("Memory is limited by the kernel, and disk and CPU time are not limited."),

  /** By sampling their use, and killing those that exceed it. */
  SAMPLED("Memory is sampled, and disk and CPU time are not limited.");

  private final String promise;

  MemoryLimit(String promise) {
    this.promise = promise;
  }

  /** What a person may rely on, in a sentence. */
  public String promise() {
    return promise;
  }
}
