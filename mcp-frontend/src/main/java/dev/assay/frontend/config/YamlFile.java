package dev.assay.frontend.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Reads records from YAML files. */
public final class YamlFile {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(
              LogicalType.Enum,
              config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail))
          .build();

  private YamlFile() {}

  /**
   * Reads a file.
   *
   * @throws InvalidConfigException where the file cannot be read, or a member is missing, unknown,
   *     of the wrong type or out of its bounds
   */
  public static <T> T read(Path file, Class<T> type) {
    try {
      return parse(Files.readString(file), type);
    } catch (InvalidConfigException e) {
      throw new InvalidConfigException(file + ": " + e.getMessage());
    } catch (NoSuchFileException e) {
      throw new InvalidConfigException(file + ": there is no such file");
    } catch (IOException e) {
      throw new InvalidConfigException(file + ": cannot be read: " + e.getMessage());
    }
  }

  static <T> T parse(String text, Class<T> type) {
    if (text.isBlank()) {
      throw new InvalidConfigException("the file is empty");
    }
    return parsed(() -> YAML.readValue(text, type));
  }

  /**
   * Reads a part of a file.
   *
   * @throws InvalidConfigException as {@link #read} does, without the name of the file
   */
  public static <T> T part(JsonNode part, Class<T> type) {
    return parsed(() -> YAML.treeToValue(part, type));
  }

  /** What reads a value. */
  @FunctionalInterface
  private interface Reading<T> {
    T read() throws JsonProcessingException;
  }

  private static <T> T parsed(Reading<T> reading) {
    try {
      return reading.read();
    } catch (JsonMappingException e) {
      if (e.getCause() instanceof InvalidConfigException cause) {
        throw cause;
      }
      throw new InvalidConfigException(
          member(e)
              + ": "
              + (e instanceof InvalidNullException
                  ? "has no value; leave it out, or write [] for none"
                  : firstLine(e.getOriginalMessage())));
    } catch (JsonProcessingException e) {
      throw new InvalidConfigException(firstLine(e.getOriginalMessage()));
    }
  }

  private static String member(JsonMappingException e) {
    return e.getPath().stream()
        .map(
            step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
        .collect(Collectors.joining("."));
  }

  private static String firstLine(String message) {
    return message
        .lines()
        .findFirst()
        .orElse("")
        .replaceAll("\\(class [^)]*\\)| of type `[^`]*`", "")
        .strip();
  }
}
