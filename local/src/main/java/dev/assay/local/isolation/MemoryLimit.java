package dev.assay.local.isolation;

/** How containers of this machine are kept to their memory. */
public enum MemoryLimit {
  /** By the kernel: each container is in a cgroup of its own. */
  CGROUP("Memory is limited by the kernel, and disk and processor time are not limited."),

  /** By looking at what they use, and ending those that use more. */
  SAMPLED("Memory is sampled, and disk and processor time are not limited.");

  private final String promise;

  MemoryLimit(String promise) {
    this.promise = promise;
  }

  /** What a person may rely on, in a sentence. */
  public String promise() {
    return promise;
  }
}
