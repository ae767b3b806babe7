package dev.assay.cli.local;

/** Quotes arguments of commands that people paste into a shell. */
final class Shell {
  private Shell() {}

  static String quoted(String argument) {
    return argument.matches("[A-Za-z0-9_./:=@%+-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
