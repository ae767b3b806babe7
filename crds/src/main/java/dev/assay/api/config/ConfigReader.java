package dev.assay.api.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Reads the configuration files of programs. */
public final class ConfigReader {
  private static final ObjectMapper YAML =
      new ObjectMapper(new YAMLFactory())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  private ConfigReader() {}

  /**
   * Reads a YAML file.
   *
   * @param type the record of the whole file
   * @throws InvalidConfigException if the file cannot be read or a field is missing, unknown or of
   *     the wrong type; the message names the field
   */
  public static <T> T read(Path file, Class<T> type) {
    try {
      return YAML.readValue(Files.readString(file), type);
    } catch (JsonMappingException e) {
      String member =
          e.getPath().stream()
              .map(step -> step.getFieldName() == null ? "[]" : step.getFieldName())
              .collect(Collectors.joining("."));
      throw new InvalidConfigException(file + ": " + member + ": " + e.getOriginalMessage());
    } catch (JsonProcessingException e) {
      throw new InvalidConfigException(file + ": " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new InvalidConfigException("cannot read " + file + ": " + e.getMessage());
    }
  }

  /** The configuration is invalid; the message names the file and the field. */
  public static final class InvalidConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An error that names the file and the field. */
    public InvalidConfigException(String message) {
      super(message);
    }
  }
}
