package dev.assay.cli.cluster;

/**
 * One thing that was seen of an installation.
 *
 * @param level whether something has to be done
 * @param sentence what was seen, and what to do; one line, whatever the cluster has said
 */
public record Finding(Level level, String sentence) {
  public Finding {
    sentence = sentence.replaceAll("\\s+", " ").strip();
  }

  /** Whether something has to be done. */
  public enum Level {
    OK,
    /** It could not be checked, or is well as far as can be seen. */
    NOTE,
    FAILED
  }

  static Finding ok(String sentence) {
    return new Finding(Level.OK, sentence);
  }

  static Finding note(String sentence) {
    return new Finding(Level.NOTE, sentence);
  }

  static Finding failed(String sentence) {
    return new Finding(Level.FAILED, sentence);
  }
}
