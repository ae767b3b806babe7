package dev.assay.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StepCallsTest {
  private static final List<String> CALLS = new ArrayList<>();

  /** The target of the inserted calls in this test. */
  public static final class Recorder {
    private Recorder() {}

    public static void reached(String step, String when, Object[] arguments) {
      CALLS.add(step + "/" + when + Arrays.toString(arguments));
    }
  }

  /** Has a step with two ways out, a primitive argument that takes two slots, and a loop. */
  public static final class Sample implements BiFunction<String, Long, String> {
    @Override
    public String apply(String text, Long times) {
      return repeat(times, text);
    }

    private static String repeat(long times, String text) {
      if (times < 0) {
        throw new IllegalArgumentException(text);
      }
      if (times == 0) {
        return "";
      }
      StringBuilder repeated = new StringBuilder();
      for (long i = 0; i < times; i++) {
        repeated.append(text);
      }
      return repeated.toString();
    }
  }

  @BeforeEach
  void forget() {
    CALLS.clear();
  }

  @Test
  void eachWayOutOfAStepIsReportedAfterItsBeginning() throws Exception {
    BiFunction<String, Long, String> sample = sampleWithCalls();
    assertThat(sample.apply("ab", 2L)).isEqualTo("abab");
    assertThat(sample.apply("ab", 0L)).isEmpty();
    assertThat(CALLS)
        .containsExactly("one/before[ab]", "one/after[ab]", "one/before[ab]", "one/after[ab]");
  }

  @Test
  void aStepThatFailsHasNoAfter() throws Exception {
    BiFunction<String, Long, String> sample = sampleWithCalls();
    assertThatThrownBy(() -> sample.apply("ab", -1L)).isInstanceOf(IllegalArgumentException.class);
    assertThat(CALLS).containsExactly("one/before[ab]");
  }

  @Test
  void theOperatorHasTheMethodsOfAllSteps() {
    assertThat(CrashAgent.STEPS).allSatisfy(CrashAgent::check);
  }

  @Test
  void theJarHoldsTheAgentAndWhatItNeeds() {
    assertThat(AgentJar.bytes()).hasSizeBetween(1, 1024 * 1024);
  }

  @SuppressWarnings("unchecked")
  private static BiFunction<String, Long, String> sampleWithCalls() throws Exception {
    byte[] withCalls =
        new StepCalls(
                ClassDesc.ofDescriptor(Recorder.class.descriptorString()),
                List.of(new Step("one", Sample.class.getName(), "repeat")))
            .insert(classFile(Sample.class));
    return (BiFunction<String, Long, String>)
        new OneClassLoader(withCalls).define().getDeclaredConstructor().newInstance();
  }

  private static byte[] classFile(Class<?> type) throws IOException {
    try (InputStream bytes =
        type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
      return Objects.requireNonNull(bytes).readAllBytes();
    }
  }

  private static final class OneClassLoader extends ClassLoader {
    private final byte[] classFile;

    OneClassLoader(byte[] classFile) {
      super(StepCallsTest.class.getClassLoader());
      this.classFile = classFile;
    }

    Class<?> define() {
      return defineClass(Sample.class.getName(), classFile, 0, classFile.length);
    }
  }
}
