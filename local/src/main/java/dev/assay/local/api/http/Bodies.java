package dev.assay.local.api.http;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.assay.local.api.status.ApiException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** Reads and writes bodies, which are JSON. */
final class Bodies {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** For streams: fabric8's client adds zeros to a piece that has characters of several bytes. */
  private static final ObjectWriter ASCII_JSON =
      JSON.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private static final String TYPE = "application/json";

  /** As much as the real API server reads. */
  private static final int MAX_BYTES = 3 << 20;

  private Bodies() {}

  /** The media type of a request's body, without parameters; JSON where none is named. */
  static String mediaType(Request request) {
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    if (type == null) {
      return TYPE;
    }
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads a body that is an object or a patch.
   *
   * @throws ApiException where it is too large, or not JSON
   */
  static JsonNode read(Request request) throws IOException {
    byte[] bytes = readBytes(request);
    try {
      JsonNode body = JSON.readTree(bytes);
      if (!body.isMissingNode()) {
        return body;
      }
    } catch (JacksonException e) {
      throw ApiException.badRequest(
          "the body of the request is not JSON: " + e.getOriginalMessage());
    }
    throw ApiException.badRequest("the request has no body");
  }

  /** Reads a body that need not be there. */
  static JsonNode readIfAny(Request request) throws IOException {
    return request.getLength() == 0 || isWithoutBody(request)
        ? MissingNode.getInstance()
        : read(request);
  }

  private static boolean isWithoutBody(Request request) {
    return !request.getHeaders().contains(HttpHeader.CONTENT_LENGTH)
        && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING);
  }

  static void requireJson(Request request) {
    if (!mediaType(request).equals(TYPE)) {
      throw ApiException.unsupportedMediaType(TYPE);
    }
  }

  private static byte[] readBytes(Request request) throws IOException {
    if (request.getLength() > MAX_BYTES) {
      throw ApiException.tooLarge(MAX_BYTES);
    }
    try (InputStream in = Content.Source.asInputStream(request)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw ApiException.tooLarge(MAX_BYTES);
      }
      return bytes;
    }
  }

  /** Writes a whole answer. */
  static void write(Response response, int code, JsonNode body) throws IOException {
    response.setStatus(code);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TYPE);
    byte[] bytes = JSON.writeValueAsBytes(body);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
    Content.Sink.write(response, true, ByteBuffer.wrap(bytes));
  }

  /** Begins an answer that is a stream. */
  static void begin(Response response, String mediaType) throws IOException {
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
    Content.Sink.write(response, false, ByteBuffer.allocate(0));
  }

  /** Adds a line to an answer that is a stream. */
  static void writeLine(Response response, JsonNode line) throws IOException {
    byte[] bytes = ASCII_JSON.writeValueAsBytes(line);
    ByteBuffer buffer = ByteBuffer.allocate(bytes.length + 1).put(bytes).put((byte) '\n').flip();
    Content.Sink.write(response, false, buffer);
  }
}
