package dev.assay.cli.text;

/** Reports the progress of something that takes a while. */
public interface Progress {
  /** Reports nothing. */
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

  /** Begins a task of so many steps. */
  void begin(String what, long steps);

  /** Reports steps as done. */
  void advance(long steps);

  /** Ends the task, whether it succeeded or not. */
  void end();

  /** Prints a message. */
  void say(String sentence);
}
