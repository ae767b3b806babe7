package dev.assay.cli.text;

/** Is told how something goes on that takes a while. */
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
