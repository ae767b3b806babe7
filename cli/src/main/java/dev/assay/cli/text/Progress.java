package dev.assay.cli.text;

/** Is told how something goes on that takes a while. */
public interface Progress {
  /** Whoever wants to hear nothing. */
  Progress NONE =
      new Progress() {
        @Override
        public void begin(String what, long steps) {}

        @Override
        public void advance(long steps) {}

        @Override
        public void end() {}

        @Override
        public void say(String sentence) {}
      };

  /** Something begins that takes a while. */
  void begin(String what, long steps);

  /** So many more of its steps are done. */
  void advance(long steps);

  /** It is over, well or not. */
  void end();

  /** A sentence in between. */
  void say(String sentence);
}
