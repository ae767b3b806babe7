package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The document that clients are written against, and what it says of an answer. */
final class OpenApi {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Set<String> NO_OPERATIONS = Set.of("parameters");

  private final ObjectNode document;
  private final SchemaRegistry registry =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  private OpenApi(ObjectNode document) {
    this.document = document;
  }

  /** As it is shipped, but for one thing: answers may have no members that it does not name. */
  static OpenApi shipped() {
    try (InputStream in = RestApi.class.getResourceAsStream("openapi.json")) {
      ObjectNode document = (ObjectNode) JSON.readTree(Objects.requireNonNull(in));
      document.at("/components/schemas").forEach(OpenApi::close);
      return new OpenApi(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(JsonNode schema) {
    if (schema instanceof ObjectNode object && object.has("properties")) {
      object.put("additionalProperties", false);
      object.get("properties").forEach(OpenApi::close);
    }
  }

  JsonNode document() {
    return document;
  }

  /** Each as {@code GET /path}. */
  Set<String> operations() {
    Set<String> operations = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      path.getValue().propertyNames().stream()
          .filter(name -> !NO_OPERATIONS.contains(name))
          .forEach(method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey()));
    }
    return operations;
  }

  JsonNode operation(String method, String template) {
    return document.get("paths").path(template).path(method.toLowerCase(Locale.ROOT));
  }

  /** Names of the parameters of an operation that come in the query. */
  List<String> queryParameters(String method, String template) {
    return operation(method, template)
        .path("parameters")
        .valueStream()
        .filter(parameter -> parameter.path("in").asString().equals("query"))
        .map(parameter -> parameter.get("name").asString())
        .toList();
  }

  /** Fails where an answer is not what the document says. */
  void requireConforming(String method, String template, HttpResponse<String> answer) {
    String status = Integer.toString(answer.statusCode());
    JsonNode response = resolved(operation(method, template).path("responses").path(status));
    assertThat(response.isMissingNode())
        .as("the document has no %s of %s %s: %s", status, method, template, answer.body())
        .isFalse();
    for (String header : response.path("headers").propertyNames()) {
      assertThat(answer.headers().firstValue(header)).as(header).isPresent();
    }
    JsonNode content = response.path("content");
    if (content.isMissingNode()) {
      assertThat(answer.body()).isEmpty();
      return;
    }
    String type = answer.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
    if (!content.has("*/*")) {
      assertThat(content.propertyNames()).containsExactly(type);
    }
    if (type.equals("application/json")) {
      assertThat(errors(content.at("/application~1json/schema"), answer.body()))
          .as("%s %s: %s", method, template, answer.body())
          .isEmpty();
    }
  }

  /** What a reference leads to; what is none is returned as it is. */
  JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? document.at(node.get("$ref").asString().substring(1)) : node;
  }

  /** What is wrong with a value that should be one of the schemas. */
  List<String> errors(String schema, String body) {
    return errors(JSON.createObjectNode().put("$ref", "#/components/schemas/" + schema), body);
  }

  private List<String> errors(JsonNode schema, String body) {
    ObjectNode whole = JSON.createObjectNode();
    whole.set("allOf", JSON.createArrayNode().add(schema));
    whole.set("components", document.get("components"));
    Schema read = registry.getSchema(whole);
    return read.validate(JSON.readTree(body)).stream().map(Object::toString).toList();
  }
}
