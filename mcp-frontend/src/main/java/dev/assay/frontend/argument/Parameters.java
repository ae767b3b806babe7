package dev.assay.frontend.argument;

import dev.assay.frontend.run.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** All parameters of a tool or of a request body, in the order in which they are listed. */
public final class Parameters {
  private final List<Parameter<?>> all;

  private Parameters(List<Parameter<?>> all) {
    this.all = all;
  }

  /** Of these and no others. */
  public static Parameters of(Parameter<?>... parameters) {
    return new Parameters(List.of(parameters));
  }

  /** Their names. */
  public List<String> names() {
    return all.stream().map(Parameter::name).toList();
  }

  /** The JSON schema of an object that has them. */
  public Map<String, Object> jsonSchema() {
    Map<String, Object> properties = new LinkedHashMap<>();
    all.forEach(parameter -> properties.put(parameter.name(), parameter.schema()));
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    List<String> required =
        all.stream().filter(Parameter::isRequired).map(Parameter::name).toList();
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    schema.put("additionalProperties", false);
    return schema;
  }

  /**
   * The arguments of a call, each of which is checked when it is asked for.
   *
   * @param values as they came, of any type
   * @throws BadArgumentException where there is one that is not a parameter
   */
  public Arguments read(Map<String, Object> values) {
    Set<String> unknown = new TreeSet<>(values.keySet());
    names().forEach(unknown::remove);
    if (!unknown.isEmpty()) {
      throw BadArgumentException.type(
          "unknown argument '"
              + Text.oneLine(unknown.iterator().next(), 64)
              + (all.isEmpty()
                  ? "'; there are no arguments"
                  : "'; the arguments are " + String.join(", ", names())));
    }
    return new Arguments(values);
  }
}
