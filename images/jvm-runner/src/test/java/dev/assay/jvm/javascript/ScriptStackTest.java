package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScriptStackTest {
  @Test
  void aStackHasTheFramesOfTheUserOnly() {
    ScriptStack stack =
        ScriptStack.of(
            "TypeError: x\n    at g (script:1:20)\n    at eval (script:3:3)\n"
                + "    at eval (<anonymous>)\n    at run (assay:prelude:300:15)\n"
                + "    at Object.runScript (assay:prelude:312:33)",
            Positions.SAME);

    assertThat(stack.text()).isEqualTo("TypeError: x\n    at g (script:1:20)\n    at script:3:3");
    assertThat(stack.first()).contains(new Position(1, 20));
  }

  @Test
  void placesAreThoseOfTheUser() {
    Positions twoBelow = position -> new Position(position.line() + 2, position.column());

    ScriptStack stack = ScriptStack.of("Error: at script:1:1\n    at async script:7:5", twoBelow);

    assertThat(stack.text()).isEqualTo("Error: at script:1:1\n    at async script:9:5");
    assertThat(stack.first()).contains(new Position(9, 5));
  }

  @Test
  void textThatIsNoStackIsKept() {
    assertThat(ScriptStack.of("", Positions.SAME).text()).isEmpty();
    assertThat(ScriptStack.of("a\nb", Positions.SAME))
        .extracting(ScriptStack::text)
        .isEqualTo("a\nb");
    assertThat(ScriptStack.of("    at x (myscript:1:1)\n    at script:0:0", Positions.SAME).first())
        .contains(new Position(1, 1));
  }
}
