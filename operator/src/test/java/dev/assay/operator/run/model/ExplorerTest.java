package dev.assay.operator.run.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.run.model.Explorer.Result;
import dev.assay.operator.run.model.Explorer.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExplorerTest {
  @Test
  void aStateFromWhichNoSettledOneCanBeReachedIsTold() {
    Result result = explore(Map.of(0, List.of(1, 2), 1, List.of(), 2, List.of(2)), "");
    assertThat(result.violation()).contains("no settled state");
    assertThat(result.trace()).containsExactly("to 2");
  }

  @Test
  void aLoopThatCanBeLeftIsNoViolation() {
    Result result = explore(Map.of(0, List.of(0, 2), 2, List.of(2, 1), 1, List.of()), "");
    assertThat(result).isEqualTo(new Result(3, 4, "", List.of()));
  }

  @Test
  void theTraceToAViolationIsAShortestOne() {
    Result result =
        explore(Map.of(0, List.of(1, 2), 1, List.of(2), 2, List.of(3), 3, List.of()), "3");
    assertThat(result.violation()).isEqualTo("3");
    assertThat(result.trace()).containsExactly("to 2", "to 3");
  }

  private static Result explore(Map<Integer, List<Integer>> graph, String violation) {
    return new Explorer<Integer>(
            at -> graph.get(at).stream().map(to -> new Step<>(() -> "to " + to, to)).toList(),
            at -> violation.equals(String.valueOf(at)) ? violation : "",
            at -> at == 1,
            10)
        .explore(0);
  }
}
