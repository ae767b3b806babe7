package dev.assay.local.isolation;

/** How the containers of this machine are isolated; see {@link MemoryLimit} for memory. */
public enum Isolation {
  /** By the kernel's namespaces and Landlock, without further programs. */
  NAMESPACES(
      "Code runs in Linux namespaces: it has no network, sees no files but the system's programs,"
          + " its libraries and its own data, and no processes but its own."),

  /** By the program {@code bwrap}, which may be allowed what other programs are not. */
  BUBBLEWRAP(
      "Code runs in namespaces made by bubblewrap: it has no network, sees no files but the"
          + " system's programs, its libraries and its own data, and no processes but its own."),

  /** Not at all, except by the runner's own seccomp filter. */
  NONE(
      "Code is NOT isolated: it runs with your rights, and can read and change all that you can,"
          + " your files and your other processes included. Only the network is refused to it, by"
          + " the runner's filter of system calls. Run only code that you trust; allow unprivileged"
          + " user namespaces, or install bubblewrap 0.8 or later, to have it isolated.");

  private final String promise;

  Isolation(String promise) {
    this.promise = promise;
  }

  /** What it guarantees, in a few sentences. */
  public String promise() {
    return promise;
  }
}
