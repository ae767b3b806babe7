package dev.assay.cli.python;

/** Is told how the set-up goes on. */
public interface Progress {
  /** Something begins that takes a while. */
  void begin(String what, int steps);

  /** One of its steps is done. */
  void step();

  /** It is over, well or not. */
  void end();

  /** A sentence in between. */
  void say(String sentence);
}
