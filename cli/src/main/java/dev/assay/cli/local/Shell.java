package dev.assay.cli.local;

/** Text for a person to paste into a shell. */
final class Shell {
  private Shell() {}

  static String quoted(String argument) {
    return argument.matches("[A-Za-z0-9_./:=@%+-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
