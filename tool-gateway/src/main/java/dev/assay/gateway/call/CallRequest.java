package dev.assay.gateway.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.gateway.definition.Json;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;

/**
 * A call, as the operator asks for it.
 *
 * @param namespace of the run and of the tool server
 * @param server the tool server
 * @param tool the tool
 * @param arguments JSON text, as the script wrote it
 * @param digest the SHA-256, in hexadecimal, of server, tool and arguments, separated by zero bytes
 * @param deadline how long the call may take
 * @param resultBytes maximum bytes of the result
 * @param permissions the permissions of tools that the run may call; null for all
 * @param approved the digest of the approved definition; null where there is none
 */
public record CallRequest(
    String namespace,
    String server,
    String tool,
    String arguments,
    String digest,
    Duration deadline,
    int resultBytes,
    @Nullable List<ToolPermission> permissions,
    @Nullable String approved) {
  private static final int MAX_NAME_BYTES = 256;
  private static final int MAX_DEADLINE_MILLIS = 3_600_000;

  /**
   * Reads a request.
   *
   * @throws InvalidRequestException if a member is missing or wrong; the message names it
   */
  public static CallRequest parse(byte[] body) throws InvalidRequestException {
    JsonNode request;
    try {
      request = Json.MAPPER.readTree(body);
    } catch (JacksonException e) {
      throw new InvalidRequestException("the body is no JSON");
    }
    byte[] arguments = base64(text(request, "args"));
    CallRequest call =
        new CallRequest(
            text(request, "namespace"),
            text(request, "server"),
            text(request, "tool"),
            utf8(arguments),
            text(request, "digest"),
            Duration.ofMillis(number(request, "deadlineMillis", 0, MAX_DEADLINE_MILLIS)),
            (int) number(request, "resultBytes", 1, Bounds.MAX_TOOL_RESULT_BYTES),
            permissions(request.path("grants").path("permissions")),
            request.path("approved").isString() ? request.path("approved").stringValue() : null);
    if (!call.digest.equals(digest(call.server, call.tool, arguments))) {
      throw new InvalidRequestException("digest is not that of server, tool and args");
    }
    return call;
  }

  /** The digest of a call. */
  public static String digest(String server, String tool, byte[] arguments) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(server.getBytes(UTF_8));
    all.write(0);
    all.writeBytes(tool.getBytes(UTF_8));
    all.write(0);
    all.writeBytes(arguments);
    return Sha256.hex(all.toByteArray());
  }

  /** Whether the arguments are one JSON object. */
  public boolean argumentsAreAnObject() {
    try (JsonParser parser = Json.MAPPER.createParser(arguments)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    }
  }

  private static String text(JsonNode request, String member) throws InvalidRequestException {
    JsonNode value = request.path(member);
    if (!value.isString()
        || (!member.equals("args") && value.stringValue().length() > MAX_NAME_BYTES)) {
      throw new InvalidRequestException(member + " is no text, or too long");
    }
    return value.stringValue();
  }

  private static long number(JsonNode request, String member, long min, long max)
      throws InvalidRequestException {
    JsonNode value = request.path(member);
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < min
        || value.longValue() > max) {
      throw new InvalidRequestException(member + " is no number from " + min + " to " + max);
    }
    return value.longValue();
  }

  private static byte[] base64(String text) throws InvalidRequestException {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException("args is no base64");
    }
  }

  private static String utf8(byte[] bytes) throws InvalidRequestException {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidRequestException("args is no UTF-8");
    }
  }

  private static @Nullable List<ToolPermission> permissions(JsonNode names)
      throws InvalidRequestException {
    if (names.isMissingNode() || names.isNull()) {
      return null;
    }
    List<ToolPermission> permissions =
        names
            .valueStream()
            .flatMap(
                name ->
                    KnownValues.of(ToolPermission.class).stream()
                        .filter(
                            each ->
                                each.wireName().equals(name.asString("").toLowerCase(Locale.ROOT))))
            .toList();
    if (!names.isArray() || permissions.size() != names.size()) {
      throw new InvalidRequestException("grants.permissions is no list of permissions");
    }
    return permissions;
  }

  /** A request that is not understood; the message says why. */
  public static final class InvalidRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String message) {
      super(message);
    }
  }
}
