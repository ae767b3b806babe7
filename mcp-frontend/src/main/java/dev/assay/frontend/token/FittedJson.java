package dev.assay.frontend.token;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** Lists that are written as JSON, within a budget of tokens. */
public final class FittedJson {
  private FittedJson() {}

  /**
   * The first members of a list, as many as fit; always one, if there is one.
   *
   * @param members records, or what else is written as JSON
   * @param tokens about how many all of them may take together
   */
  public static <T> List<T> prefix(List<T> members, int tokens) {
    JsonMapper json = JsonMapper.shared();
    long taken = 0;
    for (int i = 0; i < members.size(); i++) {
      taken += TokenEstimate.of(json.writeValueAsString(members.get(i)));
      if (i > 0 && taken > tokens) {
        return List.copyOf(members.subList(0, i));
      }
    }
    return List.copyOf(members);
  }
}
