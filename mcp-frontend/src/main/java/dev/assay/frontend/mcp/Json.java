package dev.assay.frontend.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** How JSON is read and written. */
public final class Json {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_NUMBER_LENGTH = 400;
  private static final int MAX_NAME_LENGTH = 1024;

  private Json() {}

  /**
   * A mapper that keeps numbers as they were written (1.0 stays 1.0), and refuses deep nesting,
   * members that occur twice and anything after the end.
   */
  public static JsonMapper mapper() {
    JsonFactory factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .maxStringLength(BoundedJson.MAX_TREE_BYTES)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    return JsonMapper.builder(factory)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }

  /** The same for the SDK. */
  static McpJsonMapper forSdk(JsonMapper mapper) {
    return new JacksonMcpJsonMapper(mapper);
  }
}
