package dev.assay.cli.local;

/** Quotes arguments of commands that people paste into a shell. */
public final class Shell {
  private Shell() {}

  /** An argument that a shell reads as it is. */
  public static String quoted(String argument) {
    return argument.matches("[A-Za-z0-9_./:=@%+-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
